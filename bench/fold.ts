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
const at = toInstant(WORLD.now());
const founding = foundingRecords({ fleetId: FLEET, admission: 'open', nonce: '0' }, HOME, at);

async function opened(): Promise<OpenedEntry[]> {
  const records = [...founding, ...mixed(COUNT)];
  const entries = records.map((record, i) => ({
    // As a commit is read: no two entries share an object.
    record: JSON.parse(JSON.stringify(record)) as typeof record,
    salt: '',
    seq: i + 1,
    recordedAt: at,
  }));
  return openEntries(entries, async (checks) => checks.map(() => true));
}

/** One fold of all of them, and the rows that it wrote, in the order in which it did. */
async function fold(entries: readonly OpenedEntry[]) {
  const state = new MapState();
  const changes: Change[] = [];
  const seconds = await coreSecondsOf(() => {
    for (const entry of entries) {
      const changed = step(state, entry);
      state.apply(changed);
      for (const change of changed) changes.push(change);
    }
  });
  return { state, changes, seconds };
}

const entries = await opened();
await fold(entries.slice(0, 20_000));
const folds = [await fold(entries), await fold(entries), await fold(entries)];
const unusable = folds[0]?.state.where('unusable').length;
if (unusable !== 0) throw new Error(`${unusable} entries were not folded as they should be`);
const changes = folds[0]?.changes ?? [];
const put = () => {
  const tables = new Map<string, Map<string, unknown>>();
  for (const { table } of changes) tables.set(table, tables.get(table) ?? new Map());
  for (const { table, row } of changes) tables.get(table)?.set(row.key, { ...row });
};
const bares = [await coreSecondsOf(put), await coreSecondsOf(put), await coreSecondsOf(put)];
const rate = (seconds: readonly number[]) => entries.length / Math.min(...seconds);
print([
  {
    what: 'folded in memory, by the time of a core',
    value: rate(folds.map(({ seconds }) => seconds)),
    unit: 'entries/s',
    target: 'at least 100,000',
    bare: { what: `their ${changes.length} rows put into Maps`, value: rate(bares) },
  },
]);
