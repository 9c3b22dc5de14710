import { listOf, objectOf } from '../base/unknown.ts';
import type { Asked, Event } from '../runtime/envelope.ts';
import { factsOf } from './redact/facts.ts';
import { withholdText } from './redact/text.ts';
import type { Redacted } from './redact/tool-json.ts';
import { redactResult } from './redact/tool-result.ts';
import { type RedactionPolicy, redactEvent } from './redact.ts';

/** A result as its call says that it is to be redacted; withheld where nobody knows what the call asked. */
export function redactApart(
  result: string,
  asked: Asked | 'unknown',
  policy: RedactionPolicy,
): Redacted {
  if (asked === 'unknown') return withholdText(result, 'unknown-call', policy);
  const inside = { ...policy, cwd: asked.cwd };
  return redactResult(result, factsOf(asked.input, asked.paths ?? [], inside), inside);
}

/**
 * The state of a transcript's reader as it may be saved: what its open calls asked is redacted, as all is that is
 * written. What they touched can be told all the same.
 */
export function withoutSecrets(
  state: unknown,
  circumstance: (event: Event) => { readonly policy: RedactionPolicy },
): unknown {
  const fields = objectOf(state);
  const open = listOf(fields['open']).map((pair) => {
    const [key, asked] = pair as [string, Asked];
    const { cwd, ...tool } = asked;
    const call: Event = {
      event_type: 'tool_call',
      native: { key, counted: false },
      emitted_at: '',
      session_id: '',
      tool: { input: tool.input, ...(tool.paths && { paths: [...tool.paths] }) },
      ...(cwd === undefined ? {} : { cwd }),
    };
    const { event } = redactEvent(call, circumstance(call).policy);
    return [key, { ...event.tool, ...(cwd === undefined ? {} : { cwd }) }];
  });
  return { ...fields, open };
}
