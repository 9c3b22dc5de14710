import type { Reader } from '../fold/state.ts';
import type { Digest } from '../record/digest.ts';
import { type Evidence, isAcceptance, type Support } from './evidence.ts';
import {
  type Carriers,
  type ExposureReader,
  operatorOf,
  type Search,
  type Trace,
  traceOf,
} from './exposure.ts';
import { typeOf } from './types.ts';

/** Why two sessions are one observation. */
export type Merge =
  | { readonly why: 'exposed'; readonly session: string; readonly trace: Trace }
  | { readonly why: 'cited'; readonly session: string; readonly with: string }
  | { readonly why: 'source'; readonly session: string; readonly with: string }
  | { readonly why: 'operator'; readonly session: string; readonly with: string }
  | { readonly why: 'day'; readonly session: string; readonly with: string };

/** Sessions that are one observation. Source: design page 4, "Independence". */
export interface ObservationClass {
  /** In the order of the ledger: the first is whose word it is. */
  readonly supports: readonly [Support, ...Support[]];
  readonly merges: readonly Merge[];
  /** False where all of them had met the claim, and it came from none that supports it. */
  readonly counts: boolean;
}

/** The observations of a claim that did not follow from one another, and what that was told by. */
export interface Independence {
  readonly classes: readonly ObservationClass[];
  readonly count: number;
  readonly findings: readonly string[];
  /** Sessions of which nobody has said yet what was before them. */
  readonly unread: readonly string[];
}

/** The claims that carry a claim: those that say the same, and those that share its evidence; with the sessions that support each. */
function carriersOf(reader: Reader, { claims }: Evidence, supports: readonly Support[]): Carriers {
  const known = new Map<string, string[]>();
  const add = (claim: string) => {
    if (known.has(claim)) return;
    const cited = reader.where('citations', 'claim', claim);
    const pro = cited
      .filter(({ verdict }) => verdict === 'corroborate')
      .sort((a, b) => a.at - b.at);
    known.set(claim, [...new Set(pro.map(({ session }) => session))]);
  };
  for (const { key } of claims) add(key);
  for (const { episodes } of supports)
    for (const { id } of episodes)
      for (const { claim } of reader.where('citations', 'episode', id)) add(claim);
  const observed = supports.flatMap(({ episodes }) => episodes.map((one) => one.observedAt));
  return {
    claims: known,
    sessions: new Set(supports.map(({ session }) => session)),
    since: observed.sort()[0] ?? '',
  };
}

/** True for what an agent saw in a session of its own, or a person in a file. Another's session is hearsay: who cites it has read it. */
function isOwn(reader: Reader, { session, observedBy }: Support): boolean {
  const row = reader.get('sessions', session);
  return row === undefined || row.agent === observedBy;
}

/**
 * Counts the observations among what supports a claim: sessions that met it first follow from where they met it, sessions that cite
 * one source saw one thing, and of a convention what one operator's agents saw is one, too: where no other operator works, what
 * they saw on one day at one commit. Source: design page 4, "Independence"; decision 0043.
 */
