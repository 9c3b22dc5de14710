import { CredenceError, codeOf } from '../../base/errors.ts';
import {
  type JsonChild,
  type JsonContainer,
  type JsonString,
  memberOf,
  parseJson,
  positionAt,
} from '../../base/json-text.ts';
import { ownership } from '../our-command.ts';

/**
 * Claude Code's settings file (`~/.claude/settings.json`, strict JSON): `hooks` maps an event to groups, a group
 * `{matcher?, hooks}` holds hooks `{type, command, timeout}`. Without a matcher a group matches everything.
 * Source: the runtime's public hooks reference.
 */

/**
 * How much of the way down to our entry install had to create. The order of the entry's keys says it, so that
 * uninstall, which has only the text, can tell an empty container of the user's from one of ours, also after a
 * formatter went over the file. `text` is all that stood in a file which was there, and blank. The last order, and any
 * other, means that nothing above is worth keeping once it is empty: it is the order that Claude Code itself writes, and
 * sorted keys are among the others.
 */
export const MADE = { entry: 0, event: 1, hooks: 2, text: 3, file: 4 } as const;
export const KEY_ORDER: readonly [string, string, string, string, string] = [
  'timeout type command',
  'command type timeout',
  'type timeout command',
  'timeout command type',
  'type command timeout',
];
/** One of them. */
export type Made = 0 | 1 | 2 | 3 | 4;

/** One entry that runs our hook, where it stands. */
export interface Found {
  readonly group: JsonChild;
  readonly hook: JsonChild;
  readonly command: JsonString;
  readonly made: Made;
  /** True where its group has no matcher that narrows it. */
  readonly wide: boolean;
}

/** An event with what runs our hook there: entries of ours, and those that run another command too. */
export interface EventEntry {
  readonly name: string;
  readonly member: JsonChild;
  readonly groups: JsonContainer;
  readonly ours: readonly Found[];
  readonly shared: readonly Found[];
}

interface Settings {
  readonly text: string;
  readonly root: JsonContainer;
  readonly hooks: { readonly member: JsonChild; readonly object: JsonContainer } | undefined;
  readonly events: readonly EventEntry[];
}

const REFUSAL = "the settings file can't be edited";
const AGAIN = 'Then run the command again; the file was left as it is.';

function refuse(text: string, at: number, what: string, next: string): never {
  const { line, column } = positionAt(text, at);
  const message = `${REFUSAL}: at line ${line}, column ${column}, ${what}`;
  const more = { next: `${next} ${AGAIN}`, data: { line, column } };
  throw new CredenceError('incorrect', 'settings.malformed', message, more);
}

/** The top of a settings file. Throws `settings.malformed`. */
export function parseSettings(text: string): JsonContainer {
  try {
    const root = parseJson(text);
    return root.kind === 'object'
      ? root
      : refuse(text, root.start, 'the top is not an object', 'Put the settings into { }.');
  } catch (cause) {
    if (!(cause instanceof CredenceError) || codeOf(cause) !== 'json.malformed') throw cause;
    const { message, data } = cause;
    const more = { next: `${cause.next} ${AGAIN}`, data, cause };
    throw new CredenceError('incorrect', 'settings.malformed', `${REFUSAL}: ${message}`, more);
  }
}

/** Throws `settings.malformed` where a key that matters is there twice: only the last one counts for the runtime. */
export function refuseTwice(
  text: string,
  object: JsonContainer,
  matters: (key: string) => boolean,
): void {
  const seen = new Set<string>();
  for (const { key } of object.children) {
    if (!key || !matters(key.value)) continue;
    if (seen.has(key.value)) {
      const what = `the key ${JSON.stringify(key.value)} is there a second time`;
      refuse(text, key.start, what, 'Join the two: only the last one counts for Claude Code.');
    }
    seen.add(key.value);
  }
}

/** Which order the keys have; an entry that lacks one, or has another order, counts as `file`. */
function madeOf(hook: JsonContainer): Made {
  const keys = hook.children.map((child) => child.key?.value ?? '');
  const order = keys
    .filter((key) => key === 'type' || key === 'command' || key === 'timeout')
    .join(' ');
  const made = KEY_ORDER.indexOf(order);
  return made < 0 ? MADE.file : (made as Made);
}

/** Shapes that are not Claude Code's are passed over: they can't be entries of ours. */
function findIn(groups: JsonContainer): Pick<EventEntry, 'ours' | 'shared'> {
  const found = groups.children.flatMap((group) => {
    const hooks = memberOf(group.value, 'hooks')?.value;
    const matcher = memberOf(group.value, 'matcher')?.value;
    const wide =
      matcher === undefined ||
      (matcher.kind === 'string' && (matcher.value === '' || matcher.value === '*'));
    if (hooks?.kind !== 'array') return [];
    return hooks.children.flatMap((hook): Found[] => {
      const command = memberOf(hook.value, 'command')?.value;
      if (hook.value.kind !== 'object' || command?.kind !== 'string') return [];
      return [{ group, hook, command, made: madeOf(hook.value), wide }];
    });
  });
  const of = (whose: 'ours' | 'shared') =>
    found.filter(({ command }) => ownership(command.value) === whose);
  return { ours: of('ours'), shared: of('shared') };
}

/** Reads the text of a settings file. Throws `settings.malformed`. */
export function readSettings(text: string): Settings {
  const root = parseSettings(text);
  refuseTwice(text, root, (key) => key === 'hooks');
  const member = memberOf(root, 'hooks');
  if (!member) return { text, root, hooks: undefined, events: [] };
  const object = member.value;
  if (object.kind !== 'object') {
    return refuse(text, object.start, '"hooks" is not an object', 'Make it an object of events.');
  }
  refuseTwice(text, object, () => true);
  const events = object.children.map((event) => {
    const name = event.key?.value ?? '';
    const groups = event.value;
    if (groups.kind === 'array') return { name, member: event, groups, ...findIn(groups) };
    const what = `the event ${JSON.stringify(name)} is not an array`;
    return refuse(text, groups.start, what, 'Make it an array of groups.');
  });
  return { text, root, hooks: { member, object }, events };
}
