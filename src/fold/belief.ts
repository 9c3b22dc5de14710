import { canonical } from '../base/canonical.ts';
import { dayOf } from '../base/time.ts';
import type { DecisionBody } from '../record/decision.ts';
import type { ExtractionBody } from '../record/extraction.ts';
import type { FindingBody } from '../record/finding.ts';
import type { MemoryBody } from '../record/memory.ts';
import { NO_TOTALS, type ScoreBody, scorePpm, type Totals } from '../record/score.ts';
import type { SettlementBody } from '../record/settlement.ts';
import type { TrustBody } from '../record/trust.ts';
import { becoming, ruledOn } from './becoming.ts';
import type { DecisionRow, ExtractionRow, FindingRow, TrustRow } from './belief-rows.ts';
import type { Folding } from './folding.ts';
import type { Change, Reader } from './state.ts';

/** What was found, under the claim or session that it is for. */
export function foldFinding({ record, at }: Folding, body: FindingBody): Change[] {
  const base = { key: record.id, at, kind: body.kind, author: body.author };
  const others = body.kind === 'pair' ? body.pairs.map(({ claim_id }) => claim_id) : [];
  return [
    { table: 'findings', row: { ...base, ...foundIn(body) } },
    ...others.map((claim): Change => {
      const key = `${record.id}\n${claim}`;
      return { table: 'pairs', row: { key, at, claim, finding: record.id } };
    }),
  ];
}

function foundIn(body: FindingBody): Omit<FindingRow, 'key' | 'at' | 'kind' | 'author'> {
  const nothing = { record: null, revision: null, searched: null, judge: null };
  switch (body.kind) {
    case 'excerpt': {
      const { claim_id: subject, record_id: record, excerpts } = body;
      return { ...nothing, subject, record, found: canonical(excerpts) };
    }
    case 'exposure': {
      const { session: subject, revision, searched, exposures } = body;
      return { ...nothing, subject, revision, searched, found: canonical(exposures) };
    }
    case 'pair': {
      const { claim_id: subject, searched, judge, pairs } = body;
      const name = `${judge.name}/${judge.version}`;
      return { ...nothing, subject, searched, judge: name, found: canonical(pairs) };
    }
  }
}

/** What the gate settled, as it said it, and what becomes of the claim by it. */
export function foldDecision(
  {
    reader,
    record,
    at,
  }: Pick<Folding, 'reader' | 'at'> & { readonly record: { readonly id: string } },
  body: DecisionBody,
): Change[] {
  const { spec, author, issued_at, claim_id, kind, basis, policy, gate_version, ...rest } = body;
  const { gates, findings, after: _, ...detail } = rest;
  const row = {
    key: record.id,
    at,
    claim: claim_id,
    kind,
    basis,
    policy: policy ?? null,
    gate_version,
    gates: canonical(gates),
    findings: canonical(findings),
    detail: canonical(detail),
    author,
    issued_at,
  };
  const claim = reader.get('claims', claim_id);
  const changes = claim ? becoming(reader, claim, body, at) : [];
  return [{ table: 'decisions', row }, ...changes];
}

/** The newest decision on a claim. */
export function lastDecision(reader: Reader, claim: string): DecisionRow | undefined {
  return reader
    .where('decisions', 'claim', claim)
    .reduce<DecisionRow | undefined>((a, b) => (a && a.at > b.at ? a : b), undefined);
}

/** How a hypothesis came out. */
export function foldScore({ record, at }: Folding, body: ScoreBody): Change[] {
  const { claim_id: key, agent, outcome_id: outcome = null, result, totals, score_ppm } = body;
  const row = { key, at, record: record.id, agent, outcome, result, ...totals, score_ppm };
  return [{ table: 'scores', row }];
}

/** An agent's track record: each score says the totals with it, so the newest says all. */
export function totalsOf(reader: Reader, agent: string): Totals {
  const scores = reader.where('scores', 'agent', agent);
  const last = scores.reduce<Totals & { at: number }>(
    (newest, score) => (score.at > newest.at ? score : newest),
    { ...NO_TOTALS, at: 0 },
  );
  const { correct, incorrect, expired } = last;
  return { correct, incorrect, expired };
}

