import { spawnSync } from 'node:child_process';
import { verify } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { publicKeyOf } from '../src/base/ed25519.ts';
import { sha256 } from '../src/base/hash.ts';
import { openFsStore } from '../src/io/fs-store.ts';
import { garbageCollector } from '../src/io/heap.ts';
import { openMarkFile } from '../src/io/mark-file.ts';
import { deleteSqlite, openSqlite } from '../src/io/sqlite.ts';
import { openVerifier } from '../src/io/verifier.ts';
import { commitKey } from '../src/lake/layout.ts';
import { uncheckedRecord } from '../src/record/record.ts';
import { prepare } from '../src/snapshot/database.ts';
import { follow, positionOf } from '../src/snapshot/follow.ts';
import { TABLES } from '../src/snapshot/schema.ts';
import { print, secondsOf } from './kit/figures.ts';
import { FLEET, ledgerIn, mixed } from './kit/mix.ts';

/*
 * A first follow of a ledger in a folder, every signature checked; then the state built again from the mark that this left. Each
 * by a process of its own, whose memory is read at its end.
 *
 *   npm run bench -- follow [entries, 100,000 unless given] [a folder that keeps the ledger for the next time]
 */
interface Followed {
  readonly seconds: number;
  readonly entries: number;
  readonly megabytes: number;
  /** Seconds of cores, all threads together. */
  readonly cores: number;
}

async function followIn(folder: string): Promise<Followed> {
  const path = join(folder, 'state.sqlite');
  deleteSqlite(path);
  const state = openSqlite(path);
  prepare(state, TABLES);
  const { verifyAll, close } = openVerifier();
  const store = openFsStore(join(folder, 'lake'));
  const marks = openMarkFile(folder);
  const seconds = await secondsOf(() =>
    follow({
      store,
      state,
      fleetId: FLEET,
      verifyAll,
      marks,
      followed() {},
      relax: garbageCollector(),
    }),
  );
  const entries = positionOf(state);
  close();
  state.close();
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const cores = (userCPUTime + systemCPUTime) / 1_000_000;
  return { seconds, entries, megabytes: maxRSS / 1_000, cores };
}

function followApart(folder: string): Followed {
  const own = [...process.execArgv, process.argv[1] ?? '', '--follow', folder];
  const { stdout } = spawnSync(process.execPath, own, { stdio: ['ignore', 'pipe', 'inherit'] });
  return JSON.parse(stdout.toString()) as Followed;
}

/** Signature checks a second, alone on one thread, of records as the ledger has them. */
function bareChecks(): number {
  const checks = [...mixed(2_000)].map((record) => uncheckedRecord(record).check);
  const ready = checks.map(({ address, input, signature }) => ({
    input,
    key: publicKeyOf(address),
    signature: Buffer.from(signature, 'base64'),
  }));
  const start = performance.now();
  for (const { input, key, signature } of ready) verify(null, input, key, signature);
  return ready.length / ((performance.now() - start) / 1_000);
}

/** Seconds that it takes to read every line of the ledger, to parse it and to hash it, and nothing else. */
function bareReading(folder: string): Promise<number> {
  const store = openFsStore(join(folder, 'lake'));
  return secondsOf(async () => {
    for (let n = 1; ; n++) {
      const bytes = await store.get(commitKey(n));
      if (!bytes) return;
      for (const line of Buffer.from(bytes).toString().split('\n').slice(0, -1)) {
        JSON.parse(line);
        sha256(line);
      }
    }
  });
}

async function main(): Promise<void> {
  const entries = Number(process.argv[2] ?? 100_000);
  const kept = process.argv[3];
  const folder = kept ? resolve(kept) : mkdtempSync(join(tmpdir(), 'credence-bench-'));
  if (!existsSync(join(folder, 'lake')))
    await ledgerIn(openFsStore(join(folder, 'lake'), { make: true }), entries);
  openMarkFile(folder).remove();
  const checked = followApart(folder);
  const checks = checked.entries / bareChecks();
  const marked = followApart(folder);
  const reading = await bareReading(folder);
  const target = (seconds: number) =>
    `${((seconds * checked.entries) / 1_000_000).toFixed(1)}, which is ${seconds} for a million`;
  print([
    {
      what: `a first follow of ${checked.entries} entries, all checked`,
      value: checked.seconds,
      unit: 's',
      target: target(150),
      bare: { what: 'their signature checks alone on one thread', value: checks },
    },
    {
      what: 'built again from the mark',
      value: marked.seconds,
      unit: 's',
      target: target(90),
      bare: { what: 'their lines read, parsed and hashed', value: reading },
    },
    { what: 'the first follow, by the time of all cores', value: checked.cores, unit: 's' },
    { what: 'built again, by the time of all cores', value: marked.cores, unit: 's' },
    {
      what: 'memory at most',
      value: Math.max(checked.megabytes, marked.megabytes),
      unit: 'MB',
      target: '300',
    },
  ]);
  if (!kept) rmSync(folder, { recursive: true });
}

if (process.argv[2] === '--follow') {
  console.log(JSON.stringify(await followIn(process.argv[3] ?? '')));
} else await main();
