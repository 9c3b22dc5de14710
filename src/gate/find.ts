import type { Signer } from '../base/ed25519.ts';
import type { SealedEvents } from '../extract/sealed-events.ts';
import { ShingleIndex } from '../extract/shingles.ts';
import type { CitationRow, ClaimRow } from '../fold/knowledge-rows.ts';
import type { Reader } from '../fold/state.ts';
import { JUDGE_VERSION, judge } from '../judge/judge.ts';
import type { FindingBody, PairFound } from '../record/finding.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import { type Exposed, ExposureReader } from './exposure.ts';
import { findExcerpt } from './find-excerpts.ts';
import { findExposures, type Known } from './find-exposures.ts';

/** What looks for what decisions rest on. */
export interface FindParts {
  readonly reader: Reader;
  /** The position that the state shows. */
  readonly position: number;
  /** The instant of every finding. */
  readonly now: string;
  readonly signer: Signer;
  /** The events of a session's sealed revision; undefined for one that is not sealed. */
  readonly sealedEvents: (session: string) => Promise<SealedEvents | undefined>;
  /** The claims that are near another one in words, the nearest first. */
  readonly neighbours: (claim: ClaimRow) => readonly string[];
}

type Kind<K> = Extract<FindingBody, { readonly kind: K }>;
type Told<K> = Omit<Kind<K>, 'spec' | 'author' | 'issued_at' | 'kind'>;

function finding<K extends FindingBody['kind']>(
  kind: K,
  told: Told<K>,
  { signer, now }: FindParts,
): SignedRecord {
  return seal(
    'finding',
    { spec: SPEC, author: signer.address, issued_at: now, kind, ...told },
    signer,
  );
}

const OPEN = ['pending', 'expired', 'accepted', 'contested', 'joined'] as const;

/** True for a claim of the fleet's own space that gates decide about, as far as they still can. */
export function isGated({ space, status, retired }: ClaimRow, fleet: string): boolean {
  return space === fleet && retired === null && OPEN.some((one) => one === status);
}

/** The claims of the fleet that gates decide about, in the order of the ledger. */
export function gatedClaims(reader: Reader): ClaimRow[] {
  const fleet = reader.get('fleet', 'fleet')?.fleet_id ?? '';
  return OPEN.flatMap((status) => reader.where('claims', 'status', status))
    .filter((row) => isGated(row, fleet))
    .sort((a, b) => a.seq - b.seq);
}

/** Looks up what nobody looked up yet of the citations of claims, once their sessions are sealed. */
export async function excerptFindings(
  parts: FindParts,
  claims: readonly ClaimRow[],
): Promise<SignedRecord[]> {
  const records: SignedRecord[] = [];
  const sealedEvents = rereading(parts.sealedEvents);
  for (const { key: claim_id, statement } of claims) {
    const told = new Set(
      parts.reader.where('findings', 'subject', claim_id).map(({ record }) => record),
    );
    for (const [record_id, citations] of byRecord(
      parts.reader.where('citations', 'claim', claim_id),
    )) {
      if (told.has(record_id)) continue;
      const excerpts = [];
      for (const citation of citations) {
        const sealed = await sealedEvents(citation.session);
        if (sealed) excerpts.push(findExcerpt(statement, citation, sealed));
      }
      // Told at once: of a session that is not sealed yet the rest is waited for.
      if (excerpts.length === 0 || excerpts.length < citations.length) continue;
      records.push(finding('excerpt', { claim_id, record_id, excerpts }, parts));
    }
  }
  return records;
}

/** Claims of one session come one after another: it is read once for them. */
function rereading(read: FindParts['sealedEvents']): FindParts['sealedEvents'] {
  let last: { readonly session: string; readonly sealed: ReturnType<typeof read> } | undefined;
  return (session) => {
    if (last?.session !== session) last = { session, sealed: read(session) };
    return last.sealed;
  };
}

function byRecord(citations: readonly CitationRow[]): Map<string, CitationRow[]> {
  const groups = new Map<string, CitationRow[]>();
  for (const row of [...citations].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1))) {
    const known = groups.get(row.record);
    if (known) known.push(row);
    else groups.set(row.record, [row]);
  }
  return groups;
}

