import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonical } from '../src/base/canonical.ts';
import { remembering } from '../src/base/ed25519.ts';
import { admissionView } from '../src/fold/admission.ts';
import { openFsStore } from '../src/io/fs-store.ts';
import { openSqlite } from '../src/io/sqlite.ts';
import { openVerifier } from '../src/io/verifier.ts';
import { commitKey } from '../src/lake/layout.ts';
import { GENESIS, type Head, propose, readCommit } from '../src/ledger/commit.ts';
import { commitPending } from '../src/ledger/committer.ts';
import { foundFleet } from '../src/ledger/found.ts';
import { deposit } from '../src/ledger/inbox.ts';
import { prepare, readerOf } from '../src/snapshot/database.ts';
import { follow, positionOf } from '../src/snapshot/follow.ts';
import { TABLES } from '../src/snapshot/schema.ts';
import { print, secondsOf, signatureRate } from './kit/figures.ts';
import { batches, FLEET, HOME, mixed, PER_COMMIT, WORLD } from './kit/mix.ts';

/*
 * Records made durable in a folder, in commits of a thousand: ordered, salted, hashed, signed and put, beside the same bytes
 * written and synced; and the whole way from the inbox, where each is admitted, to a state that has followed them, beside
 * the one signature check of each that this needs. Entries: the first argument, 50,000 unless given.
 */
const COUNT = Number(process.argv[2] ?? 50_000);
const folder = mkdtempSync(join(tmpdir(), 'credence-bench-'));
const by = { fleetId: FLEET, signer: HOME.host, world: WORLD, now: WORLD.now() };
const records = [...batches(mixed(COUNT), PER_COMMIT)];

// As a committer has them: each came as a line of the inbox, in its canonical form.
const texts = new Map(records.flat().map((record) => [record, canonical(record)]));

let objects: Uint8Array[] = [];

/** Seconds to order all of them and to make them durable, in a folder of its own. */
async function commitAll(name: string): Promise<number> {
  const plain = openFsStore(join(folder, name), { make: true });
  objects = [];
  let seconds = 0;
  let head: Head = GENESIS;
  for (const batch of records) {
    seconds += await secondsOf(async () => {
      const bytes = propose(head, batch, { ...by, texts });
      await plain.putIfAbsent(commitKey(head.n + 1), bytes);
      objects.push(bytes);
    });
    // A committer follows what it wrote: what this costs is part of the whole way, below.
    head = readCommit(objects.at(-1) ?? new Uint8Array(), head, FLEET).head;
  }
  return seconds;
}

// The first is compiled while it runs, and whoever else is at work here meets some more than others.
const written = Math.min(await commitAll('one'), await commitAll('two'), await commitAll('three'));
const bare = await secondsOf(() => {
  for (const [i, bytes] of objects.entries()) {
    const fd = openSync(join(folder, `bare-${i}`), 'wx');
    writeSync(fd, bytes);
    fsyncSync(fd);
    closeSync(fd);
  }
});

const store = openFsStore(join(folder, 'lake'), { make: true });
await foundFleet(store, { fleetId: FLEET, admission: 'open' }, HOME, WORLD);
for (const [i, batch] of records.entries()) await deposit(store, HOME.hostId, i + 1, batch);
const state = openSqlite(join(folder, 'state.sqlite'));
prepare(state, TABLES);
const { verifyAll: verifyEach, close } = openVerifier();
const verifyAll = remembering(verifyEach);
const signatures = signatureRate();
const whole = await secondsOf(() =>
  commitPending({
    store,
    ...by,
    hostId: HOME.hostId,
    verifyAll,
    follow: async () => {
      const head = await follow({ store, state, fleetId: FLEET, verifyAll, followed() {} });
      return { head, view: admissionView(readerOf(state), head.frontier.size) };
    },
  }),
);
if (positionOf(state) !== COUNT + HOME.agents.length + 2) throw new Error('not all were committed');
print([
  {
    what: 'ordered, signed and durable in a folder',
    value: COUNT / written,
    unit: 'entries/s',
    target: 'at least 50,000',
    bare: { what: 'the same bytes written and synced', value: COUNT / bare },
  },
  {
    what: 'from the inbox to a state that followed them, each admitted',
    value: COUNT / whole,
    unit: 'entries/s',
    bare: { what: 'one signature check of each on one thread', value: signatures },
  },
]);
close();
state.close();
rmSync(folder, { recursive: true });
