import { BELIEF_COLUMNS, type BeliefTables } from './belief-rows.ts';
import { ERASURE_COLUMNS, type ErasureTables } from './erasure-rows.ts';
import { HELD_COLUMNS, type HeldTables } from './held-rows.ts';
import { KNOWLEDGE_COLUMNS, type KnowledgeTables } from './knowledge-rows.ts';
import type { Cell, Columns, Keyed } from './row.ts';

/** key: `fleet`. The founding record. */
export interface FleetRow extends Keyed {
  readonly fleet_id: string;
  readonly admission: string;
  readonly record: string;
}

/**
 * key: the address. `roles` is sorted and joined by a space; `admitted` is the position of the first admission and
 * `since` the instant that it claims; `revoked` is the position of the revocation that stands, or null.
 */
export interface PrincipalRow extends Keyed {
  readonly principal: string;
  readonly kind: string;
  readonly operator: string;
  readonly roles: string;
  readonly admitted: number;
  readonly since: string;
  readonly revoked: number | null;
}

/** key: a record id, or `<inbox item>#<line>`. `code` is null where the record was accepted. */
export interface DecidedRow extends Keyed {
  readonly context: string;
  readonly code: string | null;
}

/** key: the session id. The newest sealed revision; `parts` and `digest` are JSON. `repo` is where it lives now, `captured_repo` as captured. */
export interface SessionRow extends Keyed {
  readonly record: string;
  readonly revision: number;
  readonly parent: string | null;
  readonly agent: string;
  readonly runtime: string;
  readonly host: string;
  readonly captured_repo: string | null;
  readonly repo: string | null;
  readonly cwd: string | null;
  readonly first_at: string;
  readonly last_at: string;
  readonly parts: string;
  readonly digest: string;
  readonly imported: number;
}

/** key: `<session>\n<kind>\n<id>`. One thing that a sealed session had before it. */
export interface LineageRow extends Keyed {
  readonly session: string;
  readonly kind: string;
  readonly id: string;
  readonly source: string;
  readonly observed_by: string;
}

/** key: the record id. `taken_by` is the first sealed session that had it before it and did work. */
export interface HandoffRow extends Keyed {
  readonly session: string;
  readonly agent: string;
  readonly runtime: string;
  readonly host: string;
  readonly captured_repo: string | null;
  readonly repo: string | null;
  readonly status: string;
  readonly summary: string;
  readonly next: string | null;
  readonly issued_at: string;
  readonly taken_by: string | null;
}

/** key: the record id. */
export interface RepoMapRow extends Keyed {
  readonly pattern: string;
  readonly remote: string;
  readonly host: string | null;
}

/** key: the position. An entry that this version cannot use: kept, counted, named. */
export interface UnusableRow extends Keyed {
  readonly context: string;
  readonly code: string;
}

/** Every table of the state, by name. */
export interface Tables extends KnowledgeTables, BeliefTables, ErasureTables, HeldTables {
  readonly fleet: FleetRow;
  readonly principals: PrincipalRow;
  readonly decided: DecidedRow;
  readonly sessions: SessionRow;
  readonly lineage: LineageRow;
  readonly handoffs: HandoffRow;
  readonly repo_maps: RepoMapRow;
  readonly unusable: UnusableRow;
}
/** The name of a table. */
export type TableName = keyof Tables;

/** The columns of each table beside `key` and `at`, and those of them that the fold looks rows up by. */
export const COLUMNS: {
  readonly [T in TableName]: Columns<Tables[T]>;
} = {
  fleet: { columns: ['fleet_id', 'admission', 'record'], indexed: [] },
  principals: {
    columns: ['principal', 'kind', 'operator', 'roles', 'admitted', 'since', 'revoked'],
    indexed: ['principal'],
  },
  decided: { columns: ['context', 'code'], indexed: [] },
  sessions: {
    columns: [
      'record',
      'revision',
      'parent',
      'agent',
      'runtime',
      'host',
      'captured_repo',
      'repo',
      'cwd',
      'first_at',
      'last_at',
      'parts',
      'digest',
      'imported',
    ],
    indexed: ['captured_repo', 'parent', 'last_at'],
  },
  lineage: {
    columns: ['session', 'kind', 'id', 'source', 'observed_by'],
    indexed: ['session', 'id'],
  },
  handoffs: {
    columns: [
      'session',
      'agent',
      'runtime',
      'host',
      'captured_repo',
      'repo',
      'status',
      'summary',
      'next',
      'issued_at',
      'taken_by',
    ],
    indexed: ['session', 'repo', 'captured_repo'],
  },
  repo_maps: { columns: ['pattern', 'remote', 'host'], indexed: [] },
  unusable: { columns: ['context', 'code'], indexed: [] },
  ...KNOWLEDGE_COLUMNS,
  ...BELIEF_COLUMNS,
  ...ERASURE_COLUMNS,
  ...HELD_COLUMNS,
};

/** One row written: the whole row, so that applying it twice is applying it once. Rows are never deleted. */
export type Change = {
  readonly [T in TableName]: { readonly table: T; readonly row: Tables[T] };
}[TableName];

/** The small synchronous view of the state that the fold decides from. */
export interface Reader {
  get<T extends TableName>(table: T, key: string): Tables[T] | undefined;
  /** Rows whose indexed column has the value, in the order of their keys; all rows where no column is named. */
  where<T extends TableName>(
    table: T,
    column?: keyof Tables[T] & string,
    value?: Cell,
  ): Tables[T][];
}
