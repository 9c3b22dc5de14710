import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { build } from 'esbuild';
import { describe, expect, test, vi } from 'vitest';
import { tempFolder } from '../../test/kit/home.ts';
import { sign, verify } from '../base/ed25519.ts';
import { openKeyring } from './keys.ts';
import { changeKeys, listKeys } from './keys-sealing.ts';

// Each key that is sealed or opened costs what a guess does, on a machine that others use.
vi.setConfig({ testTimeout: 120_000 });

const WORD = 'tide and pool';
const NAMES = ['agent-a', 'host', 'person'];
const under = (value?: string, variable = 'PASS') => ({ value, variable });
const refusal = (code: string) => expect.objectContaining({ code, next: expect.any(String) });
const pathOf = (folder: string, name: string) => join(folder, 'keys', `${name}.json`);
const textOf = (folder: string, name: string) => readFileSync(pathOf(folder, name), 'utf8');
const seal = (folder: string, passphrase = WORD, dryRun = false) =>
  changeKeys(folder, 'sealed', { passphrase, dryRun });

function homeOf(names = NAMES) {
  const folder = tempFolder('sealing');
  const keys = openKeyring(folder);
  const addresses = names.map((name) => keys.signer(name).address);
  return { folder, addresses };
}

function signs(folder: string, name: string, passphrase = under(WORD)): boolean {
  const signer = openKeyring(folder, passphrase).signer(name);
  const input = Buffer.from('x');
  return verify(signer.address, input, sign(signer, input));
}

describe('a sealed key', () => {
  test('is the same key, of the same mode, without its seed in the clear', () => {
    const { folder, addresses } = homeOf(['host']);
    const { seed } = JSON.parse(textOf(folder, 'host')) as { seed: string };
    expect(seal(folder)).toMatchObject([{ name: 'host', address: addresses[0], sealed: true }]);
    expect(Object.keys(JSON.parse(textOf(folder, 'host')))).toEqual(['address', 'sealed']);
    expect(textOf(folder, 'host')).not.toContain(seed);
    expect(signs(folder, 'host')).toBe(true);
    chmodSync(pathOf(folder, 'host'), 0o644);
    expect(() => openKeyring(folder, under(WORD)).signer('host')).toThrow(refusal('key.mode'));
  });

  test('tells its address without a passphrase, and signs nothing', () => {
    const { folder, addresses } = homeOf(['host']);
    seal(folder);
    const signer = openKeyring(folder).signer('host');
    expect(signer.address).toBe(addresses[0]);
    expect(() => signer.key).toThrow(refusal('key.sealed'));
    const named = openKeyring(folder, under(undefined)).signer('host');
    expect(() => named.key).toThrow(/keys\/host\.json .*PASS.* not set/);
    expect(() => openKeyring(folder, under('Tide and pool')).signer('host').key).toThrow(
      refusal('key.passphrase'),
    );
  });

  test('opens for its own address alone', () => {
    const { folder, addresses } = homeOf(['host', 'person']);
    seal(folder);
    const [host = '', person = ''] = addresses;
    writeFileSync(pathOf(folder, 'host'), textOf(folder, 'host').replace(host, person));
    expect(() => openKeyring(folder, under(WORD)).signer('host').key).toThrow(
      refusal('key.passphrase'),
    );
  });

  test.each<[string, (stored: Record<string, unknown>) => unknown]>([
    [
      'another method',
      ({ sealed, ...rest }) => ({ ...rest, sealed: { ...(sealed as object), method: 'x' } }),
    ],
    ['no sealed text', ({ address }) => ({ address, sealed: null })],
    ['a seed beside', (stored) => ({ ...stored, seed: 'AAAA' })],
    ['no address', ({ sealed }) => ({ sealed })],
  ])('with %s is refused before anything is derived', (_what, change) => {
    const { folder } = homeOf(['host']);
    seal(folder);
    const changed = change(JSON.parse(textOf(folder, 'host')) as Record<string, unknown>);
    writeFileSync(pathOf(folder, 'host'), JSON.stringify(changed));
    expect(() => openKeyring(folder, under(WORD)).signer('host')).toThrow(refusal('key.malformed'));
  });

  test('is made sealed in a home with a passphrase, and not made where that is to be had and is not', () => {
    const folder = tempFolder('sealed-new');
    expect(() => openKeyring(folder, under(undefined)).signer('host')).toThrow(
      refusal('key.sealed'),
    );
    expect(existsSync(pathOf(folder, 'host'))).toBe(false);
    openKeyring(folder, under(WORD)).signer('host');
    expect(listKeys(folder)).toMatchObject([{ name: 'host', sealed: true }]);
    expect(signs(folder, 'host')).toBe(true);
    // The hook reads it, and asks nobody.
    expect(openKeyring(folder).hostSecret()).toHaveLength(32);
  });
});

