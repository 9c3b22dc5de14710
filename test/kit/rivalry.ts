import fc from 'fast-check';
import { CredenceError } from '../../src/base/errors.ts';
import { sha256Hex } from '../../src/base/hash.ts';
import { toInstant } from '../../src/base/time.ts';
import { inboxKey } from '../../src/lake/layout.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import type { Waiting } from '../../src/ledger/committer.ts';
import { admissions } from '../../src/ledger/found.ts';
import { deposit } from '../../src/ledger/inbox.ts';
import { seal } from '../../src/record/record.ts';
import { policyBody } from '../../src/verbs/knowledge-bodies.ts';
import { type Fault, flakyStore } from './flaky-store.ts';
import { T0, worldAt } from './fleet.ts';
import { foundOn, memberOf } from './member.ts';
import { openMemoryStore } from './memory-store.ts';
import { ann, COMMITTERS, DAY, depositsOf, MEMBERS, POOL, REVIEWED, withNeeds } from './pool.ts';
import { type Rival, rivalOf } from './rivals.ts';
import { type Schedule, Scheduler } from './scheduler.ts';
import { watched } from './watched.ts';

/** What one committer does next. `again` puts an item of anybody's, by its number, as it was; `wait` lets time pass for all. */
export type Action =
  | { readonly kind: 'put'; readonly names: readonly string[] }
  | { readonly kind: 'commit' }
  | { readonly kind: 'again'; readonly which: number }
  | { readonly kind: 'wait'; readonly ms: number };

/** One run of four committers on one store: what they do, whose clocks are wrong, who stalls, what fails. */
export interface Rivalry {
  readonly schedule: Schedule;
  readonly faults: readonly (readonly [nth: number, fault: Fault])[];
  readonly staleBy: number;
  readonly clocks: readonly number[];
  readonly storeHasTime: boolean;
  readonly actions: readonly (readonly Action[])[];
}

/** What a run leaves behind. */
export interface Outcome {
  readonly store: ObjectStore;
  /** The items that were put into the inbox: their keys, and what is in them by name. */
  readonly items: ReadonlyMap<string, readonly string[]>;
  readonly now: number;
  readonly rivals: readonly Rival[];
  /** What each committer was told that waits, once everything else was decided. */
  readonly waiting: readonly (readonly Waiting[])[];
  /** How many commits were made when there was nothing more to decide. */
  readonly idle: number;
  /** Items that were deleted before the ledger had decided on all of their lines. */
  readonly early: readonly string[];
}

const anyPut = fc
  .shuffledSubarray([...POOL.keys()], { minLength: 1, maxLength: 6 })
  .map((names): Action => ({ kind: 'put', names }));
const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: anyPut },
  { weight: 3, arbitrary: fc.constant<Action>({ kind: 'commit' }) },
  { weight: 1, arbitrary: fc.nat(7).map((which): Action => ({ kind: 'again', which })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1_000, 600_000, 2 * DAY, 30 * DAY)
      .map((ms): Action => ({ kind: 'wait', ms })),
  },
);

const anyFault = fc.constantFrom<Fault>('lost', 'unacknowledged', 'late', 'stale', 'partial');

/** Runs of every kind. What a record needs is deposited by somebody, before it or after. */
export const anyRivalry: fc.Arbitrary<Rivalry> = fc.record({
  schedule: fc.record({
    order: fc.nat(),
    stalls: fc.array(
      fc.record({
        task: fc.nat(3),
        at: fc.nat(120),
        steps: fc.oneof(fc.nat(200), fc.constant(Number.POSITIVE_INFINITY)),
      }),
      { maxLength: 4 },
    ),
  }),
  faults: fc.array(fc.tuple(fc.nat(300), anyFault), { maxLength: 8 }),
  staleBy: fc.integer({ min: 1, max: 60 }),
  clocks: fc.array(fc.constantFrom(0, 0, 1, -1_000, 600_000, -3 * DAY, 3 * DAY), {
    minLength: 4,
    maxLength: 4,
  }),
  storeHasTime: fc.boolean(),
  actions: fc.array(fc.array(anyAction, { maxLength: 5 }), { minLength: 4, maxLength: 4 }),
});

let base: Promise<readonly (readonly [string, Uint8Array])[]> | undefined;

/** A store with the fleet, its policy and its first members. */
async function newFleet(): Promise<ObjectStore> {
  base ??= foundBase();
  // One that lets a commit be overwritten: its complaint would be taken for a write whose outcome is unknown.
  const store = openMemoryStore();
  for (const [key, bytes] of await base) await store.put(key, bytes);
  return store;
}

