import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openFleet } from '../../src/fleet.ts';
import { envOf, tempFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 180_000 });

const root = join(import.meta.dirname, '..', '..');
const scope = { space: 'tidepool', segment: null };

/** A home in a folder of its own, of the command line and of the library alike. */
function homeIn(name: string) {
  const folder = tempFolder(name);
  return machine(folder, envOf(folder));
}

/** A home whose fleet holds a claim, a position on it, and one of another space; and a bundle of the first. */
async function exported(name: string) {
  const there = homeIn(name);
  const [ann, bob] = [
    await openFleet({ env: there.env, agent: 'ann' }),
    await openFleet({ env: there.env, agent: 'bob' }),
  ];
  const { claim } = await ann.propose({ scope, kind: 'semantic', statement: 'Tests take <40 s>' });
  await bob.endorse(claim, { verdict: 'corroborate', basis: 'measured' });
  const other = { space: 'private\u202e', segment: null };
  await ann.propose({ scope: other, kind: 'semantic', statement: 'Not for others' });
  const file = join(there.folder, 'tidepool.ndjson');
  return { there, claim, file };
}

test('a claim is carried from one fleet to another by a file, and counts there once its author is admitted', async () => {
  const { there, claim, file } = await exported('there');
  const crossing = there.run('export', '--out', file);
  expect([crossing.status, crossing.stderr]).toEqual([1, expect.stringContaining('export.spaces')]);
  expect(crossing.stderr).toContain('  tidepool\n');
  expect(crossing.stderr).not.toContain('\u202e');
  expect(there.run('export', '--space', 'tidepool').status).toBe(2);
  const tried = there.run('export', '--space', 'tidepool', '--dry-run');
  expect(tried.stdout).toContain('would export 1 claim, 1 position');
  const made = there.json('export', '--space', 'tidepool', '--out', file);
  expect(made).toMatchObject({ file, claims: [claim], left: [], counts: { endorsements: 1 } });
  expect(readFileSync(file, 'utf8')).not.toContain('Not for others');
  const twice = there.run('export', '--space', 'tidepool', '--out', file);
  expect([twice.status, twice.stderr]).toEqual([1, expect.stringContaining('export.exists')]);
  const link = join(there.folder, 'link.ndjson');
  symlinkSync(join(there.folder, 'nowhere'), link);
  expect(there.run('export', '--space', 'tidepool', '--out', link).stderr).toContain(
    'export.exists',
  );
  expect(there.run('import-bundle', file).stderr).toContain('import.own');

  const here = homeIn('here');
  expect(here.run('init').status).toBe(0);
  const spoilt = join(here.folder, 'spoilt.ndjson');
  writeFileSync(spoilt, readFileSync(file, 'utf8').replace('measured', 'measurex'));
  const refused = here.run('import-bundle', spoilt);
  expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining('(bundle.hash)')]);
  expect(here.run('import-bundle', join(here.folder, 'none')).stderr).toContain('file.missing');
  expect(here.run('import-bundle', here.folder).stderr).toContain('bundle.file');
  expect(here.run('bundles').stdout).toContain('no bundle was imported yet');
  expect(here.run('import-bundle', file, '--dry-run').stdout).toContain('would import 2 records');
  expect(here.json('bundles')).toEqual({ origins: [] });
  const first = here.run('import-bundle', file);
  expect(first.stdout).toContain('imported 2 records of 1 claim, 1 position');
  expect(first.stdout).toContain('foreign: nobody here admitted');
  expect(here.run('import-bundle', file).stdout).toContain('nothing new');
  const [origin] = here.json('bundles')['origins'] as { fleet: string }[];
  const shown = here.run('bundles', origin?.fleet.slice(0, 8) ?? '').stdout;
  expect(shown).toContain('Tests take ‹40 s›');
  expect(shown).toContain('foreign, there +1 −0');
  expect(here.run('bundles', 'other').stderr).toContain('origin.missing');
  const reader = await openFleet({ env: here.env });
  expect(await reader.claims('tidepool')).toEqual([]);

  // The same agent at work here, with its own key.
  const key = (of: typeof here) => join(of.folder, '.config', 'credence', 'keys', 'agent-ann.json');
  copyFileSync(key(there), key(here));
  const ann = await openFleet({ env: here.env, agent: 'ann' });
  await ann.observe({ scope, kind: 'observation', content: 'hello' });
  expect(await ann.claim(claim)).toMatchObject({
    status: 'candidate',
    corroborations: 0,
    foreign: { corroborations: 1 },
  });
  expect(here.run('bundles', 'local').stdout).toContain('counts here from entry');

  // What an import carries goes by the claim's own id, with all that the import says.
  const lake = join(here.folder, 'lake', 'ledger');
  const ledger = () =>
    readdirSync(lake, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => readFileSync(join(file.parentPath, file.name), 'utf8'))
      .join('');
  expect(ledger()).toContain('Tests take');
  const erased = here.json('erase', claim.slice(0, 12), '--reason', 'asked for', '--yes');
  expect(erased).toMatchObject({ removed: [{ context: 'bundle-import' }] });
  expect(ledger()).not.toContain('Tests take');
  expect(here.run('verify').stdout).toMatch(/^ok the ledger/);
  expect(here.run('import-bundle', file).stdout).toContain('left out 2 records');
});

test('the library carries them, too', async () => {
  const { there, claim } = await exported('library-there');
  const { bytes } = await (await openFleet({ env: there.env })).exportBundle({ claims: [claim] });
  const here = await openFleet({ env: homeIn('library-here').env });
  expect(await here.importBundle(bytes, { dryRun: true })).toMatchObject({ claims: 1, said: [] });
  expect(await here.importBundle(bytes)).toMatchObject({ claims: 1, known: 0 });
  expect(await here.importBundle(bytes)).toMatchObject({ known: 2, said: [] });
  await expect(here.importBundle(bytes.subarray(1))).rejects.toMatchObject({ code: 'bundle.form' });
});

test('credence/verify checks a bundle where nothing native is there', async () => {
  const { there, file, claim } = await exported('bare');
  expect(there.run('export', claim.slice(0, 10), '--out', file).status).toBe(0);
  const folder = tempFolder('bundle-verifier');
  const own = join(folder, 'node_modules', 'credence');
  mkdirSync(own, { recursive: true });
  cpSync(join(root, 'package.json'), join(own, 'package.json'));
  cpSync(join(root, 'dist'), join(own, 'dist'), { recursive: true });
  const zod = join('node_modules', 'zod');
  cpSync(join(root, zod), join(folder, zod), { recursive: true });
  const script = `
    import { verifyBundle } from 'credence/verify';
    import { readFileSync } from 'node:fs';
    const proven = verifyBundle(readFileSync(process.argv[2]));
    const native = process.report.getReport().sharedObjects.filter((name) => name.endsWith('.node'));
    console.log(JSON.stringify({ ids: proven.records.map(({ record }) => record.id), native }));
  `;
  writeFileSync(join(folder, 'check.mjs'), script);
  const printed = execFileSync(process.execPath, [join(folder, 'check.mjs'), file], {
    encoding: 'utf8',
  });
  expect(JSON.parse(printed)).toEqual({ ids: [claim, expect.any(String)], native: [] });
});
