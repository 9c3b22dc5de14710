import type { Columns, Keyed } from './row.ts';

/** key: the id of the record that founded the fleet. What the newest bundle of it that was imported said. */
export interface OriginRow extends Keyed {
  readonly fleet_id: string;
  readonly exporter: string;
  readonly n: number;
  readonly size: number;
  readonly root: string;
  readonly committer: string;
}

/**
 * key: `<origin>\n<record id>`. A record of another fleet, held as it was signed. `seq` is its position there, and
 * `principal`, `kind` and `operator` are whom its author's key spoke for there; `subject` is the claim that it is, or is
 * about, or an episode's own id. `taken` is the position from which on it counts here, null while nobody admitted its author.
 */
export interface HeldRow extends Keyed {
  readonly origin: string;
  readonly seq: number;
  readonly record: string;
  readonly context: string;
  readonly subject: string;
  readonly author: string;
  readonly principal: string;
  readonly kind: string;
  readonly operator: string;
  readonly taken: number | null;
  readonly signed: string;
}

/** key: `<position>\n<claim>`. A claim that the import at a position carries, or carries something about: its text stands there. */
export interface CarriedRow extends Keyed {
  readonly claim: string;
}

/** The tables of what other fleets say. */
export interface HeldTables {
  readonly origins: OriginRow;
  readonly held: HeldRow;
  readonly carried: CarriedRow;
}

/** Their columns. */
export const HELD_COLUMNS: { readonly [T in keyof HeldTables]: Columns<HeldTables[T]> } = {
  origins: { columns: ['fleet_id', 'exporter', 'n', 'size', 'root', 'committer'], indexed: [] },
  held: {
    columns: [
      'origin',
      'seq',
      'record',
      'context',
      'subject',
      'author',
      'principal',
      'kind',
      'operator',
      'taken',
      'signed',
    ],
    indexed: ['origin', 'subject', 'author', 'taken'],
  },
  carried: { columns: ['claim'], indexed: ['claim'] },
};
