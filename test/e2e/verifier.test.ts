import { expect, test } from 'vitest';
import type { Check } from '../../src/base/ed25519.ts';
import { sign } from '../../src/base/ed25519.ts';
import { openVerifier as openFromSource } from '../../src/io/verifier.ts';
import { keyOf } from '../kit/fleet.ts';

// As built: a thread starts from a file that Node can load.
const built = new URL('../../dist/io/verifier.js', import.meta.url).href;
const { openVerifier } = (await import(built)) as { openVerifier: typeof openFromSource };

const ann = keyOf('ann');
const bob = keyOf('bob');

/** Checks of every kind of outcome, and the outcomes. */
function checksOf(count: number): { readonly checks: Check[]; readonly expected: boolean[] } {
  const checks = Array.from({ length: count }, (_, i): Check => {
    const input = Buffer.from('x'.repeat(i % 700));
    const signature = sign(i % 5 === 0 ? bob : ann, input);
    return {
      address: i % 7 === 0 ? 'amp:key:no' : ann.address,
      input,
      signature: i % 11 === 0 ? signature.replace('=', '') : signature,
    };
  });
  return { checks, expected: checks.map((_, i) => i % 5 > 0 && i % 7 > 0 && i % 11 > 0) };
}

/** What comes first: the answer, or a turn of the event loop, which checking in place does not let in. */
async function firstOf(answer: Promise<unknown>): Promise<string> {
  const turn = new Promise((resolve) => setImmediate(resolve, 'turn'));
  return (await Promise.race([turn, answer.then(() => 'answer')])) as string;
}

test.each([1, 2, 3])('%i threads answer each check in its place', async (threads) => {
  const { verifyAll, close } = openVerifier(threads);
  const jobs = [64, 65, 200, 1_000].map(checksOf);
  const answers = jobs.map(({ checks }) => verifyAll(checks));
  expect(await firstOf(Promise.all(answers))).toBe('turn');
  expect(await Promise.all(answers)).toEqual(jobs.map(({ expected }) => expected));
  close();
});

test.each([
  ['few checks', 1, 63],
  ['one core', 0, 200],
])('%s are checked in place', async (_what, threads, count) => {
  const { verifyAll, close } = openVerifier(threads);
  const { checks, expected } = checksOf(count);
  const answer = verifyAll(checks);
  expect(await firstOf(answer)).toBe('answer');
  expect(await answer).toEqual(expected);
  close();
});

test.each<[string, typeof openFromSource]>([
  ['cannot be started', openFromSource],
  ['is stopped meanwhile', openVerifier],
])('where the thread %s, checks are made in place', async (_what, open) => {
  const { verifyAll, close } = open(2);
  const { checks, expected } = checksOf(500);
  const answer = verifyAll(checks);
  close();
  expect(await answer).toEqual(expected);
  expect(await verifyAll(checks)).toEqual(expected);
});
