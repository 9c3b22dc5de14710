import type { Columns, Keyed } from './row.ts';

/** key: the position. What can be erased there: whose it is, and the claim that it is or speaks of. */
export interface ContentRow extends Keyed {
  readonly context: string;
  readonly commitment: string | null;
  readonly principal: string;
  readonly operator: string;
  readonly about: string | null;
}

/** key: the position of a stub. `erasure` is the record that erased what stood there, and `context` what that says it was. */
export interface ErasedRow extends Keyed {
  readonly commitment: string;
  readonly context: string | null;
  readonly erasure: string | null;
}

/** key: an HMAC under the fleet's secret, of content that must not come back. */
export interface TombstoneRow extends Keyed {
  readonly erasure: string;
}

/** key: the address. The key to which the fleet's secret can be sealed for it: 32 raw bytes in base64. */
export interface SealKeyRow extends Keyed {
  readonly seal_key: string;
}

/** The tables of what was erased, and of what can be. */
export interface ErasureTables {
  readonly contents: ContentRow;
  readonly erased: ErasedRow;
  readonly tombstones: TombstoneRow;
  readonly seal_keys: SealKeyRow;
}

/** Their columns. */
export const ERASURE_COLUMNS: { readonly [T in keyof ErasureTables]: Columns<ErasureTables[T]> } = {
  contents: {
    columns: ['context', 'commitment', 'principal', 'operator', 'about'],
    indexed: ['about'],
  },
  erased: { columns: ['commitment', 'context', 'erasure'], indexed: ['erasure'] },
  tombstones: { columns: ['erasure'], indexed: [] },
  seal_keys: { columns: ['seal_key'], indexed: [] },
};
