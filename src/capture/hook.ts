import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import { objectOf, textOf } from '../base/unknown.ts';
import type { World } from '../base/world.ts';
import { type Answer, NO_ANSWER } from '../runtime/answer.ts';
import type { Event, Injected } from '../runtime/envelope.ts';
import type { HookReading } from '../runtime/hook.ts';
import type { HookedRuntime } from '../runtime/hooked.ts';
import { type Checkout, checkoutOf } from '../runtime/repo.ts';
import { type Announced, INTENT_DETAIL } from './announced.ts';
import { type AnswerWithLineage, isPartOf, SILENT } from './answer.ts';
import { answerTo, type Ground } from './answer-to.ts';
import { spooled } from './envelope.ts';
import { excluded } from './exclusion.ts';
import { FAULT_PATH, pausedPath, spoolPath } from './paths.ts';
import { isPausedIn, notePause } from './pause.ts';
import { parsePayload } from './payload.ts';
import type { HookFiles } from './port.ts';
import type { HookSettings } from './settings.ts';
import { encodeLine } from './spool.ts';

/** All that one hook process has. */
export interface HookParts {
  readonly files: HookFiles;
  readonly world: World;
  readonly settings: HookSettings;
  /** The host's own secret, read only when something is withheld. */
  readonly secret: () => Uint8Array;
  /** How long the payload was, where not all of it was kept. */
  readonly size?: number;
}

/** What the process does once the event is on disk: print, and perhaps start a sync. */
export interface HookResult {
  readonly output: string;
  readonly sync: boolean;
  /** At a session's start: which session the runtime's process now runs. */
  readonly started?: { readonly session_id: string; readonly transcript_path?: string };
}

/**
 * One hook call, whole: parse → normalise → redact → append one line → answer. The line, with what the answer
 * puts before the agent, is on disk before the answer is returned (law 9). Throws only what `files.append` throws.
 */
export function handleHook(
  runtimeName: string,
  runtime: HookedRuntime,
  eventName: string,
  received: Uint8Array,
  parts: HookParts,
): HookResult {
  const { files, settings, world } = parts;
  const now = world.now();
  const reading = readPayload(runtime, eventName, received, { now, size: parts.size });
  const { cwd, checkout, rule, paused, log } = placeOf(runtimeName, reading.event, parts);
  if (paused) {
    notePause(files, log, { paused, now });
    const { fault } = rule;
    if (fault !== undefined)
      files.mark(FAULT_PATH, JSON.stringify({ at: now, cwd, root: checkout?.root, fault }));
    return { output: runtime.formatAnswer(eventName, NO_ANSWER), sync: false };
  }
  const { answer, injected } = answerOrNone(reading, {
    runtimeName,
    checkout,
    now,
    settings,
    files,
    exclude: rule.paths,
  });
  append(runtimeName, reading, { checkout, injected, exclude: rule.paths }, parts);
  noteResumed(files, log, now);
  const output = runtime.formatAnswer(eventName, answer);
  return { output, sync: wantsSync(reading, answer, files), ...started(reading) };
}

/** Where an event happens, and whether anything is captured there. */
function placeOf(runtimeName: string, event: Event, { files, settings, world }: HookParts) {
  const log = pausedPath(runtimeName, event.session_id);
  const spool = spoolPath(runtimeName, event.session_id);
  const cwd = event.cwd ?? lastFolder(files.tail(spool, FOLDER_TAIL_BYTES));
  const checkout =
    cwd === undefined ? undefined : checkoutOf(cwd, { files, hostId: settings.host_id, world });
  const rule = excluded(cwd, checkout?.root, settings, files);
  // Where nobody knows the folder, what held last still holds.
  const paused = rule.paused || (cwd === undefined && isPausedIn(files, log));
  return { cwd, checkout, rule, paused, log };
}

/** A session, and what its agent runs that records something there. */
export interface Recorder {
  readonly runtime: string;
  readonly session: string;
  /** The name of the command, or of the tool. */
  readonly command: string;
}

/** An event of the session's own beside those that its runtime tells of. False where nothing of it is captured now. */
function record(
  by: Recorder,
  what: { readonly content?: string; readonly injected: readonly Injected[] },
  parts: HookParts,
): boolean {
  const event: Event = {
    session_id: by.session,
    emitted_at: toInstant(parts.world.now()),
    event_type: 'other',
    native: { key: `other:${by.command}`, counted: true },
    detail: by.command,
    ...(what.content === undefined ? {} : { content: what.content }),
  };
  const { checkout, rule, paused } = placeOf(by.runtime, event, parts);
  if (paused) return false;
  const reading: HookReading = { moment: 'other', event, recognised: true };
  const at = { checkout, injected: what.injected, exclude: rule.paths };
  append(by.runtime, reading, at, parts);
  return true;
}

