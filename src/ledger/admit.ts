import { parseCanonical } from '../base/canonical.ts';
import { codeOf } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { type OpenedRecord, open } from '../record/record.ts';
import type { AdmissionView } from './port.ts';
import { noRule, ruleOf } from './rules.ts';

/** What becomes of one record of the inbox. A record that waits stays where it is, and is seen waiting. */
export type Ruling =
  | { readonly kind: 'accept'; readonly record: OpenedRecord }
  | { readonly kind: 'reject'; readonly code: string; readonly id?: string }
  | { readonly kind: 'wait'; readonly for: 'admission' | 'date'; readonly id: string }
  | { readonly kind: 'decided'; readonly id: string };

/** Decides on one line of the inbox, which must be canonical JSON. Total, as {@link admit} is. */
export function admitLine(line: string, view: AdmissionView, now: number): Ruling {
  let received: unknown;
  try {
    received = parseCanonical(line);
  } catch (error) {
    return { kind: 'reject', code: codeOf(error) };
  }
  return admit(received, view, now);
}

/** Decides on one received value against the state before it. Total: whatever is received, there is a ruling. */
export function admit(received: unknown, view: AdmissionView, now: number): Ruling {
  let record: OpenedRecord;
  try {
    record = open(received);
  } catch (error) {
    return { kind: 'reject', code: codeOf(error) };
  }
  const { id } = record;
  if (view.isDecided(id)) return { kind: 'decided', id };
  // Without its id, which is a hash that a short text could be guessed from.
  if (view.isErased?.(record)) return { kind: 'reject', code: 'content.erased' };
  const rule = ruleOf(record);
  if (!rule) return { kind: 'reject', code: noRule(record), id };
  const ahead = (rule.latest(record) ?? now) - now;
  if (ahead > LIMIT.future_reject_ms) return { kind: 'reject', code: 'record.future', id };
  if (ahead > LIMIT.future_ms_max) return { kind: 'wait', for: 'date', id };
  const judged = rule.judge(record, view);
  switch (judged.kind) {
    case 'accept':
      return { kind: 'accept', record };
    case 'reject':
      return { kind: 'reject', code: judged.code, id };
    case 'wait':
      return { kind: 'wait', for: 'admission', id };
  }
}
