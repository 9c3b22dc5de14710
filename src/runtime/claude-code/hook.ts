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
import type { Event } from '../envelope.ts';
import type { HookMoment, HookReading } from '../hook.ts';
import { toolFailure, toolInput, toolSuccess } from './tool.ts';

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
type Reading = { readonly moment: HookMoment; readonly body: Body } | undefined;

/** One function an event; undefined where the field that makes the event what it is isn't there. */
const READ: Readonly<Record<string, (payload: UnknownObject) => Reading>> = {
  SessionStart(payload) {
    const source = textOf(payload['source']);
    if (source === undefined) return undefined;
    const body: Body = {
      event_type: 'session_start',
      native: { key: `start:${source}`, counted: true },
      detail: source,
    };
    const model = textOf(payload['model']);
    return { moment: 'start', body: model === undefined ? body : { ...body, usage: { model } } };
  },
  UserPromptSubmit(payload) {
    if (typeof payload['prompt'] !== 'string') return undefined;
    const content = payload['prompt'];
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
    const result = toolSuccess(textOf(payload['tool_name']), payload['tool_response']);
    return toolReading(payload, 'other', {
      ...result,
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
    if (trigger === undefined) return undefined;
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
      ? undefined
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

function toolReading(payload: UnknownObject, moment: HookMoment, result: object): Reading {
  const id = textOf(payload['tool_use_id']);
  const name = textOf(payload['tool_name']);
  if (id === undefined || name === undefined) return undefined;
  const tool = { ...toolInput(name, payload['tool_input']), ...result };
  return {
    moment,
    body: {
      event_type: 'tool_call',
      native: { key: `tool:${id}`, counted: false },
      message_id: id,
      tool,
    },
  };
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
  const reading = Object.hasOwn(READ, eventName) ? READ[eventName]?.(payload) : undefined;
  const body: Body = reading?.body ?? {
    event_type: 'other',
    native: { key: `other:${eventName}`, counted: true },
    detail: eventName,
  };
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
    moment: reading?.moment ?? 'other',
    event,
    recognised: reading !== undefined && parent !== undefined,
    // A subagent's events carry the path of its parent's transcript; its own comes with its stop.
    ...defined({
      transcript: textOf(
        payload[agent === undefined ? 'transcript_path' : 'agent_transcript_path'],
      ),
    }),
    ...(payload['stop_hook_active'] === true ? { repeated: true } : {}),
  };
}
