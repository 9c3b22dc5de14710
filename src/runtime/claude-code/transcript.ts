import { sha256Hex } from '../../base/hash.ts';
import { shortId } from '../../base/short-id.ts';
import type { Instant } from '../../base/time.ts';
import { defined, listOf, objectOf, textOf, type UnknownObject } from '../../base/unknown.ts';
import type { Event } from '../envelope.ts';
import type { LineOutcome, TranscriptReader, TranscriptSource } from '../transcript.ts';
import { type LineBody, lineTime, readLine } from './line.ts';
import { closeCall, type OpenCalls, openCall, savedCalls } from './open-calls.ts';

/** How many of the latest lines are remembered: parents stand close to their children, and memory is bounded. */
const WINDOW = 2_000;

/** As long as an id in an envelope. */
const ID_LENGTH_MAX = 256;

interface State {
  /** The time of the latest line that had one. */
  time: Instant;
  /** Line uuid → message id of the event that it went into, or of the nearest event above it. */
  messages: Map<string, string>;
  /** Tool-use ids seen, so that a result is known to complete a call. */
  calls: Set<string>;
  /** The calls that wait for their results. */
  open: OpenCalls;
  /** The start hook run, and the turn end, that several lines report. */
  startRun: string;
  turnEnd: string;
}

function restore(saved: unknown): State {
  const fields = objectOf(saved);
  const pairs = listOf(fields['messages']).map(
    (pair) => listOf(pair).map(String) as [string, string],
  );
  return {
    time: textOf(fields['time']) ?? '1970-01-01T00:00:00.000Z',
    messages: new Map(pairs),
    calls: new Set(listOf(fields['calls']).map(String)),
    open: savedCalls(fields['open']),
    startRun: textOf(fields['startRun']) ?? '',
    turnEnd: textOf(fields['turnEnd']) ?? '',
  };
}

function trim(items: Map<string, string> | Set<string>): void {
  while (items.size > WINDOW) {
    const oldest = items.keys().next().value;
    if (oldest !== undefined) items.delete(oldest);
  }
}

/**
 * A reader of Claude Code's session files, of every version since 2.0. `saved` is what `state()` gave earlier.
 * Never throws: a torn or foreign line is skipped with its reason.
 */
export function claudeTranscript(source: TranscriptSource, saved?: unknown): TranscriptReader {
  const state = restore(saved);
  return {
    line: (text) => readOne(text, source, state),
    state: () => ({
      ...state,
      messages: [...state.messages],
      calls: [...state.calls],
      open: [...state.open],
    }),
  };
}

function readOne(text: string, source: TranscriptSource, state: State): LineOutcome {
  if (text.trim() === '') return { kind: 'skipped', reason: 'blank' };
  let line: UnknownObject;
  try {
    line = objectOf(JSON.parse(text));
  } catch {
    return { kind: 'skipped', reason: 'malformed' };
  }
  state.time = lineTime(line) ?? state.time;
  const uuid = idOf(line['uuid']);
  const parentUuid = idOf(line['parentUuid']);
  const parent =
    parentUuid === undefined ? undefined : (state.messages.get(parentUuid) ?? parentUuid);
  const reading = readLine(line);
  if ('skip' in reading || reading.bodies.length === 0) {
    if (uuid !== undefined && parent !== undefined) remember(state, uuid, parent);
    return { kind: 'skipped', reason: 'skip' in reading ? reading.skip : 'user:empty' };
  }
  // Each is looked at, since that also remembers it.
  const known = reading.bodies.map((body) => isRepeated(body, line, state, parent));
  const repeated = known.every((one) => one);
  // A line that went into the event of an earlier one stands for that event, which is its parent.
  const absorbed = repeated && reading.bodies.every((body) => body.native.counted);
  const last = (absorbed ? undefined : reading.bodies.at(-1)?.message_id) ?? parent;
  if (uuid !== undefined && last !== undefined) remember(state, uuid, last);
  if (absorbed) return { kind: 'merged', events: [] };
  const common = commonFields(line, source, state);
  const events = reading.bodies.map((body): Event => {
    const own = idOf(body.message_id);
    return {
      ...common,
      ...(parent !== undefined && parent !== own ? { parent_message_id: parent } : {}),
      ...body,
      ...askedBy(body, common.cwd, state.open),
    };
  });
  return { kind: repeated ? 'merged' : 'imported', events: withIds(events, text) };
}

/** A result is a line of its own: what its call asked, and where, goes with it. A call only is remembered. */
function askedBy(
  { tool, native }: LineBody,
  cwd: string | undefined,
  open: OpenCalls,
): Pick<Event, 'asked'> {
  if (tool === undefined) return {};
  const call = shortId(native.key, ID_LENGTH_MAX);
  if (tool.outcome !== undefined) return { asked: closeCall(open, call) };
  openCall(open, call, tool, cwd);
  return {};
}

/** A line's id as it is kept: like every id of an envelope, and not longer, since thousands are remembered. */
function idOf(value: unknown): string | undefined {
  const id = textOf(value);
  return id === undefined ? undefined : shortId(id, ID_LENGTH_MAX);
}

function remember(state: State, uuid: string, message: string): void {
  state.messages.set(uuid, shortId(message, ID_LENGTH_MAX));
  trim(state.messages);
}

/** True where the line only completes or repeats an event that an earlier line gave. */
function isRepeated(
  body: LineBody,
  line: UnknownObject,
  state: State,
  parent: string | undefined,
): boolean {
  switch (body.event_type) {
    case 'tool_call': {
      const call = shortId(body.native.key, ID_LENGTH_MAX);
      const known = state.calls.has(call);
      state.calls.add(call);
      trim(state.calls);
      return known;
    }
    case 'session_start': {
      const run = idOf(line['parentToolUseID']) ?? idOf(line['toolUseID']) ?? '';
      const known = run !== '' && run === state.startRun;
      state.startRun = run;
      return known;
    }
    case 'turn_end': {
      // The hook summary and the duration of one turn are two lines, the second a child of the first.
      const known = parent !== undefined && parent === state.turnEnd;
      if (!known) state.turnEnd = shortId(body.message_id ?? '', ID_LENGTH_MAX);
      return known;
    }
    default:
      return false;
  }
}

function commonFields(line: UnknownObject, source: TranscriptSource, state: State) {
  const session = shortId(textOf(line['sessionId']) ?? source.parent ?? source.session);
  const agent = textOf(line['agentId']) ?? (line['isSidechain'] === true ? 'sidechain' : undefined);
  const isSubagent =
    agent !== undefined && (line['isSidechain'] === true || source.parent !== undefined);
  return {
    session_id: isSubagent ? `${session}:${shortId(agent)}` : session,
    emitted_at: state.time,
    ...defined({
      parent_session_id: isSubagent ? session : undefined,
      runtime_version: textOf(line['version']),
      cwd: textOf(line['cwd']),
      branch: textOf(line['gitBranch']),
    }),
  };
}

/** A line without a uuid is named by its own bytes, so that reading it again gives the same event. */
function withIds(events: readonly Event[], text: string): Event[] {
  return events.map((event) => {
    const nameless =
      event.native.counted &&
      (event.native.key === 'assistant:' || event.native.key.startsWith('other:'));
    return nameless
      ? {
          ...event,
          native: { key: `${event.native.key}${sha256Hex(text).slice(0, 32)}`, counted: true },
        }
      : event;
  });
}
