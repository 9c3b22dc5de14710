import type { ClaimRow } from '../../src/fold/knowledge-rows.ts';
import type { MapState } from '../../src/fold/map-state.ts';
import type { FindingBody } from '../../src/record/finding.ts';
import { findingsOn, gate, Ledger, onSubject, policyOf, type Said } from './believing.ts';
import { type Answer, answersTo, numbers } from './echo-world.ts';

/** What is known of who had met what: nothing, what was put there as a claim, all that is found, or the truth. */
export const COUNTS = ['heads', 'direct', 'ours', 'oracle'] as const;
/** By whom observations are counted. */
export type Counting = (typeof COUNTS)[number];

/** How gates are set. */
export interface Setting {
  readonly needs: number;
  readonly contestRatio: number;
}

/** The share of questions, in per cent, of which at the end a right claim is promoted, a wrong one is, or some are contested. */
export interface Shares {
  readonly right: number;
  readonly wrong: number;
  readonly contested: number;
}

type Exposure = Extract<FindingBody, { readonly kind: 'exposure' }>;
/** Sessions of a question between two runs of the gate. */
const PER_ROUND = 3;

/** What a round adds to the ledger: what was said and found, and who had met what, by who counts. */
interface Round {
  readonly said: readonly Said[];
  readonly met: Readonly<Record<Counting, readonly Said[]>>;
}

/** A fleet's answers, as rounds of a ledger with all that is found of them. */
export async function roundsOf(questions: number, echoes: number, seed: number): Promise<Round[]> {
  const random = numbers(seed);
  const all = Array.from({ length: questions }, (_, i) => answersTo(i, echoes, random));
  const byName = new Map(all.flat().map((one) => [one.session, one]));
  const base = new Ledger();
  const rounds: Round[] = [];
  for (let from = 0; from < (all[0]?.length ?? 0); from += PER_ROUND) {
    const answers = all.flatMap((some) => some.slice(from, from + PER_ROUND));
    const said: Said[] = answers.flatMap(({ records }) => records);
    for (const one of said) base.add(one);
    const found = await findingsOn(
      base,
      (session) => byName.get(session)?.events ?? [],
      onSubject(base),
    );
    for (const one of found) base.add(one);
    const isExposure = ([, body]: Said) => (body as FindingBody).kind === 'exposure';
    const exposures = found.filter(isExposure).map(([, body]) => body as Exposure);
    rounds.push({
      said: [...said, ...found.filter((one) => !isExposure(one))],
      met: metBy(exposures, byName),
    });
  }
  return rounds;
}

function metBy(
  found: readonly Exposure[],
  answers: ReadonlyMap<string, Answer>,
): Record<Counting, Said[]> {
  const as = (exposuresOf: (one: Exposure) => Exposure['exposures']) =>
    found.map((one): Said => ['finding', { ...one, exposures: exposuresOf(one) }]);
  return {
    heads: as(() => []),
    direct: as(({ exposures }) =>
      exposures.filter(({ kind, matched }) => kind === 'claim' && matched === 'lineage'),
    ),
    ours: as(({ exposures }) => exposures),
    oracle: as(({ session }) => {
      const id = answers.get(session)?.copied?.from.claim;
      if (id === undefined) return [];
      return [{ kind: 'claim', id, position: 1, channel: 'briefing', matched: 'lineage' }];
    }),
  };
}

/** Runs the whole gate after each round, and says what came of the questions. */
export function promotedBy(rounds: readonly Round[], counting: Counting, setting: Setting): Shares {
  return sharesOf(stateBy(rounds, counting, setting));
}

/** The ledger's state after the last round. */
function stateBy(
  rounds: readonly Round[],
  counting: Counting,
  { needs, contestRatio }: Setting,
): MapState {
  const ledger = new Ledger();
  ledger.add(
    policyOf({ needs: { environment: needs }, contest_ratio_ppm: contestRatio * 1_000_000 }),
  );
  for (const { said, met } of rounds) {
    for (const one of [...said, ...met[counting]]) ledger.add(searchedTo(ledger.position, one));
    gate(ledger);
  }
  return ledger.state;
}

/** Neighbours were looked for up to now: in a ledger that holds decisions, too, that is further on. */
function searchedTo(position: number, [context, body]: Said): Said {
  const isPair = context === 'finding' && (body as FindingBody).kind === 'pair';
  return isPair ? [context, { ...body, searched: position }] : [context, body];
}

const valueIn = ({ statement }: ClaimRow) => Number(/port (\d+)/.exec(statement)?.[1]);

function sharesOf(state: MapState): Shares {
  const questions = new Map<string, ClaimRow[]>();
  for (const claim of state.where('claims')) {
    const known = questions.get(claim.subject) ?? [];
    questions.set(claim.subject, [...known, claim]);
  }
  const share = (has: (claims: readonly ClaimRow[]) => boolean) =>
    (100 * [...questions.values()].filter(has).length) / questions.size;
  // The right value of a question ends in 0.
  const isRight = (claim: ClaimRow) => valueIn(claim) % 10 === 0;
  const isHeld = ({ status }: ClaimRow) => status === 'accepted';
  return {
    right: share((claims) => claims.some((one) => isHeld(one) && isRight(one))),
    wrong: share((claims) => claims.some((one) => isHeld(one) && !isRight(one))),
    contested: share((claims) => claims.some(({ status }) => status === 'contested')),
  };
}
