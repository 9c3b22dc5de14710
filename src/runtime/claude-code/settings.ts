import type { Json } from '../../base/canonical.ts';
import { assert, CredenceError, codeOf } from '../../base/errors.ts';
import {
  type Addition,
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
  type JsonString,
  memberOf,
  parseJson,
  positionAt,
} from '../../base/json-text.ts';
import { shellWords } from '../../base/shell-words.ts';
import { isOurs } from '../our-command.ts';
import { HOOK_EVENTS } from './hook.ts';

export { isOurs };

/**
 * Claude Code's settings file (`~/.claude/settings.json`, strict JSON): `hooks` maps an event to groups, a group
 * `{matcher?, hooks}` holds hooks `{type, command, timeout}`. Without a matcher a group matches everything.
 * Source: the runtime's public hooks reference.
 */

/** The command line for an event, quoted for a POSIX shell. */
export type HookCommand = (event: string) => string;

/** The runtime reads seconds. It bounds a hook that hangs; a working one needs a fraction of a second. */
const TIMEOUT_SECONDS = 10;

/**
 * How much of the way down to our entry install had to create. The order of the entry's keys says it, so that
 * uninstall, which has only the text, can tell an empty container of the user's from one of ours, also after a
 * formatter went over the file. The last order, and any other, means that nothing above is worth keeping once it
 * is empty: it is the order that Claude Code itself writes, and sorted keys are among the others.
 */
const MADE = { entry: 0, event: 1, hooks: 2, file: 3 } as const;
const KEY_ORDER: readonly [string, string, string, string] = [
  'timeout type command',
  'command type timeout',
  'type timeout command',
  'type command timeout',
];
type Made = 0 | 1 | 2 | 3;

/** One entry of ours, where it stands. */
interface Found {
  readonly group: JsonChild;
  readonly hook: JsonChild;
  readonly command: JsonString;
  readonly made: Made;
  /** True where its group has no matcher that narrows it. */
  readonly wide: boolean;
}