/**
 * How much an agent's word weighs by its track record, 0.5 to 1.5: 1.5 less its score, so that 1 is what nobody has tried. Source: design
 * page 6, "Calibration".
 */
export function trustOf(reader: Reader, agent: string): number {
  return 1.5 - scorePpm(totalsOf(reader, agent)) / 1_000_000;
}

/** The key under which an extraction is known. */
export function extractionKey(session: string, revision: number, extractor: string): string {
  return JSON.stringify([session, revision, extractor]);
}

/** How far an extractor has come. What was spent adds up: a try that failed was paid for too. */
export function foldExtraction({ reader, at }: Folding, body: ExtractionBody): Change[] {
  const { session, revision, extractor, state, issued_at, author } = body;
  const key = extractionKey(session, revision, extractor);
  const spent = reader.get('extractions', key)?.spend_usd_micros ?? 0;
  const row: ExtractionRow = {
    key,
    at,
    session,
    revision,
    extractor,
    state,
    batch_id: body.batch_id ?? null,
    spend_usd_micros: added(spent, body.spend_usd_micros ?? 0),
    drafts: body.drafts ?? 0,
    dropped: body.dropped ?? 0,
    error: body.error ?? null,
    author,
    issued_at,
  };
  return [{ table: 'extractions', row }, ...foldSpend(reader, body, at)];
}

/** What a day cost, by the date of the records that say so. */
function foldSpend(reader: Reader, body: ExtractionBody, at: number): Change[] {
  const { author, issued_at, spend_usd_micros: more = 0 } = body;
  if (more === 0) return [];
  const day = dayOf(issued_at);
  const key = JSON.stringify([day, author]);
  const before = reader.get('spend', key)?.usd_micros ?? 0;
  return [{ table: 'spend', row: { key, at, day, author, usd_micros: added(before, more) } }];
}

/** A sum that stays a whole number that JSON can hold, whatever somebody signed. */
const added = (before: number, more: number) => Math.min(before + more, Number.MAX_SAFE_INTEGER);

/** A person's ruling, under each claim that it names, and what becomes of them by it. */
export function foldSettlement(
  { reader, record, principal, at }: Folding,
  body: SettlementBody,
): Change[] {
  const { claims, ruling, spans = [], reason, issued_at } = body;
  const said = {
    record: record.id,
    ruling,
    claims: canonical(claims),
    spans: canonical(spans),
    reason,
    principal,
    issued_at,
  };
  const rows = claims.map((claim, place): Change => {
    const row = { key: `${record.id}\n${claim}`, at, claim, place, ...said };
    return { table: 'settlements', row };
  });
  return [...rows, ...ruledOn(reader, body, at)];
}

/** An admin's word on a principal, also where it was named by one of its keys. What it leaves out stays. */
export function foldTrust({ reader, record, at }: Folding, body: TrustBody): Change[] {
  const key = reader.get('principals', body.principal)?.principal ?? body.principal;
  const known: TrustRow | undefined = reader.get('trust', key);
  const since = known?.quarantined ?? null;
  const quarantined = body.status === 'quarantined' ? (since ?? at) : null;
  const row: TrustRow = {
    key,
    at,
    record: record.id,
    weight_ppm: body.weight_ppm ?? known?.weight_ppm ?? null,
    quarantined: body.status === undefined ? since : quarantined,
    reason: body.reason ?? null,
    issued_at: body.issued_at,
  };
  return [{ table: 'trust', row }];
}

/** What somebody keeps. */
export function foldMemory({ record, at }: Folding, body: MemoryBody): Change[] {
  const row = {
    key: record.id,
    at,
    space: body.scope.space,
    segment: body.scope.segment,
    observed_by: body.observed_by,
    session: body.session ?? null,
    content: body.content,
    facts: canonical(body.facts),
    issued_at: body.issued_at,
  };
  return [{ table: 'memories', row }];
}
