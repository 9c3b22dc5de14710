import { LIMIT } from '../base/limits.ts';
import { type Instant, toInstant } from '../base/time.ts';

/**
 * The date of a record about what happened at `at`: that moment, so that signing it again gives the same record. A
 * moment so far ahead that the ledger would not take it yet says only that some clock was wrong: then it is `now`.
 */
export function issuedAt(at: number, now: number): Instant {
  return toInstant(at - now > LIMIT.future_ms_max ? now : at);
}
