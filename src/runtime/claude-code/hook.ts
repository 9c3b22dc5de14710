import { shortId } from '../../base/short-id.ts';
import type { Instant } from '../../base/time.ts';
import {
  countOf,
  defined,
  jsonOf,
  objectOf,
  textOf,
  type UnknownObject,
} from '../../base/unknown.ts';
import type { Event, ToolCall } from '../envelope.ts';
import type { HookMoment, HookReading } from '../hook.ts';
import { contentText, toolFailure, toolInput, toolSuccess } from './tool.ts';

/** The hook events that are installed, in the order in which a session meets them. */
export const HOOK_EVENTS = [
  'SessionStart',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PreCompact',
  'Stop',
  'SubagentStop',
  'SessionEnd',
] as const;

type Body = Pick<Event, 'event_type' | 'native'> & Partial<Event>;
/** Without a moment the field that makes the event what it is isn't there: the rest of it is kept. */
type Reading =
  | { readonly moment: HookMoment; readonly body: Body }
  | { readonly moment?: undefined; readonly body: Partial<Event> };

/** One function an event. */
const READ: Readonly<Record<string, (payload: UnknownObject) => Reading>> = {
  SessionStart(payload) {
    const source = textOf(payload['source']);
    if (source === undefined) return { body: {} };
    const body: Body = {
      event_type: 'session_start',
      native: { key: `start:${source}`, counted: true },
      detail: source,
    };
    const model = textOf(payload['model']);
    return { moment: 'start', body: model === undefined ? body : { ...body, usage: { model } } };
  },
  UserPromptSubmit(payload) {
    const content = payload['prompt'];
    if (typeof content !== 'string') return { body: said(contentText(content)) };
    return {
      moment: 'prompt',
      body: {
        event_type: 'prompt',
        native: { key: 'prompt', counted: true },
        role: 'user',
        content,
      },
    };
  },
  PreToolUse: (payload) => toolReading(payload, 'before_tool', {}),
  PostToolUse(payload) {
    // Without a response the payload broke off before it: then how the call ended is not known.
    const isAnswered = 'tool_response' in payload;
    const name = textOf(payload['tool_name']);
    return toolReading(payload, 'other', {
      ...(isAnswered ? toolSuccess(name, payload['tool_response']) : {}),
      ...defined({ duration_ms: countOf(payload['duration_ms']) }),
    });
  },
  PostToolUseFailure(payload) {
    const error =
      textOf(payload['error']) ??
      textOf(payload['error_message']) ??
      jsonOf(payload['error'] ?? 'failed') ??
      'failed';
    return toolReading(payload, 'other', toolFailure(error, payload['is_interrupt'] === true));
  },
  PreCompact(payload) {
    const trigger = textOf(payload['trigger']);
    if (trigger === undefined) return { body: {} };
    return {
      moment: 'other',
      body: {
        event_type: 'compact',
        native: { key: `compact:${trigger}`, counted: true },
        detail: trigger,
      },
    };
  },
  Stop: (payload) => turnEnd(payload),
  SubagentStop: (payload) =>
    textOf(payload['agent_id']) === undefined
      ? { body: said(textOf(payload['last_assistant_message'])) }
      : { ...turnEnd(payload), moment: 'other' },
  SessionEnd(payload) {
    const reason = textOf(payload['reason']) ?? 'other';
    return {
      moment: 'end',
      body: {
        event_type: 'session_end',
        native: { key: `end:${reason}`, counted: true },
        detail: reason,
      },
    };
  },
};

function said(content: string | undefined): Partial<Event> {
  return content === undefined ? {} : { content };
}

function toolReading(payload: UnknownObject, moment: HookMoment, result: ToolCall): Reading {
  const id = textOf(payload['tool_use_id']);
  const tool = { ...toolInput(payload['tool_name'], payload['tool_input']), ...result };
  const body: Partial<Event> = {
    ...defined({ message_id: id, tool: Object.keys(tool).length > 0 ? tool : undefined }),
    // What it asked can't be read, so that nobody knows what its result may be.
    ...(tool.input === undefined && tool.result !== undefined ? { asked: 'unknown' } : {}),
  };
  if (id === undefined || tool.name === undefined) return { body };
  const native = { key: `tool:${id}`, counted: false };
  return { moment, body: { event_type: 'tool_call', native, ...body } };
}

function turnEnd(payload: UnknownObject): { readonly moment: HookMoment; readonly body: Body } {
  const content = textOf(payload['last_assistant_message']);
  const body: Body = { event_type: 'turn_end', native: { key: 'turn_end', counted: true } };
  return {
    moment: 'turn_end',
    body: content === undefined ? body : { ...body, role: 'assistant', content },
  };
}

/**
 * A Claude Code hook payload → one event. Total: what does not fit becomes an `other` event that holds what
 * could be read. Subagents share their parent's session id and are told apart by `agent_id`.
 */
export function readHook(eventName: string, received: unknown, now: Instant): HookReading {
  const payload = objectOf(received);
  const parent = textOf(payload['session_id']);
  const known = Object.hasOwn(READ, eventName) ? READ[eventName] : undefined;
  const reading: Reading = known?.(payload) ?? { body: {} };
  const body: Body =
    reading.moment === undefined
      ? {
          event_type: 'other',
          native: { key: `other:${eventName}`, counted: true },
          detail: eventName,
          ...reading.body,
        }
      : reading.body;
  const agent = textOf(payload['agent_id']);
  const session = shortId(parent ?? 'unknown');
  const event: Event = {
    ...body,
    ...defined({
      emitted_at: now,
      session_id: agent === undefined ? session : `${session}:${shortId(agent)}`,
      parent_session_id: agent === undefined ? undefined : session,
      turn_id: textOf(payload['prompt_id']),
      cwd: textOf(payload['cwd']),
    }),
  };
  return {
    moment: reading.moment ?? 'other',
    event,
    recognised: reading.moment !== undefined && parent !== undefined,
    // A subagent's events carry the path of its parent's transcript; its own comes with its stop.
    ...defined({
      transcript: textOf(
        payload[agent === undefined ? 'transcript_path' : 'agent_transcript_path'],
      ),
    }),
    ...(payload['stop_hook_active'] === true ? { repeated: true } : {}),
  };
}
