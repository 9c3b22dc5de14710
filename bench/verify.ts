import { verify } from 'node:crypto';
import { canonical } from '../src/base/canonical.ts';
import { publicKeyOf, verifyHere } from '../src/base/ed25519.ts';
import { openVerifier } from '../src/io/verifier.ts';
import { openEntries } from '../src/ledger/entry.ts';
import { uncheckedRecord } from '../src/record/record.ts';
import { coreSecondsOf, print, secondsOf } from './kit/figures.ts';
import { batches, mixed, PER_COMMIT } from './kit/mix.ts';

/*
 * Records opened, beside `crypto.verify` alone over the same bytes with keys that are parsed already: on one thread, and on
 * all cores. Opening makes the signing input from a record's text, hashes it to its id and checks its signature. Records:
 * the first argument, 20,000 unless given.
 */
const COUNT = Number(process.argv[2] ?? 20_000);
const ROUNDS = 3;

const entries = [...mixed(COUNT)].map((record, i) => ({
  record,
  recordText: canonical(record),
  salt: '0'.repeat(32),
  seq: i + 1,
}));
const checks = entries.map(({ record, recordText }) => {
  const { address, input, signature } = uncheckedRecord(record, recordText).check;
  return { key: publicKeyOf(address), input, signature: Buffer.from(signature, 'base64') };
});
const { verifyAll, close } = openVerifier();
await openEntries(entries.slice(0, 500), verifyAll);

/** The best of some rounds of each, in turns: whoever else is at work here meets all alike. */
const best = {
  bare: Number.POSITIVE_INFINITY,
  one: Number.POSITIVE_INFINITY,
  all: Number.POSITIVE_INFINITY,
};
for (let round = 0; round < ROUNDS; round++) {
  const bare = await coreSecondsOf(() => {
    for (const { key, input, signature } of checks)
      if (!verify(null, input, key, signature)) throw new Error('a wrong signature');
  });
  const one = await coreSecondsOf(async () => {
    for (const batch of batches(entries, PER_COMMIT)) await openEntries(batch, verifyHere);
  });
  const all = await secondsOf(async () => {
    for (const batch of batches(entries, PER_COMMIT)) await openEntries(batch, verifyAll);
  });
  best.bare = Math.min(best.bare, bare);
  best.one = Math.min(best.one, one);
  best.all = Math.min(best.all, all);
}
close();
const bare = { what: 'crypto.verify alone on one thread', value: COUNT / best.bare };
print([
  {
    what: 'opened on one thread',
    value: COUNT / best.one,
    unit: 'records/s',
    target: 'ratio of at least 0.9',
    bare,
  },
  { what: 'opened on all cores', value: COUNT / best.all, unit: 'records/s', bare },
]);
