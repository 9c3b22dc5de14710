import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { commitKey } from '../../src/lake/layout.ts';
import { filledFolder, tempFolder } from '../kit/home.ts';
import { machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const root = join(import.meta.dirname, '..', '..');

const imported = filledFolder('proof', (folder) => {
  placeHistory(folder);
  expect(machine(folder).run('import').status).toBe(0);
});

/** A machine with a small history in its ledger. */
async function settled() {
  const folder = await imported();
  const one = machine(folder);
  const kept = (file: string, ...args: string[]) => {
    const path = join(folder, file);
    writeFileSync(path, one.run(...args).stdout);
    return path;
  };
  const commit = (n: number) => join(folder, '.credence', 'lake', commitKey(n));
  return { ...one, kept, commit };
}

describe('a ledger', () => {
  test('is verified from its bytes alone, and what was altered is named', async () => {
    const { run, json, kept, commit } = await settled();
    const head = kept('head.json', 'prove', '--head');
    expect(run('verify').stdout).toMatch(/^ok the ledger of fleet local holds/);
    expect(run('verify', head).stdout).toContain(`its commit 2 is the one in ${head}`);
    const bytes = readFileSync(commit(2), 'utf8');
    writeFileSync(commit(2), bytes.replace('"session":', '"sessiom":'));
    const altered = run('verify');
    expect([altered.status, altered.stdout]).toEqual([
      1,
      expect.stringMatching(/^bad commit 2: .*\n {4}what stands before it holds: \d+ entries in 1/),
    ]);
    expect(json('verify')).toMatchObject({ commits: 1, fault: { commit: 2 } });
    rmSync(commit(2));
    expect(run('verify').stdout).toContain('this machine saw commit 2 (ledger.cut_off)');
  });

  test('has proofs that go by record, by session and by head, and no others', async () => {
    const { run, kept, json } = await settled();
    const [session] = json('sessions') as unknown as { session: string }[];
    const proof = kept('proof.json', 'prove', session?.session ?? '');
    expect(run('verify', proof).stdout).toMatch(
      /^ok entry \d+ of fleet local is session [0-9a-f]+/,
    );
    const head = kept('head.json', 'prove', '--head');
    const growth = kept('growth.json', 'prove', '--since', head);
    expect(run('verify', growth).stdout).toContain('goes on from what was seen');
    const salted = (_all: string, digit: string) => `"salt": "${digit === '0' ? '1' : '0'}`;
    writeFileSync(proof, readFileSync(proof, 'utf8').replace(/"salt": "(.)/, salted));
    expect(run('verify', proof)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('does not lead to the root of commit 2 (proof.wrong)'),
    });
    for (const args of [[], ['1', '--head'], ['nothing-like-it']])
      expect(run('prove', ...args).status).not.toBe(0);
  });
});

test('credence/verify checks a proof where nothing native, and no other package than it needs, is there', async () => {
  const { kept } = await settled();
  const proof = kept('proof.json', 'prove', '1');
  const folder = tempFolder('verifier');
  const own = join(folder, 'node_modules', 'credence');
  mkdirSync(own, { recursive: true });
  cpSync(join(root, 'package.json'), join(own, 'package.json'));
  cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
  cpSync(join(root, 'node_modules', 'zod'), join(folder, 'node_modules', 'zod'), {
    recursive: true,
  });
  const script = `
    import { verifyProof } from 'credence/verify';
    import { readFileSync } from 'node:fs';
    const proven = verifyProof(JSON.parse(readFileSync(process.argv[1], 'utf8')));
    const native = process.report.getReport().sharedObjects.filter((name) => name.endsWith('.node'));
    console.log(JSON.stringify({ seq: proven.seq, context: proven.context, native }));
  `;
  writeFileSync(join(folder, 'check.mjs'), script.replace('process.argv[1]', 'process.argv[2]'));
  const printed = execFileSync(process.execPath, [join(folder, 'check.mjs'), proof], {
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual({ seq: 1, context: 'fleet', native: [] });
  expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['credence', 'zod']);
});
