import { canonical } from '../src/base/canonical.ts';
import { toInstant } from '../src/base/time.ts';
import { MapState } from '../src/fold/map-state.ts';
import type { Change } from '../src/fold/state.ts';
import { step } from '../src/fold/step.ts';
import { type OpenedEntry, openEntries } from '../src/ledger/entry.ts';
import { foundingRecords } from '../src/ledger/found.ts';
import { coreSecondsOf, print } from './kit/figures.ts';
import { FLEET, HOME, mixed, WORLD } from './kit/mix.ts';

/*
 * Entries folded in memory, their signatures checked before, beside the same rows put into Maps. Entries: the first argument,
 * 100,000 unless given.
 */
const COUNT = Number(process.argv[2] ?? 100_000);
const ROUNDS = 4;
const at = toInstant(WORLD.now());
const founding = foundingRecords({ fleetId: FLEET, admission: 'open', nonce: '0' }, HOME, at);

async function opened(): Promise<OpenedEntry[]> {
  const records = [...founding, ...mixed(COUNT)];
  const entries = records.map((record, i) => ({
    // As a commit is read: no two entries share an object, and members are in the order of canonical JSON.
    record: JSON.parse(canonical(record)) as typeof record,
    salt: '',
    seq: i + 1,
    recordedAt: at,
  }));
  return openEntries(entries, async (checks) => checks.map(() => true));
}

/** A fold of all of them into a state of its own; `wrote` hears what each changed. */
function fold(entries: readonly OpenedEntry[], wrote?: (changes: readonly Change[]) => void) {
  const state = new MapState();
  for (const entry of entries) {
    const changes = step(state, entry);
    state.apply(changes);
    wrote?.(changes);
  }
  return state;
}

/** The least of some rounds, each with nothing left of the one before: what is kept is for the collector to go through. */
async function secondsOfBest(body: () => unknown): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    globalThis.gc?.();
    best = Math.min(best, await coreSecondsOf(body));
  }
  return best;
}

const entries = await opened();
const folded = await secondsOfBest(() => void fold(entries));
const changes: Change[] = [];
const unusable = fold(entries, (some) => void changes.push(...some)).where('unusable').length;
if (unusable !== 0) throw new Error(`${unusable} entries were not folded as they should be`);
const put = await secondsOfBest(() => {
  const tables = new Map<string, Map<string, unknown>>();
  for (const { table } of changes) tables.set(table, tables.get(table) ?? new Map());
  for (const { table, row } of changes) tables.get(table)?.set(row.key, { ...row });
});
print([
  {
    what: 'folded in memory, by the time of a core',
    value: entries.length / folded,
    unit: 'entries/s',
    target: 'at least 100,000',
    bare: { what: `their ${changes.length} rows put into Maps`, value: entries.length / put },
  },
]);
