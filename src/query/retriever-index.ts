import { positionOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import type { Retrievable, Retriever } from './retriever.ts';

/**
 * What a stateful retriever was told of: it lives as long as the retriever does, whatever becomes of the state. A claim that
 * was accepted is told once; one that was accepted and then retired or superseded is taken back once. What never was
 * accepted is never told. A new one is told of everything again.
 */
export class RetrieverIndex {
  readonly #retriever: Retriever;
  readonly #told = new Map<string, 'indexed' | 'removed'>();
  /** The position of the state up to which all is told. */
  #position = 0;

  constructor(retriever: Retriever) {
    this.#retriever = retriever;
  }

  /** Tells the retriever what came and went. Rejects as it does; what it took is not told again, and the rest is next time. */
  async follow(state: Sql): Promise<void> {
    const { index, remove } = this.#retriever;
    const position = positionOf(state);
    if ((!index && !remove) || position === this.#position) return;
    const rows = state.all(
      `SELECT key, statement, topics, retired, superseded_by FROM claims
       WHERE at > ? AND status = 'accepted' ORDER BY at, key`,
      this.#position,
    );
    for (const row of rows) {
      const id = String(row['key']);
      const next = row['retired'] === null && row['superseded_by'] === null ? 'indexed' : 'removed';
      if (this.#told.get(id) === next) continue;
      if (next === 'removed') await this.#retriever.remove?.(id);
      else await this.#retriever.index?.(claimIn(row));
      this.#told.set(id, next);
    }
    this.#position = position;
  }
}

function claimIn(row: Readonly<Record<string, unknown>>): Retrievable {
  return {
    id: String(row['key']),
    statement: String(row['statement']),
    topics: JSON.parse(String(row['topics'])) as string[],
  };
}
