import { join } from 'node:path';
import { openCounter } from '../io/cursors.ts';
import { readIfThere, writeFileDurably } from '../io/small-file.ts';
import { deleteSqlite, isDamaged, lockMachine, openSqlite } from '../io/sqlite.ts';
import { waitFor } from '../io/turn.ts';
import { cardIn, type FleetCard, writtenCard } from '../ledger/found.ts';
import { prepare } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { TABLES } from '../snapshot/schema.ts';

/** A folder in which a program keeps what it followed of a fleet's ledger. Several processes may share one. */
export interface FleetCache {
  /** The fleet that it follows; undefined for a new one. Throws `fleet.malformed`. */
  readonly card: () => FleetCard | undefined;
  readonly writeCard: (card: FleetCard) => void;
  /** The state as it was left, or an empty one where it was damaged or another version's: derived, it is followed again. */
  readonly openState: () => Sql;
  /** Takes the damaged state away. */
  readonly dropState: () => void;
  readonly nextCounter: () => number;
  /** Runs while no other process applies to the state. Throws `machine.busy`. */
  readonly inTurn: <T>(body: () => Promise<T>) => Promise<T>;
}

/** Opens the cache in a folder, which is made where it is not there. */
export function openFleetCache(folder: string): FleetCache {
  const path = join(folder, 'state.sqlite');
  const cardPath = join(folder, 'fleet.json');
  return {
    card() {
      const text = readIfThere(cardPath);
      return text === undefined ? undefined : cardIn(text, cardPath);
    },
    writeCard: (card) => writeFileDurably(cardPath, writtenCard(card)),
    openState: () => openState(path),
    dropState: () => deleteSqlite(path),
    nextCounter: openCounter(join(folder, 'inbox.counter')),
    inTurn: (body) =>
      waitFor(async () => {
        const lock = lockMachine(join(folder, 'machine.sqlite'));
        if (!lock) return undefined;
        try {
          return { value: await body() };
        } finally {
          lock.release();
        }
      }),
  };
}

function openState(path: string): Sql {
  const state = tryToOpen(path);
  if (state) return state;
  deleteSqlite(path);
  const anew = openSqlite(path);
  prepare(anew, TABLES);
  return anew;
}

function tryToOpen(path: string): Sql | undefined {
  let state: Sql | undefined;
  try {
    state = openSqlite(path);
    if (prepare(state, TABLES) === 'ready') return state;
  } catch (error) {
    if (!isDamaged(error)) throw error;
  }
  state?.close();
  return undefined;
}
