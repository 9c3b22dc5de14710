import * as z from 'zod';
import { isInstant } from '../base/time.ts';

const Instant = z
  .string()
  .refine(isInstant, 'an RFC 3339 UTC instant with three fractional digits');
const Count = z.int().nonnegative();

/** What a session event is; one list for every runtime. */
export const EventType = z.enum([
  'session_start',
  'prompt',
  'assistant',
  'tool_call',
  'compact',
  'turn_end',
  'session_end',
  'other',
]);
export type EventType = z.infer<typeof EventType>;

/** One thing that was put in front of a session: the ground on which independence is counted. */
export const Injected = z.strictObject({
  kind: z.enum(['claim', 'handoff', 'digest']),
  id: z.string(),
  /** The session that it comes from. */
  source: z.string(),
  observed_by: z.string(),
});
export type Injected = z.infer<typeof Injected>;

/** A tool call: what was asked, and how it ended as far as that is known. */
export const ToolCall = z.strictObject({
  name: z.string().optional(),
  /** JSON text of the input, redacted. */
  input: z.string().optional(),
  input_hash: z.string().optional(),
  result: z.string().optional(),
  /** Absent where it is not known: an unknown exit code is never taken for success. */
  exit_code: z.int().optional(),
  /** How the runtime says that the call ended; absent while there is no result. */
  outcome: z.enum(['ok', 'error', 'denied', 'interrupted']).optional(),
  duration_ms: Count.optional(),
  paths: z.array(z.string()).optional(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** Tokens and cost, as the runtime reported them. */
export const Usage = z.strictObject({
  /** The provider's id of the response: several lines can report one response's usage. */
  response_id: z.string().optional(),
  model: z.string().optional(),
  input_tokens: Count.optional(),
  output_tokens: Count.optional(),
  cache_read_tokens: Count.optional(),
  cache_write_tokens: Count.optional(),
  cost_usd_micros: Count.optional(),
});
export type Usage = z.infer<typeof Usage>;

/** Whether redaction changed the event, and which rules fired, sorted. */
export const Redaction = z.strictObject({
  status: z.enum(['clean', 'redacted', 'withheld']),
  rules_fired: z.array(z.string()),
});
export type Redaction = z.infer<typeof Redaction>;

/**
 * One captured event of a session, one schema for every runtime. Version 1: fields are added, never
 * reinterpreted. Absent means absent: there are no nulls. Source: docs/formats/envelope.md.
 */
export const Envelope = z.strictObject({
  schema_version: z.literal(1),
  event_id: z.string(),
  emitted_at: Instant,
  fleet_id: z.string(),
  agent_id: z.string(),
  runtime: z.string(),
  runtime_version: z.string().optional(),
  host_id: z.string(),
  session_id: z.string(),
  parent_session_id: z.string().optional(),
  turn_id: z.string().optional(),
  /** What a citation names: the tool-use id of a tool call, the transcript's id of any other message. */
  message_id: z.string().optional(),
  parent_message_id: z.string().optional(),
  repo: z.string().optional(),
  cwd: z.string().optional(),
  git_sha: z.string().optional(),
  branch: z.string().optional(),
  event_type: EventType,
  /** The source of a start, the trigger of a compaction, the reason of an end, the kind of an `other`. */
  detail: z.string().optional(),
  role: z.enum(['user', 'assistant', 'thinking', 'system']).optional(),
  content: z.string().optional(),
  content_hash: z.string().optional(),
  tool: ToolCall.optional(),
  usage: Usage.optional(),
  injected_context: z.array(Injected).optional(),
  redaction: Redaction,
  imported: z.literal(true).optional(),
  reconciled: z.literal(true).optional(),
});
export type Envelope = z.infer<typeof Envelope>;

/**
 * The native identity of an event. `key` names its kind and the runtime's own id; where a runtime gives none
 * (`counted`), the ordinal among the equal keys of the session completes it when a part is cut.
 */
export interface Native {
  readonly key: string;
  readonly counted: boolean;
}

/** What a tool call asked, as far as it tells where its result comes from. */
export interface Asked {
  readonly input: string;
  readonly paths?: readonly string[];
  readonly cwd?: string;
}

/** An event as a runtime file reads it: before the hook or the importer adds who and where, and before redaction. */
export type Event = Omit<
  Envelope,
  | 'schema_version'
  | 'event_id'
  | 'fleet_id'
  | 'agent_id'
  | 'runtime'
  | 'host_id'
  | 'repo'
  | 'content_hash'
  | 'redaction'
  | 'injected_context'
> & {
  readonly native: Native;
  /** Of a result that comes without its call: the call, by which the result is judged. Never written. */
  readonly asked?: Asked | 'unknown';
};
