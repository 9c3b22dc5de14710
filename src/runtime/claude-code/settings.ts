import type { Json } from '../../base/canonical.ts';
import { assert } from '../../base/errors.ts';
import {
  type Addition,
  appendChildren,
  applyEdits,
  childIndent,
  type Edit,
  layoutOf,
  removeChildren,
} from '../../base/json-edit.ts';
import { type JsonChild, memberOf } from '../../base/json-text.ts';
import { isOurs, ourWords } from '../our-command.ts';
import { HOOK_EVENTS } from './hook.ts';
import {
  type EventEntry,
  type Found,
  KEY_ORDER,
  MADE,
  type Made,
  readSettings,
} from './settings-entries.ts';

/** The command line for an event, quoted for a POSIX shell. */
export type HookCommand = (event: string) => string;

/** What strict JSON takes before a value: a file that holds no more is one that nothing was set in yet. */
const BLANK = /^\uFEFF?[ \t\n\r]*$/;

/** The runtime reads seconds. It bounds a hook that hangs; a working one needs a fraction of a second. */
const TIMEOUT_SECONDS = 10;

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

/**
 * One entry that runs the hook is left in the event: the one that matches most, then the first. One of ours gets the
 * right command; one that is shared stays as it is.
 */
function refresh(text: string, event: EventEntry, command: HookCommand): Edit[] {
  const { name, groups, ours, shared } = event;
  const all = [...shared, ...ours];
  const kept = all.find((found) => found.wide) ?? all[0];
  if (!kept) return [];
  const out = takeOut(
    text,
    ours.filter((found) => found !== kept),
  );
  const edits = [...out.edits, ...removeChildren(text, groups, out.groups)];
  if (shared.includes(kept)) return edits;
  const line = command(name);
  assert(isOurs(line), 'uninstall finds what install writes');
  const { start, end, value } = kept.command;
  return value === line ? edits : [...edits, { start, end, text: JSON.stringify(line) }];
}

/**
 * Puts one entry of ours into every hooked event and leaves all else byte for byte: a new group at the end of the
 * event's array; an entry of ours that is there keeps its place and gets only its command changed; duplicates of
 * ours within an event go. Where a line with other commands in it runs the hook, that stays as it is, and none is put
 * beside it: it would run twice. Installing twice changes nothing. `undefined`, no file, makes a new one; blank text is
 * kept ahead of ours. Throws `settings.malformed` (message: line and column) for text that is not strict JSON, a second
 * `hooks` or event key, `hooks` that is not an object, and an event that is not an array.
 */
export function installHooks(text: string | undefined, command: HookCommand): string {
  if (text === undefined || BLANK.test(text)) {
    const made = text === undefined ? MADE.file : MADE.text;
    const hooks = HOOK_EVENTS.map((event) => [event, [groupFor(command(event), made)]] as const);
    return `${text ?? ''}${JSON.stringify({ hooks: Object.fromEntries(hooks) }, null, 2)}\n`;
  }
  const { root, hooks, events } = readSettings(text);
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
    if (runsHook(event)) return refresh(text, event, command);
    if (!HOOK_EVENTS.some((name) => name === event.name)) return [];
    const value = groupFor(command(event.name), MADE.entry);
    return [appendChildren(text, event.groups, outer, layout, [{ value }])];
  });
  if (missing.length > 0) edits.push(appendChildren(text, hooks.object, inner, layout, missing));
  return applyEdits(text, edits);
}

/**
 * Takes every entry of ours out, in whatever event and group it stands, and what install created around it once
 * that is empty; all else stays byte for byte. The exact inverse of `installHooks`: undefined
 * where there was no file, for the caller to delete it. Text without an entry of ours comes back as it is.
 * Throws `settings.malformed` as `installHooks` does.
 */
export function uninstallHooks(text: string): string | undefined {
  if (BLANK.test(text)) return text;
  const { root, hooks, events } = readSettings(text);
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
  if (made >= MADE.text && root.children.length === 1)
    return made === MADE.file ? undefined : text.slice(0, root.start);
  return applyEdits(text, removeChildren(text, root, new Set([hooks.member])));
}

function runsHook({ ours, shared }: EventEntry): boolean {
  return ours.length + shared.length > 0;
}

function eventsIn(text: string, holds: (event: EventEntry) => boolean): readonly string[] {
  if (BLANK.test(text)) return [];
  return readSettings(text).events.flatMap((event) => (holds(event) ? [event.name] : []));
}

/** The events in which our hook is run, in the order of the file. Throws `settings.malformed`. */
export function installedEvents(text: string): readonly string[] {
  return eventsIn(text, runsHook);
}

/** Those in which a line runs it that runs other commands too, and is left alone. Throws `settings.malformed`. */
export function sharedEvents(text: string): readonly string[] {
  return eventsIn(text, ({ shared }) => shared.length > 0);
}

/**
 * Why the entries of ours in a settings file are not run; undefined where nothing is known to prevent it. Throws
 * `settings.malformed`.
 */
export function hookFault(text: string, isThere: (path: string) => boolean): string | undefined {
  if (BLANK.test(text)) return undefined;
  const { root, events } = readSettings(text);
  const off = memberOf(root, 'disableAllHooks')?.value;
  if (off?.kind === 'atom' && text.slice(off.start, off.end) === 'true')
    return '`disableAllHooks` switches them off';
  const commands = events.flatMap(({ ours, shared }) => [...ours, ...shared]);
  const gone = commands
    .flatMap(({ command }) => ourWords(command.value).slice(0, 2))
    .find((word) => /^(?:\/|[A-Za-z]:[\\/])/.test(word) && !isThere(word));
  return gone === undefined ? undefined : `they start ${gone}, which is gone`;
}
