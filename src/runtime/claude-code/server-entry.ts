import type { Json } from '../../base/canonical.ts';
import {
  appendChildren,
  applyEdits,
  childIndent,
  type Edit,
  layoutOf,
  removeChildren,
} from '../../base/json-edit.ts';
import {
  type JsonChild,
  type JsonContainer,
  type JsonNode,
  memberOf,
} from '../../base/json-text.ts';
import { parseSettings, refuseTwice } from './settings-entries.ts';

/**
 * Claude Code's own file (`~/.claude.json`, strict JSON): its `mcpServers` are the servers of the user's scope, name →
 * `{type, command, args, env?}`. The runtime writes the file, too, with keys in the order in which they stand.
 * Source: the runtime's public reference of MCP, and what `claude mcp add --scope user` writes.
 */

/** The program and its arguments that start our server. */
export type ServerCommand = readonly [command: string, ...args: string[]];

const SERVERS = 'mcpServers';
const NAME = 'credence';

/** The name by which the runtime's models call the tool for handoffs. */
export const HANDOFF_TOOL = `mcp__${NAME}__fleet_handoff`;

/** As `MADE` of the hooks' file, and told in the same way, by the order of the entry's keys. */
const MADE = { entry: 0, servers: 1, text: 2, file: 3 } as const;
const KEY_ORDER: readonly [string, string, string, string] = [
  'command type args',
  'command args type',
  'args type command',
  'type command args',
];
type Made = 0 | 1 | 2 | 3;

const BLANK = /^\uFEFF?[ \t\n\r]*$/;
/** What a word has to be named to start us. */
const PROGRAM = /(?:^|[/\\])(?:main\.js|credence(?:\.js|\.cmd|\.exe|@.+)?)$/;

interface Found {
  readonly servers: { readonly member: JsonChild; readonly object: JsonContainer } | undefined;
  readonly root: JsonContainer;
  /** The entry of our name, and its words where they start us. */
  readonly entry: JsonChild | undefined;
  readonly words: readonly string[] | undefined;
}

function stringOf(node: JsonNode | undefined): string | undefined {
  return node?.kind === 'string' ? node.value : undefined;
}

/** The words of an entry that starts our server; undefined for any other. */
function ourWords(entry: JsonNode): readonly string[] | undefined {
  const args = memberOf(entry, 'args')?.value;
  const given = args?.kind === 'array' ? args.children.map(({ value }) => stringOf(value)) : [];
  const words = [stringOf(memberOf(entry, 'command')?.value), ...given];
  const known = words.filter((word) => word !== undefined);
  const at = known.indexOf('mcp');
  return known.length === words.length && at > 0 && PROGRAM.test(known[at - 1] ?? '')
    ? known
    : undefined;
}

/** Throws `settings.malformed`. */
function read(text: string): Found {
  const root = parseSettings(text);
  refuseTwice(text, root, (key) => key === SERVERS);
  const member = memberOf(root, SERVERS);
  const object = member?.value;
  if (!member || object?.kind !== 'object') {
    return { root, servers: undefined, entry: undefined, words: undefined };
  }
  refuseTwice(text, object, (key) => key === NAME);
  const entry = memberOf(object, NAME);
  return { root, servers: { member, object }, entry, words: entry && ourWords(entry.value) };
}

function entryFor([command, ...args]: ServerCommand, made: Made): Json {
  const values: Record<string, Json> = { type: 'stdio', command, args };
  const keys = KEY_ORDER[made].split(' ');
  return Object.fromEntries(keys.map((key) => [key, values[key] ?? null]));
}

function madeOf(entry: JsonNode): Made {
  const keys = entry.kind === 'object' ? entry.children.map(({ key }) => key?.value ?? '') : [];
  const order = keys.filter((key) => ['type', 'command', 'args'].includes(key)).join(' ');
  const made = KEY_ORDER.indexOf(order);
  return made < 0 ? MADE.file : (made as Made);
}

/** Gives an entry of ours its words; whatever else a person put there stays, options behind them too. */
function refreshed(
  entry: JsonNode,
  [command, ...args]: ServerCommand,
  before: readonly string[],
): Edit[] {
  const options = before.slice(before.indexOf('mcp') + 1);
  const put = (name: string, value: Json): Edit[] => {
    const node = memberOf(entry, name)?.value;
    return node ? [{ start: node.start, end: node.end, text: JSON.stringify(value) }] : [];
  };
  return [...put('command', command), ...put('args', [...args, ...options])];
}

/** The same words, and perhaps options of a person's behind them. */
function begins(words: readonly string[], wanted: ServerCommand): boolean {
  return wanted.every((word, at) => words[at] === word);
}

/**
 * Registers our server for the user, and leaves all else byte for byte; twice changes nothing. An entry of ours whose
 * program lies elsewhere gets the new words; one of our name that is not ours stays. `undefined`, no file, makes a new one.
 * Throws `settings.malformed`.
 */
export function installServer(text: string | undefined, wanted: ServerCommand): string {
  if (text === undefined || BLANK.test(text)) {
    const made = text === undefined ? MADE.file : MADE.text;
    const file = { [SERVERS]: { [NAME]: entryFor(wanted, made) } };
    return `${text ?? ''}${JSON.stringify(file, null, 2)}\n`;
  }
  const { root, servers, entry, words } = read(text);
  if (entry) {
    const isRight = words === undefined || begins(words, wanted);
    return isRight ? text : applyEdits(text, refreshed(entry.value, wanted, words));
  }
  // What is no object of servers is not the runtime's, and nobody knows what it is.
  if (!servers && memberOf(root, SERVERS)) return text;
  const layout = layoutOf(text, root);
  if (servers) {
    const outer = childIndent(text, root, '', layout);
    const addition = { key: NAME, value: entryFor(wanted, MADE.entry) };
    return applyEdits(text, [appendChildren(text, servers.object, outer, layout, [addition])]);
  }
  const value = { [NAME]: entryFor(wanted, MADE.servers) };
  return applyEdits(text, [appendChildren(text, root, '', layout, [{ key: SERVERS, value }])]);
}

/**
 * Takes our server out again, with what install made around it once that is empty: the exact inverse of `installServer`,
 * undefined where there was no file. Throws `settings.malformed`.
 */
export function uninstallServer(text: string): string | undefined {
  if (BLANK.test(text)) return text;
  const { root, servers, entry, words } = read(text);
  if (!servers || !entry || words === undefined) return text;
  const made = madeOf(entry.value);
  if (made === MADE.entry || servers.object.children.length > 1)
    return applyEdits(text, removeChildren(text, servers.object, new Set([entry])));
  if (made >= MADE.text && root.children.length === 1)
    return made === MADE.file ? undefined : text.slice(0, root.start);
  return applyEdits(text, removeChildren(text, root, new Set([servers.member])));
}

/** Whose the entry of our name is; `none` where there is none. Throws `settings.malformed`. */
export function installedServer(text: string): 'ours' | 'other' | 'none' {
  if (BLANK.test(text)) return 'none';
  const { entry, words } = read(text);
  if (!entry) return 'none';
  return words === undefined ? 'other' : 'ours';
}
