import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { commitKey } from '../../src/lake/layout.ts';
import { tempFolder } from '../kit/home.ts';
import { machine, placeHistory } from './machine.ts';

// It starts the program many times.
vi.setConfig({ testTimeout: 240_000 });

const TEXT = 'the Lindqvist account is 4711';

test('what is erased is gone, by name, and the ledger holds', () => {
  const folder = tempFolder('erase');
  const { run, json } = machine(folder);
  placeHistory(folder);
  expect(run('import').status).toBe(0);
  const [session] = json('sessions') as unknown as { session: string }[];
  run('handoff', '--session', session?.session ?? '', '--summary', TEXT);
  run('sync', '--once');
  const lake = join(folder, '.credence', 'lake');
  const ledger = () => {
    let text = '';
    for (let n = 1; n <= (json('verify')['commits'] as number); n++)
      text += readFileSync(join(lake, commitKey(n)), 'utf8');
    return text;
  };
  expect(ledger()).toContain(TEXT);
  const [note] = json('handoffs') as unknown as { id: string }[];
  const id = note?.id ?? '';
  const proof = json('prove', id) as { entry: { seq: number } };
  const position = String(proof.entry.seq);
  const kept = join(folder, 'proof.json');
  writeFileSync(kept, JSON.stringify(proof));

  const dry = run('erase', id, '--dry-run');
  expect([dry.status, dry.stdout]).toEqual([0, expect.stringContaining('handoff')]);
  expect(dry.stdout).toContain(TEXT);
  expect(json('erase', id, '--dry-run')['entries']).toMatchObject([{ text: TEXT }]);
  const unasked = run('erase', id, '--reason', 'asked for');
  expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
  expect(run('erase', id).status).toBe(2);
  expect(run('erase', '1', '--dry-run').stderr).toContain('erasure.context');
  expect(ledger()).toContain(TEXT);

  const done = json('erase', id, '--reason', 'asked for', '--yes');
  expect(done).toMatchObject({
    reason: 'asked for',
    removed: [{ seq: Number(position), context: 'handoff', commit: expect.any(Number) }],
    machines: [{ passed: true }],
    tombstones: 2,
  });
  expect(ledger()).not.toContain(TEXT);
  const erasure = String(done['erasure']);
  expect(json('erase', '--certificate', erasure.slice(0, 12))).toEqual(done);
  expect(run('erase', '--certificate', '1').stderr).toContain('erasure.missing');
  expect(run('verify').stdout).toMatch(/^ok the ledger/);
  // What proved that it stood there still does, and so does its stub.
  expect(run('verify', kept).stdout).toContain(`is handoff ${id}`);
  const stub = run('prove', position);
  expect(stub.stderr).toContain(`was erased by ${erasure}`);
  writeFileSync(kept, stub.stdout);
  expect(run('verify', kept).stdout).toContain('was erased');
  expect(json('handoffs')).toEqual([]);
  expect(run('erase', position, '--dry-run').stderr).toContain('erasure.repeated');
});
