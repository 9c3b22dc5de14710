import { createHash } from 'node:crypto';
import { CredenceError, messageOf } from '../../src/base/errors.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';

/**
 * How an operation goes wrong. `lost`: it did not happen, and an error is thrown. `unacknowledged`: it did
 * happen, and an error is thrown all the same (a list has shown every key before that). `late`, for writes only:
 * an error is thrown, and it happens some operations later. For lists only and without an error: `stale`, the keys
 * as they were some operations ago, so that younger ones are missing and those deleted since are still there, and
 * `partial`, any of the keys, about half.
 */
export type Fault = 'lost' | 'unacknowledged' | 'late' | 'stale' | 'partial';

/** The methods of a store that can fail. */
export type Operation = 'get' | 'put' | 'putIfAbsent' | 'list' | 'delete' | 'time';

const WRITES: readonly Operation[] = ['put', 'putIfAbsent', 'delete'];

/**
 * Decides about one operation. `key` is the prefix of a list and empty for `time`; `nth` counts all operations
 * of the store from 1. A fault is passed over for an operation that it is not for.
 */
export type Plan = (operation: Operation, key: string, nth: number) => Fault | undefined;

/** One operation that a store was asked for. */
export interface Seen {
  readonly operation: Operation;
  readonly key: string;
}

/**
 * A store that fails as `plan` says and is otherwise `inner`. The errors are CredenceError `unavailable`,
 * `test.fault`. A stale list shows the keys as they were `staleBy` operations ago (10 unless told), as far as
 * they were changed through this store; what is late happens before the operation that is so many later.
 */
export function flakyStore(inner: ObjectStore, plan: Plan, staleBy = 10): ObjectStore {
  return new FlakyStore(inner, plan, staleBy);
}

/** A store without faults that records what it is asked for, in order; the n-th operation is `operations[n - 1]`. */
export function everyOperation(inner: ObjectStore): {
  store: ObjectStore;
  operations: readonly Seen[];
} {
  const operations: Seen[] = [];
  const store = flakyStore(inner, (operation, key) => {
    operations.push({ operation, key });
    return undefined;
  });
  return { store, operations };
}

/**
 * Fails every operation of a run in both ways, and demands that the next run puts things right.
 *
 * `run(store, 1)` is done once without a fault, then `check`ed, to count its operations N. Then, for each n up
 * to N and for `lost` and `unacknowledged`: a fresh store, `run(store, 1)` with the n-th operation failing,
 * `run(store, 2)` without a fault, `check` of the store itself. The run has to ask for the same operations each
 * time. Rejects with a plain Error that names the operation and the fault where the second run or the check
 * fails, where the first run fails with anything but a CredenceError or an error caused by the fault (a
 * broken invariant, say), and where the fault never came about.
 */
export async function faultSweep(
  run: (store: ObjectStore, attempt: number) => Promise<void>,
  make: () => ObjectStore,
  check: (store: ObjectStore) => Promise<void>,
): Promise<void> {
  const clean = make();
  const { store, operations } = everyOperation(clean);
  await run(store, 1);
  await check(clean);
  if (operations.length === 0)
    throw new Error('the run asked the store for nothing, so nothing was tested');
  // A copy: a run may leave work behind that still counts.
  for (const [index, seen] of [...operations].entries()) {
    for (const fault of ['lost', 'unacknowledged'] as const) {
      const where = `operation ${index + 1} of ${operations.length}, ${seen.operation} ${seen.key}, ${fault}`;
      await sweepOne({ run, inner: make(), check, nth: index + 1, fault, where });
    }
  }
}

