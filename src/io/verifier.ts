import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Check, type VerifyAll, verifyHere } from '../base/ed25519.ts';
import type { VerifyJob } from './verifier/worker.ts';

/** Signatures that are worth a message to another thread: checking them takes some milliseconds. */
const CHECKS_MIN = 64;

/** Beyond this many, the thread that folds is what all wait for. */
const THREADS_MAX = 3;

/** Checks signatures on other threads: as many as there are cores, since whoever asks waits for them most of the time. */
export interface Verifier {
  readonly verifyAll: VerifyAll;
  close(): void;
}

/** Starts no thread before there are enough signatures; with one core, or where threads fail, checks them in place. */
export function openVerifier(
  threads = availableParallelism() > 1 ? Math.min(availableParallelism(), THREADS_MAX) : 0,
): Verifier {
  let workers: readonly VerifyWorker[] | undefined;
  return {
    async verifyAll(checks) {
      if (threads < 1 || checks.length < CHECKS_MIN) return verifyHere(checks);
      workers ??= Array.from({ length: threads }, () => new VerifyWorker());
      const share = Math.ceil(checks.length / threads);
      const answers = workers.map(async (worker, i) => {
        const own = checks.slice(i * share, (i + 1) * share);
        return (await worker.ask(own)) ?? verifyHere(own);
      });
      return (await Promise.all(answers)).flat();
    },
    close() {
      for (const worker of workers ?? []) worker.close();
    },
  };
}

type Answer = readonly boolean[] | undefined;

/** One thread, which answers in the order in which it is asked. */
class VerifyWorker {
  readonly #worker = new Worker(new URL('./verifier/worker.js', import.meta.url), {
    // It keeps nothing between two jobs, and would put off its collections for as long as memory lasts.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
  });
  readonly #waiting: ((answer: Answer) => void)[] = [];
  #hasFailed = false;

  constructor() {
    this.#worker.on('message', (answer: readonly boolean[]) => this.#waiting.shift()?.(answer));
    this.#worker.on('error', () => this.#fail());
    this.#worker.on('exit', () => this.#fail());
  }

  /** Undefined where the thread failed. */
  ask(checks: readonly Check[]): Promise<Answer> {
    if (this.#hasFailed) return Promise.resolve(undefined);
    const job = packed(checks);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#worker.postMessage(job, [job.inputs.buffer as ArrayBuffer]);
    });
  }

  close(): void {
    void this.#worker.terminate();
  }

  #fail(): void {
    this.#hasFailed = true;
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }
}

function packed(checks: readonly Check[]): VerifyJob {
  const inputs = new Uint8Array(checks.reduce((sum, { input }) => sum + input.length, 0));
  let end = 0;
  const ends = checks.map(({ input }) => {
    inputs.set(input, end);
    end += input.length;
    return end;
  });
  return {
    inputs,
    ends,
    addresses: checks.map(({ address }) => address),
    signatures: checks.map(({ signature }) => signature),
  };
}