/** All that can be repeated nearly word by word. */
function textsOf(reader: Reader): ShingleIndex {
  const index = new ShingleIndex();
  for (const { key: id, statement, asserted_at: since } of reader.where('claims'))
    index.add({ kind: 'claim', id, since }, statement);
  for (const { key: id, summary, next, issued_at: since } of reader.where('handoffs'))
    index.add({ kind: 'handoff', id, since }, [summary, next].join(' '));
  return index;
}

/**
 * Says of the sessions that claims cite, and of those whose notes and digests these had met, what had been before them, as far as
 * nobody said it of their newest revision.
 */
export async function exposureFindings(
  parts: FindParts,
  claims: readonly ClaimRow[],
): Promise<SignedRecord[]> {
  const { reader, position: searched } = parts;
  const before = new ExposureReader(reader);
  const told = new Map<string, readonly Exposed[]>();
  const records: SignedRecord[] = [];
  let texts: ShingleIndex | undefined;
  const look = async (session: string): Promise<readonly Exposed[]> => {
    const row = reader.get('sessions', session);
    const known = told.get(session) ?? before.of(session, row?.revision)?.items;
    if (!row || known) return known ?? [];
    // In case that two sessions call each other their parent.
    told.set(session, []);
    const ofParent = row.parent === null ? [] : await look(row.parent);
    const sealed = await parts.sealedEvents(session);
    if (!sealed) return [];
    texts ??= textsOf(reader);
    const exposures = findExposures(session, sealed.events, knownBy(reader, texts, ofParent));
    told.set(session, exposures);
    const { revision } = sealed;
    records.push(finding('exposure', { session, revision, searched, exposures }, parts));
    return exposures;
  };
  const cited = claims.flatMap(({ key }) => reader.where('citations', 'claim', key));
  const wanted = new Set(cited.map(({ session }) => session));
  // A set that grows while it is walked through: each session once.
  for (const session of wanted)
    for (const { kind, id } of await look(session)) {
      const behind = kind === 'handoff' ? reader.get('handoffs', id)?.session : id;
      if (behind !== undefined && (kind === 'handoff' || kind === 'digest')) wanted.add(behind);
    }
  return records;
}

function knownBy(reader: Reader, texts: ShingleIndex, ofParent: readonly Exposed[]): Known {
  const tables = {
    claim: 'claims',
    handoff: 'handoffs',
    digest: 'sessions',
    memory: 'memories',
    fact: 'claims',
  } as const;
  return {
    has: (kind, id) => reader.get(tables[kind], id) !== undefined,
    repeats: (text) => texts.repeatedIn(text),
    ofParent,
  };
}

/** Judges each candidate beside its neighbours, as far as nobody did since it came. */
export function pairFindings(parts: FindParts, claims: readonly ClaimRow[]): SignedRecord[] {
  const { reader, position: searched } = parts;
  return claims.flatMap((claim) => {
    const { key: claim_id, seq, status } = claim;
    const isOpen = status === 'pending' || status === 'expired';
    const isSearched = reader
      .where('findings', 'subject', claim_id)
      .some(
        (row) =>
          row.kind === 'pair' &&
          (row.searched ?? 0) >= seq &&
          row.judge === `${JUDGE.name}/${JUDGE.version}`,
      );
    if (!isOpen || isSearched) return [];
    const pairs = parts.neighbours(claim).flatMap((id): PairFound[] => {
      const other = id === claim_id ? undefined : reader.get('claims', id);
      if (!other || other.space !== claim.space) return [];
      // The rules answer the same both ways round; a model may not.
      const { verdict } = judge(statementOf(claim), statementOf(other));
      return [{ claim_id: id, answer: verdict, reverse: verdict }];
    });
    return [finding('pair', { claim_id, searched, judge: JUDGE, pairs }, parts)];
  });
}

const JUDGE = { name: 'rules', version: JUDGE_VERSION };

function statementOf({ statement, fact, claim_type }: ClaimRow): Parameters<typeof judge>[0] {
  const said = { text: statement, isOutcome: claim_type === 'outcome' };
  return fact === null ? said : { ...said, fact: JSON.parse(fact) };
}
