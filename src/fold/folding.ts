import type { OpenedRecord } from '../record/record.ts';
import type { Reader } from './state.ts';

/** What a record is folded with: who said it, as a principal, and where it stands. */
export interface Folding {
  readonly reader: Reader;
  readonly record: OpenedRecord;
  readonly principal: string;
  readonly at: number;
  /** It was held until its author was admitted here: whatever the policy, somebody of this fleet has to say that it is promoted. */
  readonly wasHeld?: true;
}