export function independenceOf(
  reader: Reader,
  evidence: Evidence,
  exposures: ExposureReader,
  verdict: Support['verdict'] = 'corroborate',
): Independence {
  const cited = evidence.supports.filter(
    (one) => one.verdict === verdict && one.episodes.length > 0,
  );
  const supports = cited.filter((one) => isOwn(reader, one));
  const carriers = carriersOf(reader, evidence, supports);
  const search: Search = { findings: new Set(), unread: new Set() };
  const groups = new Groups(supports.map(({ session }) => session));
  const merges: Merge[] = [];
  const exposed = new Set<string>();
  for (const { session, episodes } of supports.filter((one) => !isAcceptance(one))) {
    const first = Math.min(...episodes.map(({ position }) => position));
    const trace = traceOf(session, first, carriers, reader, exposures, search);
    if (!trace) continue;
    exposed.add(session);
    merges.push({ why: 'exposed', session, trace });
    if (trace.from !== undefined) groups.unite(session, trace.from);
  }
  for (const { record, session } of cited.filter((one) => !isOwn(reader, one)))
    for (const own of supports.filter((one) => one.record === record && one.session !== session))
      if (groups.unite(own.session, session))
        merges.push({ why: 'cited', session: own.session, with: session });
  const [first] = evidence.claims;
  const isConvention = first !== undefined && typeOf(first) === 'convention';
  merges.push(...united(supports, groups, 'source', sourcesOf));
  if (isConvention) {
    const areSeveral = exposures.operatorsIn(first.segment) > 1;
    const of = (one: Support) => (areSeveral ? operatorIn(reader, one) : dayOf(reader, one));
    merges.push(...united(supports, groups, areSeveral ? 'operator' : 'day', of));
  }
  const classes = classesIn(supports, groups, merges, exposed);
  return {
    classes,
    count: classes.filter(({ counts }) => counts).length,
    findings: [...search.findings].sort(),
    unread: [...search.unread].sort(),
  };
}

/** Unites sessions that share what `of` names of each. */
function united(
  supports: readonly Support[],
  groups: Groups,
  why: 'source' | 'day' | 'operator',
  of: (support: Support) => readonly string[],
): Merge[] {
  const first = new Map<string, string>();
  const merges: Merge[] = [];
  for (const support of supports) {
    for (const name of of(support)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, support.session);
      else if (groups.unite(support.session, other))
        merges.push({ why, session: support.session, with: other });
    }
  }
  return merges;
}

const sourcesOf = ({ episodes }: Support) => episodes.flatMap(({ sources }) => sources);

const operatorIn = (reader: Reader, { observedBy }: Support) => [operatorOf(reader, observedBy)];

/** The operator, the days in UTC, and the commit that a session was at; nothing where that is not known. */
function dayOf(reader: Reader, { session, episodes }: Support): string[] {
  const row = reader.get('sessions', session);
  if (!row) return [];
  const { git_sha_before: sha } = JSON.parse(row.digest) as Digest;
  const days = new Set(episodes.map(({ observedAt }) => observedAt.slice(0, 10)));
  return [...days].map((day) => JSON.stringify([operatorOf(reader, row.agent), day, sha ?? null]));
}

/** Sessions that are one another's, as a union of sets. */
class Groups {
  readonly #parents: Map<string, string>;

  constructor(sessions: readonly string[]) {
    this.#parents = new Map(sessions.map((session) => [session, session]));
  }

  of(session: string): string {
    let at = session;
    for (;;) {
      const parent = this.#parents.get(at) ?? at;
      if (parent === at) return at;
      at = parent;
    }
  }

  /** False where they were one already. */
  unite(a: string, b: string): boolean {
    const [one, other] = [this.of(a), this.of(b)];
    if (one === other) return false;
    this.#parents.set(one, other);
    return true;
  }
}

function classesIn(
  supports: readonly Support[],
  groups: Groups,
  merges: readonly Merge[],
  exposed: ReadonlySet<string>,
): ObservationClass[] {
  const byGroup = new Map<string, [Support, ...Support[]]>();
  for (const support of supports) {
    const group = groups.of(support.session);
    const known = byGroup.get(group);
    if (known) known.push(support);
    else byGroup.set(group, [support]);
  }
  // Sessions that met it from one another are one that saw it, but not where one of them met it from none of them.
  const isFromNowhere = ({ session }: Support) =>
    merges.some(
      (one) => one.why === 'exposed' && one.session === session && one.trace.from === undefined,
    );
  return [...byGroup.values()].map((own) => {
    const sessions = new Set(own.map(({ session }) => session));
    return {
      supports: own,
      merges: merges.filter(({ session }) => sessions.has(session)),
      counts: own.some(({ session }) => !exposed.has(session)) || !own.some(isFromNowhere),
    };
  });
}