async function foundBase(): Promise<(readonly [string, Uint8Array])[]> {
  const store = openMemoryStore();
  await foundOn(store, ann);
  const policy = policyBody(
    REVIEWED,
    { mode: 'review', required_approvals: 2 },
    { author: ann.person.address, now: toInstant(T0) },
  );
  const [, member] = COMMITTERS;
  const joins = admissions(member, toInstant(T0)).map(({ record }) => record);
  await deposit(store, ann.hostId, 0, [seal('policy', policy, ann.person), ...joins]);
  await memberOf(store, ann, worldAt(T0, 'base')).commit();
  const objects: (readonly [string, Uint8Array])[] = [];
  for await (const key of store.list('')) {
    const bytes = await store.get(key);
    if (bytes) objects.push([key, bytes]);
  }
  return objects;
}

/** Does what may fail until it goes through, as the next sync would. */
async function persist<T>(action: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await action();
    } catch (error) {
      if (attempt > 40 || !(error instanceof CredenceError) || error.category !== 'unavailable')
        throw error;
    }
  }
}

/** What each committer does, with what newcomers begin with, and with what others need. */
function scriptsOf(actions: Rivalry['actions']): (readonly Action[])[] {
  const newcomers = ['two', 'three'].map((name): Action => {
    return { kind: 'put', names: [`${name} joins`, `${name}'s person`, `${name}'s agent`] };
  });
  const named = actions.flat().flatMap((action) => (action.kind === 'put' ? action.names : []));
  const missing = [...withNeeds(named)].filter((name) => !named.includes(name));
  return actions.map((own, i) => {
    const first = newcomers[i - MEMBERS];
    const needed = missing.filter((_, at) => at % actions.length === i);
    const last: Action[] = needed.length > 0 ? [{ kind: 'put', names: needed }] : [];
    // A newcomer asks to be admitted sooner or later, not always first.
    return [...own.slice(0, 1), ...(first ? [first] : []), ...own.slice(1), ...last];
  });
}

/** Runs it to where nothing more is to be decided. */
export async function runRivalry(rivalry: Rivalry): Promise<Outcome> {
  const { schedule, staleBy, clocks, storeHasTime } = rivalry;
  const clock = { now: T0, areWrong: true, fails: true };
  const early: string[] = [];
  const store = await newFleet();
  const faults = new Map(rivalry.faults);
  const flaky = flakyStore(
    watched(store, early, () => (storeHasTime ? clock.now : undefined)),
    (_operation, _key, nth) => (clock.fails ? faults.get(nth) : undefined),
    staleBy,
  );
  const scheduler = new Scheduler(schedule);
  const stores = COMMITTERS.map((_, i) => scheduler.store(i, flaky));
  const rivals = COMMITTERS.map((home, i) => {
    const draws = worldAt(T0, home.hostId);
    const offset = clocks[i] ?? 0;
    const world = { ...draws, now: () => clock.now + (clock.areWrong ? offset : 0) };
    return rivalOf(stores[i] ?? flaky, home, world, i % 2 === 0 ? 'sqlite' : 'map');
  });
  const put: (readonly [string, Buffer])[] = [];
  const items = new Map<string, readonly string[]>();
  const act = async (action: Action, i: number, counter: number): Promise<void> => {
    const own = stores[i] ?? flaky;
    if (action.kind === 'wait') clock.now += action.ms;
    else if (action.kind === 'commit') await persist(() => rivals[i]?.commit() ?? never());
    else if (action.kind === 'again') {
      const item = put[action.which % Math.max(1, put.length)];
      if (item) await persist(() => own.put(...item));
    } else {
      const text = depositsOf(action.names).map(({ line }) => `${line}\n`);
      const bytes = Buffer.from(text.join(''));
      const key = inboxKey(COMMITTERS[i]?.hostId ?? '', counter, sha256Hex(bytes));
      put.push([key, bytes]);
      await persist(() => own.put(key, bytes));
      items.set(key, action.names);
    }
  };
  await scheduler.run(
    scriptsOf(rivalry.actions).map((script, i) => async () => {
      for (const [counter, action] of script.entries()) await act(action, i, counter + 1);
      await act({ kind: 'commit' }, i, 0);
    }),
  );
  clock.areWrong = false;
  clock.fails = false;
  // Twice, since what is late can come in between; then there is nothing more to decide.
  const all = () => scheduler.run(rivals.map((rival) => async () => void (await rival.commit())));
  for (const _ of [1, 2]) await all();
  const heads = () => Promise.all(rivals.map((rival) => rival.beliefs.at(-1)?.n ?? 0));
  const before = Math.max(...(await heads()));
  const waiting: (readonly Waiting[])[] = rivals.map(() => []);
  await scheduler.run(
    rivals.map((rival, i) => async () => {
      waiting[i] = await rival.commit();
    }),
  );
  await scheduler.run(rivals.map((rival) => async () => void (await rival.follow())));
  const idle = Math.max(...(await heads())) - before;
  return { store, items, now: clock.now, rivals, waiting, idle, early };
}

function never(): never {
  throw new Error('there is no such committer');
}
