import { canonical } from '../../src/base/canonical.ts';
import { toInstant } from '../../src/base/time.ts';
import { admissions, type Household } from '../../src/ledger/found.ts';
import { promotionId } from '../../src/record/governance.ts';
import { type SignedRecord, seal } from '../../src/record/record.ts';
import {
  claimBody,
  endorsementBody,
  episodeBody,
  retirementBody,
  verdictBody,
} from '../../src/verbs/knowledge-bodies.ts';
import { handoffBody, householdOf, idOf, keyOf, noted, sealed, sessionBody, T0 } from './fleet.ts';

export const DAY = 24 * 3_600_000;

/** A line that hosts put into the inbox, and what may become of it. */
export interface Deposit {
  readonly name: string;
  readonly line: string;
  /** Undefined for a line that is no record. */
  readonly record?: SignedRecord;
  readonly id?: string;
  readonly dated: number;
  /** What it cannot stand without, by name: it waits for that, in whatever order they come. */
  readonly needs: readonly string[];
  /** Codes for which it may be refused, by what was said before it. */
  readonly refusals: readonly string[];
  /** False where it can never stand. */
  readonly canStand: boolean;
}

/** The space whose claims two reviewers approve, or one rejects. */
export const REVIEWED = { space: 'shop', segment: null };

export const ann = householdOf('ann');
const [one, two, three, late, stranger] = ['one', 'two', 'three', 'late', 'stranger'].map((name) =>
  householdOf(name),
) as [Household, Household, Household, Household, Household];

/** The committers: the first two are in the fleet, the others join it. */
export const COMMITTERS = [ann, one, two, three] as const;
export const MEMBERS = 2;

const agent = keyOf('ann agent cc');
const said = { author: agent.address, now: toInstant(T0) };

function deposit(
  name: string,
  record: SignedRecord,
  more: Partial<Omit<Deposit, 'name' | 'record'>> = {},
): Deposit {
  const id = idOf(record);
  const line = canonical(record);
  return { name, line, record, id, dated: T0, needs: [], refusals: [], canStand: true, ...more };
}

/** What asks for the admission of a household: the person admits themself and the host, the host its agent. Each waits for its author's. */
function joining(name: string, home: Household): Deposit[] {
  const names = [`${name}'s person`, `${name} joins`, `${name}'s agent`];
  return admissions(home, toInstant(T0)).map(({ record }, i) =>
    deposit(names[i] ?? name, record, { needs: names.slice(Math.max(0, i - 1), i) }),
  );
}

const note = (name: string, at = T0): Deposit =>
  deposit(name, noted(ann, handoffBody(ann, name, { issued_at: toInstant(at) })), { dated: at });

const noteOf = (name: string, home: Household, needs: readonly string[]): Deposit =>
  deposit(name, noted(home, handoffBody(home, name)), { needs });

const episode = episodeBody(
  { scope: REVIEWED, kind: 'observation', content: 'The till opened twice.' },
  said,
  Buffer.alloc(16, 7),
);

const claims = [0, 1, 2, 3].map((i) =>
  seal(
    'claim',
    claimBody(
      {
        scope: REVIEWED,
        kind: 'semantic',
        statement: `Statement ${i}.`,
        episodes: i === 3 ? [episode.id] : [],
      },
      said,
    ),
    agent,
  ),
);

function claimId(i: number): string {
  const claim = claims[i];
  if (!claim) throw new Error('no such claim');
  return idOf(claim);
}

function verdict(i: number, by: string, which: 'approve' | 'reject'): Deposit {
  const signer = keyOf(by);
  const at = { author: signer.address, now: toInstant(T0) };
  const body = verdictBody(promotionId(claimId(i), 1), which, 'read', at);
  return deposit(`${by}: ${which} ${i}`, seal('verdict', body, signer), {
    needs: [`claim ${i}`],
    refusals: ['promotion.decided'],
  });
}

function retirement(i: number, reason: string): Deposit {
  const body = retirementBody(claimId(i), reason, said);
  return deposit(`retire ${i}: ${reason}`, seal('retirement', body, agent), {
    needs: [`claim ${i}`],
    refusals: ['claim.retired'],
  });
}

function endorsement(name: string, i: number, by: string, needs: readonly string[]): Deposit {
  const signer = keyOf(by);
  const at = { author: signer.address, now: toInstant(T0) };
  const body = endorsementBody(claimId(i), { verdict: 'corroborate', basis: 'seen' }, at);
  return deposit(name, seal('endorsement', body, signer), { needs: [`claim ${i}`, ...needs] });
}

const revision = (name: string, home: Household, n: number): Deposit =>
  deposit(name, sealed(home, sessionBody(home, 's', { revision: n })), {
    refusals: ['session.revision_taken'],
  });

const noRecord = (name: string, line: string, code: string): Deposit => ({
  name,
  line,
  dated: T0,
  needs: [],
  refusals: [code],
  canStand: false,
});

const misshapen = seal(
  'handoff',
  { ...handoffBody(ann, 'x'), summary: 1 } as { spec: string; author: string },
  agent,
);
const forged = {
  ...noted(ann, handoffBody(ann, 'y')),
  signature: noted(ann, handoffBody(ann, 'z')).signature,
};

const DEPOSITS: readonly Deposit[] = [
  ...[0, 1, 2, 3].map((i) => note(`note ${i}`)),
  note('a month old', T0 - 30 * DAY),
  note('in ten minutes', T0 + 600_000),
  note('in two days', T0 + 2 * DAY),
  note('in a month', T0 + 30 * DAY),
  deposit('episode', seal('episode', episode, agent)),
  ...claims.map((claim, i) => deposit(`claim ${i}`, claim, { needs: i === 3 ? ['episode'] : [] })),
  endorsement('a voice for 0', 0, 'wild', []),
  endorsement('a voice for 1', 1, 'one agent cc', []),
  verdict(0, 'reviewer 1', 'approve'),
  verdict(0, 'reviewer 2', 'approve'),
  verdict(0, 'reviewer 3', 'reject'),
  verdict(1, 'reviewer 1', 'approve'),
  verdict(1, 'reviewer 2', 'approve'),
  verdict(1, 'reviewer 3', 'approve'),
  retirement(2, 'wrong'),
  retirement(2, 'old'),
  revision('revision 1', ann, 1),
  revision('revision 2 by ann', ann, 2),
  revision('revision 2 by one', one, 2),
  ...joining('two', two),
  ...joining('three', three),
  ...joining('late', late),
  noteOf('of two', two, ["two's agent"]),
  noteOf('of late', late, ["late's agent"]),
  noteOf('of a stranger', stranger, ['never']),
  noRecord('no JSON', 'no record', 'canonical.malformed'),
  noRecord('no signature', canonical(forged), 'record.signature'),
  deposit('no handoff', misshapen, { refusals: ['record.body'], canStand: false }),
];

/** Everything that can be deposited, by name. */
export const POOL: ReadonlyMap<string, Deposit> = new Map(DEPOSITS.map((one) => [one.name, one]));

/** What somebody only asks for: nothing needs it that was not deposited with it. */
const OPTIONAL: ReadonlySet<string> = new Set(["late's agent", 'never']);

/** The deposits of these names. */
export function depositsOf(names: Iterable<string>): Deposit[] {
  return [...names].flatMap((name) => POOL.get(name) ?? []);
}

/** The names, with all that they need. */
export function withNeeds(names: Iterable<string>): Set<string> {
  const all = new Set(names);
  for (const name of all)
    for (const need of POOL.get(name)?.needs ?? []) if (!OPTIONAL.has(need)) all.add(need);
  return all;
}
