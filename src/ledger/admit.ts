import { codeOf } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { type OpenedRecord, open } from '../record/record.ts';
import type { AdmissionView } from './port.ts';
import { noRule, ruleOf } from './rules.ts';

/** What a record waits for: that its author is admitted, that its date has come, or that what it names is in the ledger. */
export type WaitsFor = 'admission' | 'date' | 'reference';

/**
 * What becomes of one record of the inbox. A record that waits stays where it is, and is seen waiting; `code` is the one by
 * which whoever cannot wait refuses it.
 */
export type Ruling =
  | { readonly kind: 'accept'; readonly record: OpenedRecord }
  | { readonly kind: 'reject'; readonly code: string; readonly id?: string }
  | {
      readonly kind: 'wait';
      readonly for: WaitsFor;
      readonly id: string;
      readonly code: string;
      readonly record: OpenedRecord;
    }
  | { readonly kind: 'decided'; readonly id: string };

/** Refusals of what names a thing that the ledger has not. A list can have hidden the item that holds it: it may yet come. */
const NOT_YET: ReadonlySet<string> = new Set([
  'claim.unknown',
  'episode.unknown',
  'finding.unknown',
  'promotion.unknown',
  'session.unknown',
]);

/** Decides on one received value against the state before it. Total: whatever is received, there is a ruling. */
export function admit(received: unknown, view: AdmissionView, now: number): Ruling {
  let record: OpenedRecord;
  try {
    record = open(received);
  } catch (error) {
    return { kind: 'reject', code: codeOf(error) };
  }
  return admitOpened(record, view, now);
}

/** Decides on a record whose signature was checked. Total. */
export function admitOpened(record: OpenedRecord, view: AdmissionView, now: number): Ruling {
  const { id } = record;
  if (view.isDecided(id)) return { kind: 'decided', id };
  // Without its id, which is a hash that a short text could be guessed from.
  if (view.isErased?.(record)) return { kind: 'reject', code: 'content.erased' };
  const rule = ruleOf(record);
  if (!rule) return { kind: 'reject', code: noRule(record), id };
  const ahead = (rule.latest(record) ?? now) - now;
  if (ahead > LIMIT.future_reject_ms) return { kind: 'reject', code: 'record.future', id };
  const waits = (reason: WaitsFor, code: string): Ruling => ({
    kind: 'wait',
    for: reason,
    id,
    code,
    record,
  });
  if (ahead > LIMIT.future_ms_max) return waits('date', 'record.future');
  const judged = rule.judge(record, view);
  switch (judged.kind) {
    case 'accept':
      return { kind: 'accept', record };
    case 'reject': {
      const { code } = judged;
      const mayCome = NOT_YET.has(code) && -ahead <= LIMIT.reference_wait_ms;
      return mayCome ? waits('reference', code) : { kind: 'reject', code, id };
    }
    case 'wait':
      return waits('admission', 'record.admission');
  }
}
