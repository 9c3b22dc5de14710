import type { Reader } from '../fold/state.ts';
import type { FindingBody } from '../record/finding.ts';

/** One thing that was before a session, from a position of it on. */
export type Exposed = Extract<FindingBody, { readonly kind: 'exposure' }>['exposures'][number];

/** What had been before a session, and the finding that says so. */
export interface Exposures {
  readonly finding: string;
  readonly revision: number;
  readonly items: readonly Exposed[];
}

/** One step by which a claim came to a session: what of whom was before it, and through which channel. */
export interface Step {
  readonly session: string;
  readonly kind: Exposed['kind'];
  readonly id: string;
  readonly channel: Exposed['channel'];
}

/** How a session came to meet what carries a claim. */
export interface Trace {
  readonly steps: readonly Step[];
  /** The supporting session that it comes from; undefined where it is a claim that none of them supports. */
  readonly from: string | undefined;
}

/** What carries a claim. */
export interface Carriers {
  /** The claims that carry it, with the sessions that support each. */
  readonly claims: ReadonlyMap<string, readonly string[]>;
  /** The sessions that support it: their handoffs and digests carry it. */
  readonly sessions: ReadonlySet<string>;
  /** When the first of it was observed: no session that had ended by then can hand it on. */
  readonly since: string;
}

/** Reads what had been before sessions, and who works where, each once: no run of the gate changes either. */
export class ExposureReader {
  readonly #reader: Reader;
  readonly #known = new Map<string, Exposures | undefined>();
  readonly #operators = new Map<string, number>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** Of its newest revision that was looked at, from the given one on; undefined where nobody has looked. */
  of(session: string, revision = 0): Exposures | undefined {
    if (!this.#known.has(session)) this.#known.set(session, this.#read(session));
    const known = this.#known.get(session);
    return known && known.revision >= revision ? known : undefined;
  }

  /** How many operators' agents work in a segment: in a repo those with a sealed session there, anywhere else all of the fleet. */
  operatorsIn(segment: string | null): number {
    const repo = segment?.startsWith('repo:') ? segment.slice('repo:'.length) : undefined;
    const known = this.#operators.get(repo ?? '');
    if (known !== undefined) return known;
    const agents = repo === undefined ? undefined : this.#reader.where('sessions', 'repo', repo);
    const operators = agents
      ? agents.map(({ agent }) => operatorOf(this.#reader, agent))
      : this.#reader.where('principals').map(({ operator }) => operator);
    const count = new Set(operators).size;
    this.#operators.set(repo ?? '', count);
    return count;
  }

  #read(session: string): Exposures | undefined {
    const [newest] = this.#reader
      .where('findings', 'subject', session)
      .filter(({ kind }) => kind === 'exposure')
      .sort((a, b) => (b.revision ?? 0) - (a.revision ?? 0) || b.at - a.at);
    if (!newest) return undefined;
    const items = JSON.parse(newest.found) as Exposed[];
    return { finding: newest.key, revision: newest.revision ?? 0, items };
  }
}

/** Who answers for an agent: minted keys and ids add nothing. */
export function operatorOf(reader: Reader, agent: string): string {
  return reader.where('principals', 'principal', agent)[0]?.operator ?? agent;
}

/** What a search for exposures came upon. */
export interface Search {
  readonly findings: Set<string>;
  /** Sessions of which nobody has said yet what was before them. */
  readonly unread: Set<string>;
}

interface Visit {
  readonly session: string;
  readonly until: number;
  /** How the search came there. */
  readonly by: { readonly step: Step; readonly visit: Visit } | undefined;
}

/**
 * How a session met what carries a claim before a position of it, by the fewest steps; undefined where it did not. Exposure is
 * transitive: a handoff or a digest of a session that met it carries it, too. Source: design page 4, "Independence".
 */
export function traceOf(
  session: string,
  before: number,
  carriers: Carriers,
  reader: Reader,
  exposures: ExposureReader,
  search: Search,
): Trace | undefined {
  const seen = new Set<string>([session]);
  const visits: Visit[] = [{ session, until: before, by: undefined }];
  for (const visit of visits) {
    for (const step of stepsOf(visit, exposures, search)) {
      const from = carriedBy(step, session, carriers, reader);
      if (from) return { steps: [...stepsTo(visit), step], from: from.session };
      const through = sessionBehind(step, reader);
      if (through === undefined || seen.has(through)) continue;
      seen.add(through);
      const last = reader.get('sessions', through)?.last_at;
      if (last === undefined || last < carriers.since) continue;
      visits.push({ session: through, until: Number.POSITIVE_INFINITY, by: { step, visit } });
    }
  }
  return undefined;
}

/** What had been before a session up to a position of it. */
function stepsOf({ session, until }: Visit, exposures: ExposureReader, search: Search): Step[] {
  const known = exposures.of(session);
  if (!known) {
    search.unread.add(session);
    return [];
  }
  search.findings.add(known.finding);
  return known.items
    .filter(({ position }) => position < until)
    .map(({ kind, id, channel }) => ({ session, kind, id, channel }));
}

function stepsTo(visit: Visit): Step[] {
  const steps: Step[] = [];
  for (let by = visit.by; by; by = by.visit.by) steps.unshift(by.step);
  return steps;
}

/** The session whose note or digest an item is. */
function sessionBehind({ kind, id }: Step, reader: Reader): string | undefined {
  if (kind === 'handoff') return reader.get('handoffs', id)?.session;
  return kind === 'digest' ? id : undefined;
}

/** From which supporting session an item brings the claim: from none where it is a claim that none supports; undefined where it brings nothing. */
function carriedBy(
  step: Step,
  session: string,
  { claims, sessions }: Carriers,
  reader: Reader,
): { readonly session: string | undefined } | undefined {
  const supporters = step.kind === 'claim' ? claims.get(step.id) : undefined;
  if (supporters) {
    // Its own claim tells a session nothing that it did not say itself.
    return supporters[0] === session ? undefined : { session: supporters[0] };
  }
  const behind = sessionBehind(step, reader);
  return behind !== undefined && behind !== session && sessions.has(behind)
    ? { session: behind }
    : undefined;
}
