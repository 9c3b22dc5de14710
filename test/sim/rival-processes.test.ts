import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, onTestFinished, test } from 'vitest';
import { toInstant } from '../../src/base/time.ts';
import { openFsStore } from '../../src/io/fs-store.ts';
import { admissions } from '../../src/ledger/found.ts';
import { COMMITTER_LOOP } from '../kit/committer-loop.ts';
import { foundingOf, handoffBody, householdOf, idOf, noted, T0, worldAt } from '../kit/fleet.ts';
import { auditLedger, foundOn, inboxOf, memberOf } from '../kit/member.ts';
import type { Belief } from '../kit/rivals.ts';
import { type Draw, drawsOf } from '../kit/scheduler.ts';

const ROUNDS = 10;
const ann = householdOf('ann');
const common = householdOf('common');
const homes = ['one', 'two', 'three', 'four'].map((name) => ({ name, home: householdOf(name) }));

const idsOf = (records: Parameters<typeof idOf>[0][]) => records.map(idOf).sort();

async function bundleLoop(folder: string): Promise<string> {
  const outfile = join(folder, 'committer.cjs');
  await build({
    stdin: {
      contents: COMMITTER_LOOP,
      resolveDir: join(import.meta.dirname, '../kit'),
      loader: 'ts',
    },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['better-sqlite3'],
    logLevel: 'error',
  });
  return outfile;
}

/** A committer's process, begun anew each time that it is killed, until it comes to its end. */
class Committer {
  readonly beliefs: Belief[] = [];
  readonly troubles: string[] = [];
  kills = 0;
  hasEnded = false;
  readonly ended: Promise<void>;
  #child: ChildProcess | undefined;
  readonly #draw: Draw;
  readonly #isMortal: boolean;

  constructor(file: string, args: readonly string[], draw: Draw, isMortal: boolean) {
    this.#draw = draw;
    this.#isMortal = isMortal;
    this.ended = this.#run(file, args);
  }

  async #run(file: string, args: readonly string[]): Promise<void> {
    // The bundle lies outside of the package whose packages it needs.
    const env = { ...process.env, NODE_PATH: join(import.meta.dirname, '../../node_modules') };
    while (!this.hasEnded) {
      const child = spawn(process.execPath, [file, ...args], { env });
      this.#child = child;
      let [out, err] = ['', ''];
      // A commit or two into its life, so that some are killed however fast the machine is.
      const lifetime = this.kills < 2 ? 1 + this.#draw(3) : Number.POSITIVE_INFINITY;
      child.stdout.on('data', (data: Buffer) => {
        out += data.toString();
        if (this.#isMortal && out.split('\n').length > lifetime) this.signal('SIGKILL');
      });
      child.stderr.on('data', (data: Buffer) => {
        err += data.toString();
      });
      const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
      // What was cut off while it was printed was never told.
      const lines = out.split('\n').slice(0, -1);
      this.hasEnded = lines.at(-1) === 'end';
      for (const line of lines) if (line !== 'end') this.beliefs.push(JSON.parse(line) as Belief);
      if (code !== 0 && signal !== 'SIGKILL') {
        this.troubles.push(`${code} ${signal} ${err}`);
        return;
      }
    }
  }

  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
    const hasHit = this.#child?.kill(signal) === true;
    if (hasHit && signal === 'SIGKILL') this.kills += 1;
  }
}

/** Kills and stops processes at any moment; one of them sleeps until all others have ended. */
async function harass(committers: readonly Committer[], draw: Draw): Promise<void> {
  const [sleeper, ...others] = committers;
  await setTimeout(150 + draw(400));
  sleeper?.signal('SIGSTOP');
  for (let blow = 0; blow < 8; blow++) {
    const one = others[draw(others.length)];
    if (draw(2) === 0) one?.signal('SIGKILL');
    else {
      one?.signal('SIGSTOP');
      await setTimeout(draw(150));
      one?.signal('SIGCONT');
    }
    await setTimeout(draw(200));
  }
  await Promise.all(others.map(({ ended }) => ended));
  sleeper?.signal('SIGCONT');
  await sleeper?.ended;
}

test('four processes on one folder, killed and stopped at any moment, make one order', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rivals-'));
  const root = join(folder, 'store');
  const store = openFsStore(root, { make: true });
  await foundOn(store, ann, 'open', worldAt(T0, 'founding'));
  const file = await bundleLoop(folder);
  const draw = drawsOf(Date.now());
  const committers = homes.map(({ name }, i) => {
    const args = [root, name, join(folder, `${name}.sqlite`), `${ROUNDS}`];
    return new Committer(file, args, draw, i > 0);
  });
  onTestFinished(() => {
    for (const one of committers) one.signal('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  await harass(committers, draw);
  await memberOf(store, ann, worldAt(Date.now(), 'last')).commit();

  const { commits, records } = await auditLedger(store);
  const rounds = Array.from({ length: ROUNDS }, (_, i) => i);
  const expected = [
    ...[common, ...homes.map(({ home }) => home)].flatMap((home) =>
      admissions(home, toInstant(T0)).map(({ record }) => record),
    ),
    ...rounds.map((round) => noted(common, handoffBody(common, `of all ${round}`))),
    ...homes.flatMap(({ home }) =>
      rounds.map((round) => noted(home, handoffBody(home, `own ${round}`))),
    ),
  ];
  expect(committers.flatMap(({ troubles }) => troubles)).toEqual([]);
  expect(idsOf(records.slice(foundingOf(ann).length))).toEqual(idsOf(expected));
  expect(await inboxOf(store)).toEqual([]);
  expect(committers.reduce((sum, { kills }) => sum + kills, 0)).toBeGreaterThan(0);
  const heads = commits.map(({ checkpoint: { n, size, root } }) => ({ n, size, root }));
  for (const { beliefs } of committers) {
    expect(beliefs.length).toBeGreaterThan(0);
    for (const belief of beliefs) expect(belief).toEqual(heads[belief.n - 1]);
  }
});
