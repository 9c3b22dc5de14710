import { byCodePoint } from '../base/canonical.ts';
import type { LedgerView } from '../ledger/port.ts';
import { ruleOf } from '../ledger/rules.ts';
import { uncheckedRecord } from '../record/record.ts';
import { foldOf } from './folds.ts';
import { signedOf } from './held.ts';
import type { HeldRow } from './held-rows.ts';
import { MapState } from './map-state.ts';
import type { Change, Reader } from './state.ts';
import { viewOf } from './view.ts';

/** What `decided` calls a record that no entry of this ledger holds as its own. */
export const TAKEN_IN = 'held';

/**
 * What an entry's changes bring in: each held record whose author is a principal now is judged by the rules of its
 * type, as if it came to this ledger at this position, and counts from here on where they take it. One that they do not
 * take yet, for instance a position on a claim whose author is still foreign, goes on being held.
 */
export function takenIn(reader: Reader, changes: readonly Change[], at: number): Change[] {
  if (!changes.some(({ table }) => table === 'principals' || table === 'held')) return [];
  const state = new MapState(reader);
  state.apply(changes);
  if (!changes.some((change) => mayBringIn(state, change))) return [];
  const held = state.where('held', 'taken', null).sort(inOrder);
  return held.flatMap((row) => {
    const taken = takeIn(state, row, at);
    state.apply(taken);
    return taken;
  });
}

/** Cheap, since most admissions are of keys of which nothing is held, and most of what is held is of keys that nobody admits. */
function mayBringIn(state: MapState, { table, row }: Change): boolean {
  if (table === 'principals')
    return state.where('held', 'author', row.key).some(({ taken }) => taken === null);
  return table === 'held' && state.get('principals', row.author) !== undefined;
}

function inOrder(a: HeldRow, b: HeldRow): number {
  return byCodePoint(a.origin, b.origin) || a.seq - b.seq;
}

/** A claim of ours is of its own fleet's space, which is not this one's. */
function viewIn(state: MapState, { origin }: HeldRow): LedgerView {
  const view = viewOf(state);
  const own = view.fleet();
  const id = state.get('origins', origin)?.fleet_id;
  return own && id !== undefined ? { ...view, fleet: () => ({ ...own, id }) } : view;
}

function takeIn(state: MapState, row: HeldRow, at: number): Change[] {
  if (!state.get('principals', row.author)) return [];
  const done: Change = { table: 'held', row: { ...row, at, taken: at } };
  const decided = state.get('decided', row.record);
  // It came by itself, or with a bundle of yet another fleet; what was refused stays refused.
  if (decided) return decided.code === null ? [done] : [];
  const { record } = uncheckedRecord(signedOf(row));
  const judged = ruleOf(record)?.judge(record, viewIn(state, row));
  const fold = foldOf(record);
  if (judged?.kind !== 'accept' || !fold) return [];
  const { author, body } = judged;
  const folding = {
    reader: state,
    record,
    principal: author.principal,
    at,
    wasHeld: true,
  } as const;
  return [
    done,
    { table: 'decided', row: { key: row.record, at, context: TAKEN_IN, code: null } },
    ...fold(folding, body as never),
  ];
}
