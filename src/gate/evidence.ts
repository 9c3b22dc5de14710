import type { FindingRow } from '../fold/belief-rows.ts';
import type { CitationRow, ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import type { ExcerptFound } from '../record/finding.ts';

/** A message that was found where a citation says that it is. */
export interface Episode {
  readonly id: string;
  /** Where it stands in its session, counted from 0. */
  readonly position: number;
  /** When it was observed, as cited. */
  readonly observedAt: string;
  /** What tells its source: the hash of the excerpt, and the artifact at a revision that it was read from. */
  readonly sources: readonly string[];
}

/** What one agent saw in one session of a claim: its position on it. */
export interface Support {
  readonly session: string;
  readonly observedBy: string;
  /** The record that says so, the newest of this agent and session, and its position in the ledger. */
  readonly record: string;
  readonly at: number;
  readonly verdict: 'corroborate' | 'contradict';
  /** Those that resolve. */
  readonly episodes: readonly Episode[];
  /** How many of its citations were looked up and are not so. */
  readonly wrong: number;
  /** How many nobody has looked up yet. */
  readonly unread: number;
}

/** All that stands for a claim and against it, over all that say the same. */
export interface Evidence {
  readonly claims: readonly ClaimRow[];
  readonly supports: readonly Support[];
  /** The findings that this rests on, by record id. */
  readonly findings: readonly string[];
}

/** Sessions that are records of their own: what a person accepted from a file, and what somebody keeps. */
const STORED = /^(file|memory):/;

/** The claims whose standing is one: a claim, and those that were joined into it, in the order of the ledger. */
function sayingTheSame(reader: Reader, claim: ClaimRow): ClaimRow[] {
  const joined = reader
    .where('claims', 'joined_into', claim.key)
    .filter(({ retired }) => retired === null);
  return [claim, ...joined].sort((a, b) => a.seq - b.seq);
}

/** The newest findings of the excerpts of a claim, by the record that cites them. */
function excerptsOf(reader: Reader, claim: string): Map<string, FindingRow> {
  const newest = new Map<string, FindingRow>();
  for (const row of reader.where('findings', 'subject', claim)) {
    if (row.kind !== 'excerpt' || row.record === null) continue;
    const known = newest.get(row.record);
    if (!known || known.at < row.at) newest.set(row.record, row);
  }
  return newest;
}

/** Reads what stands for a claim and against it. A position belongs to an agent in a session: the newest one counts. */
export function evidenceOf(reader: Reader, claim: ClaimRow): Evidence {
  const claims = sayingTheSame(reader, claim);
  const supports: Support[] = [];
  const used = new Set<string>();
  for (const { key } of claims) {
    const findings = excerptsOf(reader, key);
    for (const citations of standing(reader.where('citations', 'claim', key))) {
      const [first] = citations;
      const finding = findings.get(first.record);
      if (finding) used.add(finding.key);
      supports.push(supportOf(reader, citations, finding));
    }
  }
  const bySession = supports.sort((a, b) => a.at - b.at || (a.session < b.session ? -1 : 1));
  return { claims, supports: bySession, findings: [...used].sort() };
}

type Cited = readonly [CitationRow, ...CitationRow[]];

/** The citations of each agent in each session, as its newest record has them. */
function standing(citations: readonly CitationRow[]): Cited[] {
  const newest = new Map<string, [CitationRow, ...CitationRow[]]>();
  for (const row of citations) {
    const key = JSON.stringify([row.observed_by, row.session]);
    const known = newest.get(key);
    if (!known || known[0].at < row.at) newest.set(key, [row]);
    else if (known[0].record === row.record) known.push(row);
  }
  return [...newest.values()];
}

function supportOf(reader: Reader, citations: Cited, finding: FindingRow | undefined): Support {
  const [{ session, observed_by, record, at, verdict }] = citations;
  const found = finding ? (JSON.parse(finding.found) as ExcerptFound[]) : [];
  const episodes: Episode[] = [];
  let [wrong, unread] = [0, 0];
  for (const citation of citations) {
    const one = isStored(reader, citation)
      ? storedEpisode(citation)
      : found.find(({ episode }) => episode === citation.episode);
    if (!one) unread += 1;
    else if (one.state === 'resolved') episodes.push(episodeOf(citation, one));
    else wrong += 1;
  }
  const said = verdict as Support['verdict'];
  return { session, observedBy: observed_by, record, at, verdict: said, episodes, wrong, unread };
}

/** True for what a person accepted from a file: no agent's session, so that nothing was put before it. */
export function isAcceptance({
  session,
  observedBy,
}: Pick<Support, 'session' | 'observedBy'>): boolean {
  return observedBy === 'human' && session.startsWith('file:');
}

/** True for a citation of what is kept in the ledger itself, by whoever kept it: a person's file, an agent's own memory. */
function isStored(reader: Reader, { session, observed_by }: CitationRow): boolean {
  const [, kind] = STORED.exec(session) ?? [];
  if (kind === 'file') return observed_by === 'human';
  return kind === 'memory' && reader.get('memories', session.slice(7))?.observed_by === observed_by;
}

type Found = Pick<ExcerptFound, 'state' | 'position' | 'artifact'>;
const storedEpisode = (_: CitationRow): Found => ({ state: 'resolved', position: 0 });

function episodeOf(citation: CitationRow, { position = 0, artifact }: Found): Episode {
  const { episode: id, excerpt_hash, observed_at: observedAt } = citation;
  const sources = artifact
    ? [excerpt_hash, JSON.stringify([artifact.uri, artifact.revision])]
    : [excerpt_hash];
  return { id, position, observedAt, sources };
}
