import { READING_MODE } from '../base/mode.ts';
import type { BriefLine, TriggerLine } from '../capture/brief-file.ts';
import { type ClaimView, horizonOf, listClaims } from '../query/claims.ts';
import { type Reach, reachOf, recentRefs, type Whom } from '../query/claims-for.ts';
import { keywordRelevance } from '../query/retriever.ts';
import { meta, readerOf } from '../snapshot/database.ts';
import { repoOfSegment } from '../snapshot/document.ts';
import type { Sql } from '../snapshot/port.ts';
import { type BriefedClaim, LIMIT_DEFAULT, rankByTrust, ranked } from './knowledge.ts';
import { claimLine } from './lines.ts';

/** A prompt can call up more claims than a briefing shows. */
const TRIGGERS_MAX = 48;
const TERMS_MAX = 6;
const TERM_LENGTH_MIN = 4;
/** In how many claims a word may stand that still tells one from another. */
const RARE_IN_MAX = 2;

/** The claims of a briefing: its lines, and those that a prompt can call up. */
export interface ClaimLines {
  readonly lines: readonly BriefLine[];
  readonly triggers: readonly TriggerLine[];
}

interface Reached {
  readonly claim: ClaimView;
  readonly reach: Reach;
}

const WALK: readonly Reach[] = ['own', 'agent', 'repo', 'fleet'];

function reaching(claims: readonly ClaimView[], whom: Whom): Map<string, Reached> {
  const reached = claims.flatMap((claim) => {
    const reach = reachOf(claim, whom);
    return reach ? [[claim.id, { claim, reach }] as const] : [];
  });
  return new Map(reached);
}

/** A word as a prompt has it once it is split, in small letters. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);
  return words.map((word) => word.replace(/^[._-]+|[._-]+$/g, ''));
}

/** True for what looks like a name of something: a file, a flag, an identifier, a port. */
const isName = (word: string) => /[._-]|\d/.test(word);

/** What of a claim a prompt would have to say for it to be meant: what it is about, and the names in it. */
function namesIn({ subject, statement }: ClaimView): string[] {
  const names = [...subject.flatMap(wordsOf), ...wordsOf(statement).filter(isName)];
  return [...new Set(names)].filter((name) => name.length >= TERM_LENGTH_MIN);
}

/** For each claim those of its names that few others have. */
function rareTerms(claims: readonly ClaimView[]): (claim: ClaimView) => string[] {
  const names = new Map(claims.map((claim) => [claim.id, namesIn(claim)]));
  const counts = new Map<string, number>();
  for (const name of [...names.values()].flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return ({ id }) =>
    (names.get(id) ?? [])
      .filter((name) => (counts.get(name) ?? 0) <= RARE_IN_MAX)
      .slice(0, TERMS_MAX);
}

function linesOf(
  snapshot: Sql,
  items: readonly BriefedClaim[],
  reached: ReadonlyMap<string, Reached>,
): { readonly line: BriefLine; readonly from: Reached }[] {
  return items.flatMap(({ claim_id, verify_first }) => {
    const from = reached.get(claim_id);
    return from ? [{ line: claimLine(snapshot, from, verify_first), from }] : [];
  });
}

/** The claims that a snapshot lets agents read, read once for all of its briefings. */
export interface OpenClaims {
  /** The repos that claims are narrowed to. */
  readonly repos: readonly string[];
  /** What an agent is told where it asks nothing: the best by trust, and of those its own first, then the repo's, then the fleet's. */
  readonly linesFor: (whom: Whom) => ClaimLines;
  /** The claims that fit a task best, in their order: by full text alone, and none that shares no word with it. */
  readonly forTask: (whom: Whom, task: string) => ClaimLines;
}

/** Undefined where the snapshot is of a mode in which agents read none. */
export function openClaims(snapshot: Sql, now: number): OpenClaims | undefined {
  if (meta(snapshot, 'mode') !== READING_MODE) return undefined;
  const reader = readerOf(snapshot);
  const space = reader.get('fleet', 'fleet')?.fleet_id ?? '';
  const claims = listClaims(reader, space, { now, ofAgents: true });
  const horizonFor = (repo: string) =>
    horizonOf(reader, { space, segment: `repo:${repo}` }) ??
    horizonOf(reader, { space, segment: null });
  return {
    repos: [...new Set(claims.flatMap(({ scope }) => repoOfSegment(scope.segment) ?? []))],
    linesFor: (whom) => linesFor(snapshot, reaching(claims, whom), whom, horizonFor(whom.repo)),
    forTask(whom, task) {
      const reached = reaching(claims, whom);
      const candidates = [...reached.values()].map(({ claim }) => claim);
      const relevance = keywordRelevance({ task, topics: [] }, candidates) ?? new Map();
      const items = ranked(candidates, relevance, horizonFor(whom.repo)).slice(0, LIMIT_DEFAULT);
      return { lines: linesOf(snapshot, items, reached).map(({ line }) => line), triggers: [] };
    },
  };
}

function linesFor(
  snapshot: Sql,
  reached: ReadonlyMap<string, Reached>,
  { repo }: Whom,
  horizonSeconds: number | undefined,
): ClaimLines {
  const candidates = [...reached.values()].map(({ claim }) => claim);
  const ranked = rankByTrust(candidates, recentRefs(snapshot, repo), horizonSeconds);
  const all = linesOf(snapshot, ranked.slice(0, TRIGGERS_MAX), reached);
  const termsOf = rareTerms(candidates);
  const triggers = all.flatMap(({ line, from }) => {
    const terms = termsOf(from.claim);
    return terms.length > 0 ? [{ ...line, terms }] : [];
  });
  const best = all.slice(0, LIMIT_DEFAULT);
  const walked = WALK.flatMap((step) => best.filter(({ from }) => from.reach === step));
  return { lines: walked.map(({ line }) => line), triggers };
}
