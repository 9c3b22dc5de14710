import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'credence-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The packed package, installed into an empty folder as a stranger would. */
beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  }).trim();
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  execFileSync(
    'npm',
    ['install', '--silent', '--ignore-scripts', '--prefer-offline', join(folder, packed)],
    { cwd: folder },
  );
  // The driver was compiled for this machine already; compiling it again would say nothing about the package.
  cpSync(
    join(root, 'node_modules', 'better-sqlite3', 'build'),
    join(folder, 'node_modules', 'better-sqlite3', 'build'),
    { recursive: true },
  );
}, 180_000);

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });

/** The programs that a page of the guide shows. */
function examplesOf(page: string): string[] {
  const text = readFileSync(join(root, 'docs', 'guide', page), 'utf8');
  return [...text.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

test('the command line runs there', { timeout: 180_000 }, () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  const run = (...args: string[]) =>
    spawnSync('npx', ['credence', ...args], {
      cwd: folder,
      env: { ...process.env, HOME: home, XDG_CONFIG_HOME: '' },
      encoding: 'utf8',
    });
  const up = run('up', '--once');
  expect(up.stdout).toContain('Fleet context: github.com/example/tidepool');
  expect(up.status).toBe(0);
  expect(run('doctor').stdout).toMatch(/ok {2}hook/);
  const status = JSON.parse(run('status', '--json').stdout) as { setUp: boolean };
  expect(status.setUp).toBe(true);
});

test('the types of the library hold in a strict project, and refuse what the verbs refuse', {
  timeout: 180_000,
}, () => {
  const [example = ''] = examplesOf('library.md');
  const [probing = ''] = examplesOf('store.md');
  const own = `
    import { type Fleet, type Keys, type ObjectStore, type Retriever, type SourceWeight, newSeed, openFleet, signerOf } from 'credence';
    const signer = signerOf(newSeed());
    const keys: Keys = { signer: () => signer };
    const retriever: Retriever = { search: (_query, claims) => new Map(claims.map(({ id }) => [id, 1])) };
    const sourceWeight: SourceWeight = (identity) => (identity === signer.address ? 0 : 1);
    export const open = (store: ObjectStore): Promise<Fleet> => openFleet({ store, keys, retriever, sourceWeight });
    await using fleet = await open({} as ObjectStore);
    // @ts-expect-error there is no such kind
    await fleet.propose({ scope: { space: 's', segment: null }, kind: 'rumour', statement: 'x' });
  `;
  for (const [name, text] of Object.entries({ example, probing, own }))
    writeFileSync(join(folder, `${name}.ts`), text);
  const options = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable'],
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  const config = { compilerOptions: options, files: ['example.ts', 'probing.ts', 'own.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const checked = node(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', folder);
  expect(checked.stdout).toBe('');
  expect(checked.status).toBe(0);
});

test('the examples of the guide run as they stand, without what only a home needs', {
  timeout: 180_000,
}, () => {
  for (const name of [
    'hyparquet-writer',
    'hyparquet',
    'commander',
    'cli-table3',
    'smol-toml',
    'picocolors',
  ])
    rmSync(join(folder, 'node_modules', name), { recursive: true, force: true });
  const run = (code: string | undefined) => {
    writeFileSync(join(folder, 'example.mjs'), code ?? '');
    const { stdout, stderr } = node('example.mjs');
    expect(stderr).toBe('');
    return stdout;
  };
  expect(examplesOf('library.md').map(run)).toEqual(['verdict.own\nThe tests take 40 s 0.25 1\n']);
  const [probed] = examplesOf('store.md').map(run);
  expect(probed?.split('\n')).toHaveLength(7);
  expect(probed).not.toContain('bad');
  // Naming the library loads no package at all: what is needed comes when a fleet is opened.
  rmSync(join(folder, 'node_modules', 'better-sqlite3'), { recursive: true });
  rmSync(join(folder, 'node_modules', 'zod'), { recursive: true });
  expect(run(`import { memoryStore } from 'credence'; console.log(memoryStore().name);`)).toBe(
    'memory\n',
  );
});
