import { parentPort } from 'node:worker_threads';
import { verify } from '../../base/ed25519.ts';

/** Checks to be made, as one message: `ends` says where each input ends in `inputs`. */
export interface VerifyJob {
  readonly inputs: Uint8Array;
  readonly ends: readonly number[];
  readonly addresses: readonly string[];
  readonly signatures: readonly string[];
}

/* The thread that `verifier.ts` starts: answers each job with a boolean for each check. */
parentPort?.on('message', ({ inputs, ends, addresses, signatures }: VerifyJob) => {
  const answer = ends.map((end, i) =>
    verify(addresses[i] ?? '', inputs.subarray(ends[i - 1] ?? 0, end), signatures[i] ?? ''),
  );
  parentPort?.postMessage(answer);
});
