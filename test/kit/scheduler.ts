import { setImmediate } from 'node:timers/promises';
import type { ObjectStore } from '../../src/lake/objects.ts';

/**
 * Holds a task at its `at`-th yield point (from 0) for `steps` steps of the run; `Infinity` until nobody else can go
 * on. Each operation of a store has two: before it happens, and between that and its answer.
 */
export interface Stall {
  readonly task: number;
  readonly at: number;
  readonly steps: number;
}

/** Which of the orders of several tasks comes about: the same one for the same schedule. */
export interface Schedule {
  readonly order: number;
  readonly stalls: readonly Stall[];
}

interface Parked {
  readonly task: number;
  readonly until: number;
  go(): void;
}

/**
 * Runs tasks that work on stores, one step at a time: from one yield point to the next. Who goes on is drawn; a task that
 * was drawn tends to go on, so that there are both bursts and fine interleavings. Tasks may wait for nothing else.
 */
export class Scheduler {
  readonly #draw: Draw;
  readonly #stalls: readonly Stall[];
  readonly #parked: Parked[] = [];
  readonly #points = new Map<number, number>();
  #step = 0;
  #last = 0;

  constructor({ order, stalls }: Schedule) {
    this.#draw = drawsOf(order);
    this.#stalls = stalls;
  }

  /** The store as a task has it. */
  store(task: number, inner: ObjectStore): ObjectStore {
    const around = async <T>(action: () => Promise<T>): Promise<T> => {
      await this.#yield(task);
      try {
        return await action();
      } finally {
        await this.#yield(task);
      }
    };
    return {
      name: inner.name,
      get: (key, bytesMax) => around(() => inner.get(key, bytesMax)),
      put: (key, bytes) => around(() => inner.put(key, bytes)),
      putIfAbsent: (key, bytes) => around(() => inner.putIfAbsent(key, bytes)),
      delete: (key) => around(() => inner.delete(key)),
      time: () => around(() => inner.time()),
      list: (prefix) => this.#listing(task, inner, prefix),
    };
  }

  async *#listing(task: number, inner: ObjectStore, prefix: string): AsyncGenerator<string> {
    await this.#yield(task);
    const keys: string[] = [];
    try {
      for await (const key of inner.list(prefix)) keys.push(key);
    } finally {
      await this.#yield(task);
      yield* keys;
    }
  }

  /** Runs all tasks to their end; rejects with what the first of them rejects with, once all have ended. */
  async run(tasks: readonly (() => Promise<void>)[]): Promise<void> {
    let left = tasks.length;
    const ends = tasks.map((task) => task().finally(() => left--));
    const all = Promise.allSettled(ends);
    for (;;) {
      await this.#settle(() => left === 0);
      if (this.#parked.length === 0) break;
      this.#goOn();
    }
    for (const end of await all) if (end.status === 'rejected') throw end.reason;
  }

  /** Waits until every task is at a yield point or at its end. */
  async #settle(hasEnded: () => boolean): Promise<void> {
    await setImmediate();
    for (let turn = 0; this.#parked.length === 0 && !hasEnded(); turn++) {
      if (turn > 1_000) throw new Error('a task waits for something that is no store');
      await setImmediate();
    }
  }

  #yield(task: number): Promise<void> {
    const point = this.#points.get(task) ?? 0;
    this.#points.set(task, point + 1);
    const held = this.#stalls.filter((stall) => stall.task === task && stall.at === point);
    const until = Math.max(0, ...held.map(({ steps }) => this.#step + steps));
    return new Promise((resolve) => this.#parked.push({ task, until, go: resolve }));
  }

  /** A stalled task holds nothing back but itself: where all are stalled, the one whose time comes first goes on. */
  #goOn(): void {
    this.#step += 1;
    const stalled = new Map<number, number>();
    for (const { task, until } of this.#parked)
      stalled.set(task, Math.max(stalled.get(task) ?? 0, until));
    const soonest = Math.min(...stalled.values());
    const now = Math.max(this.#step, soonest);
    const free = this.#parked.filter(({ task }) => (stalled.get(task) ?? 0) <= now);
    const same = free.filter(({ task }) => task === this.#last);
    const among = same.length > 0 && this.#draw(4) > 0 ? same : free;
    const chosen = among[this.#draw(among.length)];
    if (!chosen) throw new Error('nobody can go on');
    this.#last = chosen.task;
    this.#parked.splice(this.#parked.indexOf(chosen), 1);
    chosen.go();
  }
}

/** A whole number from 0 to below `bound`. */
export type Draw = (bound: number) => number;

/** The same numbers for the same seed. */
export function drawsOf(seed: number): Draw {
  // Multiplied by a large odd number, so that seeds which lie side by side begin far apart; never 0, which stays 0.
  let state = Math.imul(seed + 1, 0x9e3779b1) | 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}