async function sweepOne(one: {
  run: (store: ObjectStore, attempt: number) => Promise<void>;
  inner: ObjectStore;
  check: (store: ObjectStore) => Promise<void>;
  nth: number;
  fault: Fault;
  where: string;
}): Promise<void> {
  let hasFailed = false;
  const flaky = flakyStore(one.inner, (_operation, _key, nth) => {
    if (nth !== one.nth) return undefined;
    hasFailed = true;
    return one.fault;
  });
  await stage(`${one.where}: the run`, async () => {
    try {
      await one.run(flaky, 1);
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  });
  if (!hasFailed)
    throw new Error(`${one.where}: the run did not come that far, so it is not the same each time`);
  await stage(`${one.where}: the next run`, () => one.run(one.inner, 2));
  await stage(`${one.where}: the check`, () => one.check(one.inner));
}

async function stage(name: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (error) {
    throw new Error(`${name} failed: ${messageOf(error)}`, { cause: error });
  }
}

/** Follows causes a few steps, since callers wrap errors. */
function isExpected(error: unknown, depth = 8): boolean {
  if (error instanceof CredenceError) return true;
  if (depth === 0 || !(error instanceof Error)) return false;
  if (error instanceof AggregateError)
    return error.errors.every((one) => isExpected(one, depth - 1));
  return isExpected(error.cause, depth - 1);
}

class FlakyStore implements ObjectStore {
  readonly name: string;
  readonly #inner: ObjectStore;
  readonly #plan: Plan;
  readonly #staleBy: number;
  #count = 0;
  /** At which operations a key came to be or went away, oldest first. */
  readonly #changes = new Map<string, { nth: number; exists: boolean }[]>();
  /** Writes that are still to happen, and before which operation. */
  readonly #overdue: { readonly before: number; happen(): Promise<unknown> }[] = [];

  constructor(inner: ObjectStore, plan: Plan, staleBy: number) {
    this.name = `flaky ${inner.name}`;
    this.#inner = inner;
    this.#plan = plan;
    this.#staleBy = staleBy;
  }

  get(key: string, bytesMax?: number): Promise<Uint8Array | undefined> {
    return this.#do('get', key, () => this.#inner.get(key, bytesMax));
  }

  put(key: string, bytes: Uint8Array): Promise<void> {
    return this.#do('put', key, async (nth) => {
      const isNew = (await this.#inner.get(key)) === undefined;
      await this.#inner.put(key, bytes);
      if (isNew) this.#note(key, nth, true);
    });
  }

  putIfAbsent(key: string, bytes: Uint8Array): Promise<boolean> {
    return this.#do('putIfAbsent', key, async (nth) => {
      const isNew = await this.#inner.putIfAbsent(key, bytes);
      if (isNew) this.#note(key, nth, true);
      return isNew;
    });
  }

  delete(key: string): Promise<void> {
    return this.#do('delete', key, async (nth) => {
      const wasThere = (await this.#inner.get(key)) !== undefined;
      await this.#inner.delete(key);
      if (wasThere) this.#note(key, nth, false);
    });
  }

  time(): Promise<number | undefined> {
    return this.#do('time', '', () => this.#inner.time());
  }

  async *list(prefix: string): AsyncGenerator<string> {
    const nth = await this.#next();
    const fault = this.#plan('list', prefix, nth);
    if (fault === 'lost') throw faultError('list', prefix, fault);
    if (fault === 'stale') yield* await this.#staleKeys(prefix, nth - this.#staleBy);
    else if (fault === 'partial') yield* this.#someKeys(prefix, nth);
    else yield* this.#inner.list(prefix);
    if (fault === 'unacknowledged') throw faultError('list', prefix, fault);
  }

  async #do<T>(operation: Operation, key: string, action: (nth: number) => Promise<T>): Promise<T> {
    const nth = await this.#next();
    const fault = this.#plan(operation, key, nth);
    if (fault === 'late' && WRITES.includes(operation)) {
      this.#overdue.push({ before: nth + this.#staleBy, happen: () => action(nth) });
      throw faultError(operation, key, fault);
    }
    if (fault === 'lost') throw faultError(operation, key, fault);
    const result = await action(nth);
    if (fault === 'unacknowledged') throw faultError(operation, key, fault);
    return result;
  }

  /** The number of the operation that begins, once what is due before it has happened. */
  async #next(): Promise<number> {
    const nth = ++this.#count;
    for (const [at, { before, happen }] of [...this.#overdue.entries()].reverse()) {
      if (before > nth) continue;
      this.#overdue.splice(at, 1);
      await happen();
    }
    return nth;
  }

  async *#someKeys(prefix: string, nth: number): AsyncGenerator<string> {
    for await (const key of this.#inner.list(prefix)) {
      const [byte = 0] = createHash('sha256').update(`${nth} ${key}`).digest();
      if (byte < 128) yield key;
    }
  }

  #note(key: string, nth: number, exists: boolean): void {
    const changes = this.#changes.get(key) ?? [];
    this.#changes.set(key, [...changes, { nth, exists }]);
  }

  async #staleKeys(prefix: string, since: number): Promise<string[]> {
    const keys = new Set<string>();
    for await (const key of this.#inner.list(prefix)) keys.add(key);
    for (const [key, changes] of this.#changes) {
      const later = changes.find(({ nth }) => nth > since);
      if (later === undefined || !key.startsWith(prefix)) continue;
      // Before the first change after that moment, it was the other way round.
      if (later.exists) keys.delete(key);
      else keys.add(key);
    }
    return [...keys].sort();
  }
}

function faultError(operation: Operation, key: string, fault: Fault): CredenceError {
  return new CredenceError('unavailable', 'test.fault', `${operation} ${key}: ${fault}`);
}
