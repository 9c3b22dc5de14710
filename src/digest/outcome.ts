import type { Digest } from '../record/digest.ts';
import type { Envelope } from '../runtime/envelope.ts';

/** A tool call that ended badly. One that a person refused or interrupted did not fail, and one without a result is not known. */
export function failed(event: Envelope): boolean {
  const { outcome, exit_code } = event.tool ?? {};
  return outcome === 'error' || (exit_code !== undefined && exit_code !== 0);
}

/** How many tool calls at the session's end failed in a row. */
export function trailingFailures(events: readonly Envelope[]): number {
  const calls = events.filter((event) => event.event_type === 'tool_call');
  const lastGood = calls.findLastIndex((call) => !failed(call));
  return calls.length - 1 - lastGood;
}

/**
 * abandoned: the last prompt has no answer, or the last three tool calls failed. error: the last tool call
 * failed, or the last reply is an error of the runtime. Else clean. A missing end event decides nothing.
 */
export function outcomeOf(events: readonly Envelope[]): Digest['outcome'] {
  const lastPrompt = events.findLastIndex((event) => event.event_type === 'prompt');
  const answered = events
    .slice(lastPrompt + 1)
    .some(
      ({ event_type }) =>
        event_type === 'assistant' || event_type === 'tool_call' || event_type === 'turn_end',
    );
  const trailing = trailingFailures(events);
  if ((lastPrompt >= 0 && !answered) || trailing >= 3) return 'abandoned';
  const lastReply = events.findLast((event) => event.event_type === 'assistant');
  return trailing > 0 || lastReply?.detail === 'api_error' ? 'error' : 'clean';
}
