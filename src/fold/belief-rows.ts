import type { Columns, Keyed } from './row.ts';

/** key: the record id. What was found for `subject`, a claim or a session; `found` is JSON. The newest of a kind and subject holds. */
export interface FindingRow extends Keyed {
  readonly kind: string;
  readonly subject: string;
  /** The record whose citations were looked up; null for findings of other kinds. */
  readonly record: string | null;
  readonly revision: number | null;
  readonly searched: number | null;
  readonly judge: string | null;
  readonly found: string;
  readonly author: string;
}

/** key: `<finding>\n<claim>`. A claim that a finding of pairs judged beside its own. */
export interface PairRow extends Keyed {
  readonly claim: string;
  readonly finding: string;
}

/** key: the record id. `gates`, `findings` and `detail`, which is what only this kind says, are JSON. */
export interface DecisionRow extends Keyed {
  readonly claim: string;
  readonly kind: string;
  readonly basis: number;
  readonly policy: string | null;
  readonly gate_version: string;
  readonly gates: string;
  readonly findings: string;
  readonly detail: string;
  readonly author: string;
  readonly issued_at: string;
}

/** key: the hypothesis. The totals are its agent's with it. */
export interface ScoreRow extends Keyed {
  readonly record: string;
  readonly agent: string;
  readonly outcome: string | null;
  readonly result: string;
  readonly correct: number;
  readonly incorrect: number;
  readonly expired: number;
  readonly score_ppm: number;
}

/** key: `[session, revision, extractor]` as JSON. How far it has come, as of `issued_at`. */
export interface ExtractionRow extends Keyed {
  readonly session: string;
  readonly revision: number;
  readonly extractor: string;
  readonly state: string;
  readonly batch_id: string | null;
  readonly spend_usd_micros: number;
  readonly drafts: number;
  readonly dropped: number;
  readonly error: string | null;
  readonly author: string;
  readonly issued_at: string;
}

/** key: a UTC day and the address of who spent, as JSON: what all extractions of theirs cost that day. */
export interface SpendRow extends Keyed {
  readonly day: string;
  readonly author: string;
  readonly usd_micros: number;
}

/** key: `<record id>\n<claim>`. `place` is 0 for the claim that the ruling is about; `claims` and `spans` are JSON. */
export interface SettlementRow extends Keyed {
  readonly record: string;
  readonly claim: string;
  readonly place: number;
  readonly ruling: string;
  readonly claims: string;
  readonly spans: string;
  readonly reason: string;
  readonly principal: string;
  readonly issued_at: string;
}

/** key: a principal's name. `quarantined` is the position since which it is, or null; a weight that nobody gave is null. */
export interface TrustRow extends Keyed {
  readonly record: string;
  readonly weight_ppm: number | null;
  readonly quarantined: number | null;
  readonly reason: string | null;
  readonly issued_at: string;
}

/** key: the record id. `facts` is JSON. */
export interface MemoryRow extends Keyed {
  readonly space: string;
  readonly segment: string | null;
  readonly observed_by: string;
  readonly session: string | null;
  readonly content: string;
  readonly facts: string;
  readonly issued_at: string;
}

/** The tables of what was found, decided, settled and kept. */
export interface BeliefTables {
  readonly findings: FindingRow;
  readonly pairs: PairRow;
  readonly decisions: DecisionRow;
  readonly scores: ScoreRow;
  readonly extractions: ExtractionRow;
  readonly spend: SpendRow;
  readonly settlements: SettlementRow;
  readonly trust: TrustRow;
  readonly memories: MemoryRow;
}

/** Their columns. */
export const BELIEF_COLUMNS: { readonly [T in keyof BeliefTables]: Columns<BeliefTables[T]> } = {
  findings: {
    columns: ['kind', 'subject', 'record', 'revision', 'searched', 'judge', 'found', 'author'],
    indexed: ['subject'],
  },
  pairs: { columns: ['claim', 'finding'], indexed: ['claim'] },
  decisions: {
    columns: [
      'claim',
      'kind',
      'basis',
      'policy',
      'gate_version',
      'gates',
      'findings',
      'detail',
      'author',
      'issued_at',
    ],
    indexed: ['claim'],
  },
  scores: {
    columns: [
      'record',
      'agent',
      'outcome',
      'result',
      'correct',
      'incorrect',
      'expired',
      'score_ppm',
    ],
    indexed: ['agent'],
  },
  extractions: {
    columns: [
      'session',
      'revision',
      'extractor',
      'state',
      'batch_id',
      'spend_usd_micros',
      'drafts',
      'dropped',
      'error',
      'author',
      'issued_at',
    ],
    indexed: ['session', 'state'],
  },
  spend: { columns: ['day', 'author', 'usd_micros'], indexed: ['day'] },
  settlements: {
    columns: [
      'record',
      'claim',
      'place',
      'ruling',
      'claims',
      'spans',
      'reason',
      'principal',
      'issued_at',
    ],
    indexed: ['claim'],
  },
  trust: {
    columns: ['record', 'weight_ppm', 'quarantined', 'reason', 'issued_at'],
    indexed: [],
  },
  memories: {
    columns: ['space', 'segment', 'observed_by', 'session', 'content', 'facts', 'issued_at'],
    indexed: ['observed_by', 'segment'],
  },
};
