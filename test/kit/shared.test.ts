import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shared-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Imports the module anew, as a process with that variable would. */
async function importWith(named: string | undefined) {
  vi.resetModules();
  vi.stubEnv('CREDENCE_SHARED', named);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  return import('./shared.ts');
}

test('the variable names the folder', async () => {
  const folder = newFolder();
  expect((await importWith(folder)).shared).toBe(folder);
});

test('a variable without its folder fails at once', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  for (const named of [join(folder, 'none'), join(folder, 'file'), '']) {
    await expect(importWith(named), named).rejects.toThrow(/CREDENCE_SHARED/);
  }
});

test('without the variable, it is the folder beside the repository or none', async () => {
  const { shared } = await importWith(undefined);
  const beside = join(import.meta.dirname, '../../../shared');
  expect([beside, undefined]).toContain(shared);
});

test('where the folder is absent, a suite is skipped by name, and its body is not run', () => {
  const folder = newFolder();
  const clone = join(folder, 'clone');
  mkdirSync(join(clone, 'test/kit'), { recursive: true });
  cpSync(join(import.meta.dirname, 'shared.ts'), join(clone, 'test/kit/shared.ts'));
  symlinkSync(join(import.meta.dirname, '../../node_modules'), join(clone, 'node_modules'));
  writeFileSync(join(clone, 'package.json'), '{"type":"module"}');
  writeFileSync(
    join(clone, 'a.test.ts'),
    `import { describeShared } from './test/kit/shared.ts';
     describeShared('reads the data', () => {
       throw new Error('there is nothing to read');
     });`,
  );
  const { CREDENCE_SHARED: _, ...env } = process.env;
  const vitest = join(clone, 'node_modules/vitest/vitest.mjs');
  const out = execFileSync(process.execPath, [vitest, 'run', '--reporter=json', '--root', clone], {
    env,
    encoding: 'utf8',
  });
  const report = JSON.parse(out.slice(out.indexOf('{')));
  expect(report).toMatchObject({ success: true, numPassedTests: 0, numPendingTests: 1 });
  expect(report.testResults[0].assertionResults[0].fullName).toBe(
    'reads the data needs the shared test data: set CREDENCE_SHARED to its folder',
  );
}, 60_000);
