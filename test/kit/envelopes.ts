import fc from 'fast-check';
import type { Envelope } from '../../src/runtime/envelope.ts';

/** Any well-formed text: empty, ASCII, NUL, astral characters, the replacement character itself. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', '\0', '\uFFFD', '🦊 naïve 語', 'plain', '{"a":1}'),
);

const anyInstant = fc
  .date({
    min: new Date('0000-01-01T00:00:00.000Z'),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  .map((date) => date.toISOString());
const anyCount = fc.maxSafeNat();
const anyTexts = fc.array(anyText, { maxLength: 4 });
const plain = { noNullPrototype: true };

const anyTool = fc.record(
  {
    name: anyText,
    input: anyText,
    input_hash: anyText,
    result: anyText,
    exit_code: fc.maxSafeInteger(),
    outcome: fc.constantFrom('ok', 'error', 'denied', 'interrupted'),
    duration_ms: anyCount,
    paths: anyTexts,
  },
  { ...plain, requiredKeys: [] },
);

const anyUsage = fc.record(
  {
    response_id: anyText,
    model: anyText,
    input_tokens: anyCount,
    output_tokens: anyCount,
    cache_read_tokens: anyCount,
    cache_write_tokens: anyCount,
    cost_usd_micros: anyCount,
  },
  { ...plain, requiredKeys: [] },
);

const anyInjected = fc.record(
  {
    kind: fc.constantFrom('claim', 'handoff', 'digest'),
    id: anyText,
    source: anyText,
    observed_by: anyText,
  },
  plain,
);

const anyRedaction = fc.record(
  { status: fc.constantFrom('clean', 'redacted', 'withheld'), rules_fired: anyTexts },
  plain,
);

const FIELDS = {
  schema_version: fc.constant(1 as const),
  event_id: anyText,
  emitted_at: anyInstant,
  fleet_id: anyText,
  agent_id: anyText,
  runtime: anyText,
  runtime_version: anyText,
  host_id: anyText,
  session_id: anyText,
  parent_session_id: anyText,
  turn_id: anyText,
  message_id: anyText,
  parent_message_id: anyText,
  repo: anyText,
  cwd: anyText,
  git_sha: anyText,
  branch: anyText,
  event_type: fc.constantFrom(
    ...(['session_start', 'prompt', 'assistant', 'tool_call', 'compact'] as const),
    ...(['turn_end', 'session_end', 'other'] as const),
  ),
  detail: anyText,
  role: fc.constantFrom(...(['user', 'assistant', 'thinking', 'system'] as const)),
  content: anyText,
  content_hash: anyText,
  tool: anyTool,
  usage: anyUsage,
  injected_context: fc.array(anyInjected, { maxLength: 3 }),
  redaction: anyRedaction,
  imported: fc.constant(true as const),
  reconciled: fc.constant(true as const),
};

/** Any envelope that the schema allows, each optional field there or not. */
export const anyEnvelope: fc.Arbitrary<Envelope> = fc.record(FIELDS, {
  ...plain,
  requiredKeys: [
    'schema_version',
    'event_id',
    'emitted_at',
    'fleet_id',
    'agent_id',
    'runtime',
    'host_id',
    'session_id',
    'event_type',
    'redaction',
  ],
}) as fc.Arbitrary<Envelope>;

/** A plain envelope with what a test cares for. */
export function envelope(fields: Partial<Envelope> = {}): Envelope {
  return {
    schema_version: 1,
    event_id: '0'.repeat(32),
    emitted_at: '2026-01-02T03:04:05.678Z',
    fleet_id: 'fleet',
    agent_id: 'cc-01',
    runtime: 'claude-code',
    host_id: '0123456789abcdef',
    session_id: 'session',
    event_type: 'prompt',
    redaction: { status: 'clean', rules_fired: [] },
    ...fields,
  };
}