interface EventEntry {
  readonly name: string;
  readonly member: JsonChild;
  readonly groups: JsonContainer;
  readonly ours: readonly Found[];
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

function parse(text: string): JsonContainer {
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

function refuseTwice(text: string, object: JsonContainer, matters: (key: string) => boolean): void {
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
function findOurs(groups: JsonContainer): Found[] {
  return groups.children.flatMap((group) => {
    const hooks = memberOf(group.value, 'hooks')?.value;
    const matcher = memberOf(group.value, 'matcher')?.value;
    const wide =
      matcher === undefined ||
      (matcher.kind === 'string' && (matcher.value === '' || matcher.value === '*'));
    if (hooks?.kind !== 'array') return [];
    return hooks.children.flatMap((hook): Found[] => {
      const command = memberOf(hook.value, 'command')?.value;
      if (hook.value.kind !== 'object' || command?.kind !== 'string' || !isOurs(command.value))
        return [];
      return [{ group, hook, command, made: madeOf(hook.value), wide }];
    });
  });
}

function read(text: string): Settings {
  const root = parse(text);
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
    if (groups.kind === 'array') return { name, member: event, groups, ours: findOurs(groups) };
    const what = `the event ${JSON.stringify(name)} is not an array`;
    return refuse(text, groups.start, what, 'Make it an array of groups.');
  });
  return { text, root, hooks: { member, object }, events };
}

/** The most that install had to create for any entry that is there; 0 where there is none. */
function mostMade(events: readonly EventEntry[]): Made {
  let most: Made = MADE.entry;
  for (const { ours } of events) for (const { made } of ours) if (made > most) most = made;
  return most;
}

function groupFor(command: string, made: Made): Json {
  assert(isOurs(command), 'uninstall finds what install writes');
  const values: Record<string, Json> = { type: 'command', command, timeout: TIMEOUT_SECONDS };
  const keys = KEY_ORDER[made].split(' ');
  return { hooks: [Object.fromEntries(keys.map((key) => [key, values[key] ?? null]))] };
}

/** Takes entries of ours out of an event. A group goes with them where they were all of it. */
function takeOut(
  text: string,
  ours: readonly Found[],
): { groups: ReadonlySet<JsonChild>; edits: Edit[] } {
  const byGroup = new Map<JsonChild, Set<JsonChild>>();
  for (const { group, hook } of ours) {
    byGroup.set(group, (byGroup.get(group) ?? new Set()).add(hook));
  }
  const groups = new Set<JsonChild>();
  const edits: Edit[] = [];
  for (const [group, gone] of byGroup) {
    const hooks = memberOf(group.value, 'hooks')?.value;
    if (group.value.kind !== 'object' || hooks?.kind !== 'array') continue;
    // A matcher that a user put on our own group does nothing without our entry; any other key is kept.
    const bare = group.value.children.every(
      ({ key }) => key?.value === 'hooks' || key?.value === 'matcher',
    );
    if (bare && hooks.children.every((hook) => gone.has(hook))) groups.add(group);
    else edits.push(...removeChildren(text, hooks, gone));
  }
  return { groups, edits };
}

/** One entry of ours with the right command is left in the event: the one that matches most, then the first. */
function refresh(text: string, { name, groups, ours }: EventEntry, command: HookCommand): Edit[] {
  const kept = ours.find((found) => found.wide) ?? ours[0];
  if (!kept) return [];
  const out = takeOut(
    text,
    ours.filter((found) => found !== kept),
  );
  const edits = [...out.edits, ...removeChildren(text, groups, out.groups)];
  const line = command(name);
  assert(isOurs(line), 'uninstall finds what install writes');
  const { start, end, value } = kept.command;
  return value === line ? edits : [...edits, { start, end, text: JSON.stringify(line) }];
}

/**
 * Puts one entry of ours into every hooked event and leaves all else byte for byte: a new group at the end of the
 * event's array; an entry of ours that is there keeps its place and gets only its command changed; duplicates of
 * ours within an event go. Installing twice changes nothing. `undefined`, or white space only, makes a new file.
 * Throws `settings.malformed` (message: line and column) for text that is not strict JSON, a second `hooks` or
 * event key, `hooks` that is not an object, and an event that is not an array.
 */
export function installHooks(text: string | undefined, command: HookCommand): string {
  if (text === undefined || text.trim() === '') {
    const hooks = HOOK_EVENTS.map(
      (event) => [event, [groupFor(command(event), MADE.file)]] as const,
    );
    return `${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  }
  const { root, hooks, events } = read(text);
  const layout = layoutOf(text, root);
  const inner = childIndent(text, root, '', layout);
  const there = new Set(events.map((event) => event.name));
  const made = hooks ? MADE.event : MADE.hooks;
  const missing = HOOK_EVENTS.filter((event) => !there.has(event)).map((event) => {
    return { key: event, value: [groupFor(command(event), made)] } satisfies Addition;
  });
  if (!hooks) {
    const value = Object.fromEntries(missing.map(({ key, value }) => [key, value]));
    return applyEdits(text, [appendChildren(text, root, '', layout, [{ key: 'hooks', value }])]);
  }
  const outer = childIndent(text, hooks.object, inner, layout);
  const edits = events.flatMap((event) => {
    if (event.ours.length > 0) return refresh(text, event, command);
    if (!HOOK_EVENTS.some((name) => name === event.name)) return [];
    const value = groupFor(command(event.name), MADE.entry);
    return [appendChildren(text, event.groups, outer, layout, [{ value }])];
  });
  if (missing.length > 0) edits.push(appendChildren(text, hooks.object, inner, layout, missing));
  return applyEdits(text, edits);
}

/**
 * Takes every entry of ours out, in whatever event and group it stands, and what install created around it once
 * that is empty; all else stays byte for byte. The exact inverse of `installHooks`, whose result on a missing or
 * empty file it turns into '': the caller then deletes the file. Text without an entry of ours comes back as it is.
 * Throws `settings.malformed` as `installHooks` does.
 */
export function uninstallHooks(text: string): string {
  if (text.trim() === '') return text;
  const { root, hooks, events } = read(text);
  if (!hooks) return text;
  const edits: Edit[] = [];
  const goneEvents = new Set<JsonChild>();
  for (const { member, groups, ours } of events) {
    const out = takeOut(text, ours);
    const emptied = out.groups.size > 0 && out.groups.size === groups.children.length;
    if (emptied && ours.some((found) => found.made >= MADE.event)) goneEvents.add(member);
    else edits.push(...out.edits, ...removeChildren(text, groups, out.groups));
  }
  const made = mostMade(events);
  if (made < MADE.hooks || goneEvents.size < hooks.object.children.length) {
    return applyEdits(text, [...edits, ...removeChildren(text, hooks.object, goneEvents)]);
  }
  if (made === MADE.file && root.children.length === 1) return '';
  return applyEdits(text, removeChildren(text, root, new Set([hooks.member])));
}

/** The events in which an entry of ours stands, in the order of the file. Throws `settings.malformed`. */
export function installedEvents(text: string): readonly string[] {
  if (text.trim() === '') return [];
  return read(text).events.flatMap(({ name, ours }) => (ours.length > 0 ? [name] : []));
}

/**
 * Why the entries of ours in a settings file are not run; undefined where nothing is known to prevent it. Throws
 * `settings.malformed`.
 */
export function hookFault(text: string, isThere: (path: string) => boolean): string | undefined {
  if (text.trim() === '') return undefined;
  const { root, events } = read(text);
  const off = memberOf(root, 'disableAllHooks')?.value;
  if (off?.kind === 'atom' && text.slice(off.start, off.end) === 'true')
    return '`disableAllHooks` switches them off';
  const commands = events.flatMap(({ ours }) => ours.map(({ command }) => command.value));
  const gone = commands
    .flatMap((command) => (shellWords(command)[0] ?? []).slice(0, 2))
    .find((word) => /^(?:\/|[A-Za-z]:[\\/])/.test(word) && !isThere(word));
  return gone === undefined ? undefined : `they start ${gone}, which is gone`;
}