/**
 * Records in a session what a command is about to put before its agent, as an event of its own: it is on disk before
 * that is printed (law 9). Nothing of its own; false where nothing of the session is captured now. Throws only what
 * `files.append` throws.
 */
export function recordShown(by: Recorder, shown: readonly Injected[], parts: HookParts): boolean {
  const injected = shown.filter(({ source }) => !isPartOf(by.session, source));
  return injected.length === 0 || record(by, { injected }, parts);
}

/**
 * Records in a session which paths its agent is about to work on, for the next sync to tell others. False where nothing
 * of the session is captured now. Throws only what `files.append` throws.
 */
export function recordIntents(
  by: Pick<Recorder, 'runtime' | 'session'>,
  announced: Announced,
  parts: HookParts,
): boolean {
  const content = JSON.stringify(announced);
  return record({ ...by, command: INTENT_DETAIL }, { content, injected: [] }, parts);
}

function noteResumed(files: HookFiles, log: string, now: number): void {
  try {
    notePause(files, log, { paused: false, now });
  } catch {
    // The next event says it again: until then too much is left out of what the transcript tells, never too little.
    return;
  }
}

/** Reads a payload; of one that is not whole all that could be read, and its size where that is why. */
function readPayload(
  runtime: HookedRuntime,
  eventName: string,
  received: Uint8Array,
  { now, size = received.length }: { readonly now: number; readonly size: number | undefined },
): HookReading {
  const { fields, whole, said } = parsePayload(received);
  const read = runtime.readHook(eventName, fields, toInstant(now));
  const { event } = read;
  const isNamed = textOf(objectOf(fields)['hook_event_name']) !== undefined;
  const content = event.content ?? said;
  const told = content === undefined ? event : { ...event, content };
  return {
    ...read,
    recognised: read.recognised && whole && isNamed,
    event: size > LIMIT.hook_payload_bytes_max ? withSize(told, size) : told,
  };
}

function withSize(event: Event, size: number): Event {
  const says = `${size} bytes`;
  if (event.event_type !== 'other') return { ...event, detail: event.detail ?? says };
  const detail = `${event.detail} of ${says}`;
  return { ...event, detail, native: { ...event.native, key: `other:${detail}` } };
}

/** As much of a session's spool as its last line is looked for in. */
const FOLDER_TAIL_BYTES = 64 * 1024;

/** Where the last line of a spool happened. Inside of a text the quotes would stand behind backslashes. */
function lastFolder(spool: string): string | undefined {
  return [...spool.matchAll(/"cwd":"([^"\\]+)"/g)].at(-1)?.[1];
}

/** An answer is a courtesy: whatever is wrong with what it rests on, the event is kept. */
function answerOrNone(reading: HookReading, ground: Ground): AnswerWithLineage {
  try {
    return answerTo(reading, ground);
  } catch {
    return SILENT;
  }
}

function started({ moment, event, transcript }: HookReading): Pick<HookResult, 'started'> {
  if (moment !== 'start') return {};
  return {
    started: {
      session_id: event.session_id,
      ...(transcript === undefined ? {} : { transcript_path: transcript }),
    },
  };
}

function append(
  runtimeName: string,
  reading: HookReading,
  at: {
    readonly checkout: Checkout | undefined;
    readonly injected: readonly Injected[];
    readonly exclude: readonly string[];
  },
  parts: HookParts,
): void {
  const { settings, world, files } = parts;
  const unnamed = spooled(reading.event, {
    runtime: runtimeName,
    fleetId: settings.fleet_id,
    hostId: settings.host_id,
    agents: settings.agents,
    checkout: at.checkout,
    injected: at.injected,
    policy: { secret: parts.secret, deniedPaths: [...settings.denied_paths, ...at.exclude] },
  });
  const line = encodeLine({
    line_id: Buffer.from(world.random(12)).toString('hex'),
    recognised: reading.recognised,
    ...unnamed,
    ...(reading.transcript === undefined ? {} : { transcript: reading.transcript }),
  });
  files.append(spoolPath(runtimeName, unnamed.envelope.session_id), line);
}

const SYNC_STAMP = 'run/sync.stamp';
const SYNC_INTERVAL_MS = 60_000;

/** A session's end starts a sync; a turn's end at most once a minute, and not while the agent is sent on. */
function wantsSync(reading: HookReading, answer: Answer, files: HookFiles): boolean {
  if (reading.moment === 'end') return true;
  if (reading.moment !== 'turn_end' || answer.kind === 'continue') return false;
  const age = files.age(SYNC_STAMP);
  // A clock that jumped back makes ages negative: then the stamp says nothing.
  if (age !== undefined && age >= 0 && age < SYNC_INTERVAL_MS) return false;
  return files.mark(SYNC_STAMP, '');
}