describe('sealing', () => {
  test('changes what is open, tells which, and goes on where it was cut off', () => {
    const { folder, addresses } = homeOf();
    const before = NAMES.map((name) => textOf(folder, name));
    expect(seal(folder, WORD, true).map(({ name }) => name)).toEqual(NAMES);
    expect(NAMES.map((name) => textOf(folder, name))).toEqual(before);
    expect(seal(folder).map(({ name }) => name)).toEqual(NAMES);
    expect(seal(folder)).toEqual([]);
    openKeyring(folder).signer('agent-b');
    expect(seal(folder).map(({ name }) => name)).toEqual(['agent-b']);
    changeKeys(folder, 'open', { passphrase: WORD, dryRun: false });
    const listed = listKeys(folder).filter(({ name }) => NAMES.includes(name));
    expect(listed.map(({ address, sealed }) => [address, sealed])).toEqual(
      addresses.map((address) => [address, false]),
    );
  });

  test('never leaves a home under two passphrases, nor half done by a key that is damaged', () => {
    const { folder } = homeOf();
    seal(folder);
    openKeyring(folder).signer('agent-b');
    const before = textOf(folder, 'agent-b');
    expect(() => seal(folder, 'another one')).toThrow(refusal('key.passphrase'));
    writeFileSync(pathOf(folder, 'person'), '{}');
    expect(() => seal(folder)).toThrow(refusal('key.malformed'));
    expect(textOf(folder, 'agent-b')).toBe(before);
    expect(listKeys(folder).find(({ name }) => name === 'person')).toMatchObject({
      fault: 'key.malformed',
    });
  });

  test('follows a link to the file that holds the key, which would stay open otherwise', () => {
    const { folder } = homeOf(['host']);
    const kept = join(folder, 'kept.json');
    renameSync(pathOf(folder, 'host'), kept);
    symlinkSync(kept, pathOf(folder, 'host'));
    seal(folder);
    expect(JSON.parse(readFileSync(kept, 'utf8'))).toHaveProperty('sealed');
  });

  test('takes away what a key that was being made left there, open, and nothing that is being made now', () => {
    const { folder } = homeOf(['host']);
    const left = join(folder, 'keys', '.credence-1-00000000.tmp');
    const fresh = join(folder, 'keys', '.credence-1-00000001.tmp');
    for (const path of [left, fresh]) writeFileSync(path, textOf(folder, 'host'), { mode: 0o600 });
    const old = Date.now() / 1000 - 120;
    utimesSync(left, old, old);
    seal(folder);
    expect([existsSync(left), existsSync(fresh)]).toEqual([false, true]);
  });

  test('of no keys is nothing', () => {
    expect(seal(tempFolder('no-keys'))).toEqual([]);
  });
});

const CHANGE = `
  import { writeFileSync } from 'node:fs';
  import { changeKeys } from './keys-sealing.ts';
  const [folder, passphrase] = process.argv.slice(2);
  writeFileSync(folder + '/ready', '');
  for (;;) for (const to of ['sealed', 'open']) changeKeys(folder, to, { passphrase, dryRun: false });
`;

test('killed at any moment, every key is whole, sealed or open, and the next call finishes', async () => {
  const { folder, addresses } = homeOf(['agent-a', 'host']);
  const outfile = join(folder, 'change.mjs');
  const stdin = { contents: CHANGE, resolveDir: import.meta.dirname, loader: 'ts' as const };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
  for (let round = 0; round < 5; round++) {
    const home = join(folder, String(round));
    mkdirSync(join(home, 'keys'), { recursive: true, mode: 0o700 });
    for (const name of ['agent-a', 'host'])
      writeFileSync(pathOf(home, name), textOf(folder, name), { mode: 0o600 });
    const child = spawn(process.execPath, [outfile, home, WORD]);
    while (!existsSync(join(home, 'ready'))) await setTimeout(2);
    await setTimeout(60 + 151 * round);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const listed = listKeys(home);
    expect(listed.map(({ address }) => address)).toEqual(addresses);
    seal(home);
    expect(listKeys(home).every(({ sealed }) => sealed)).toBe(true);
    expect(signs(home, 'host') && signs(home, 'agent-a')).toBe(true);
    const rest = readdirSync(join(home, 'keys')).filter((name) => !name.endsWith('.tmp'));
    expect(rest.sort()).toEqual(['agent-a.json', 'host.json']);
  }
});
