import { LIMIT } from '../base/limits.ts';
import { cleanText } from '../base/text.ts';
import { toInstant } from '../base/time.ts';
import { objectOf, textOf } from '../base/unknown.ts';
import type { World } from '../base/world.ts';
import { type Answer, NO_ANSWER } from '../runtime/answer.ts';
import type { Injected } from '../runtime/envelope.ts';
import type { HookReading } from '../runtime/hook.ts';
import type { HookedRuntime } from '../runtime/hooked.ts';
import { type Checkout, checkoutOf } from '../runtime/repo.ts';
import { answerTo } from './answer-to.ts';
import { spooled } from './envelope.ts';
import { excluded } from './exclusion.ts';
import { FAULT_PATH, spoolPath } from './paths.ts';
import { notePause } from './pause.ts';
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
}

/** What the process does once the event is on disk: print, and perhaps start a sync. */
export interface HookResult {
  readonly output: string;
  readonly sync: boolean;
  /** At a session's start: which session the runtime's process now runs. */
  readonly started?: { readonly session_id: string; readonly transcript_path?: string };
}

/** JSON of whatever arrives: bad UTF-8 and NUL bytes are tolerated, a payload that is no JSON gives up what its start shows. */
function parsePayload(bytes: Uint8Array): unknown {
  if (bytes.length <= LIMIT.hook_payload_bytes_max) {
    const text = cleanText(Buffer.from(bytes).toString('utf8'));
    try {
      return JSON.parse(text);
    } catch {
      return salvage(text);
    }
  }
  return salvage(Buffer.from(bytes.subarray(0, 65_536)).toString('utf8'));
}

/** The fields by which an unreadable payload can still be put into its session. */
function salvage(text: string): unknown {
  const field = (name: string) =>
    new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,512})"`).exec(text)?.[1];
  const names = ['session_id', 'agent_id', 'cwd', 'transcript_path'] as const;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = field(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
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
  const { files, world, settings } = parts;
  const now = world.now();
  const payload = parsePayload(received);
  const read = runtime.readHook(eventName, payload, toInstant(now));
  const reading: HookReading =
    textOf(objectOf(payload)['hook_event_name']) === undefined
      ? { ...read, recognised: false }
      : read;
  const { cwd } = reading.event;
  const checkout =
    cwd === undefined ? undefined : checkoutOf(cwd, { files, hostId: settings.host_id, world });
  const rule = excluded(cwd, checkout?.root, settings, files);
  const nothing = runtime.formatAnswer(eventName, NO_ANSWER);
  const { session_id: session } = reading.event;
  notePause(files, { runtime: runtimeName, session, paused: rule.paused, now });
  if (rule.paused) {
    if (rule.fault !== undefined)
      files.mark(FAULT_PATH, JSON.stringify({ at: now, fault: rule.fault }));
    return { output: nothing, sync: false };
  }
  const { answer, injected } = answerTo(reading, {
    runtimeName,
    checkout,
    now,
    settings,
    files,
    exclude: rule.paths,
  });
  append(runtimeName, reading, { checkout, injected, exclude: rule.paths }, parts);
  const output = runtime.formatAnswer(eventName, answer);
  return { output, sync: wantsSync(reading, answer, files), ...started(reading) };
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
