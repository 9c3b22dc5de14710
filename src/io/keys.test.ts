import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sign, verify } from '../base/ed25519.ts';
import { openKeyring } from './keys.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const refusal = (code: string) =>
  expect.objectContaining({ code, category: 'configuration', next: expect.any(String) });

describe('a key', () => {
  test('is made once, kept for this user alone, and is the same in every process', () => {
    const folder = newFolder();
    const signer = openKeyring(folder).signer('host');
    const path = join(folder, 'keys', 'host.json');
    expect([mode(path), mode(dirname(path))]).toEqual(['600', '700']);
    const again = openKeyring(folder).signer('host');
    expect(again.address).toBe(signer.address);
    expect(verify(signer.address, Buffer.from('x'), sign(again, Buffer.from('x')))).toBe(true);
    expect(openKeyring(folder).signer('person').address).not.toBe(signer.address);
  });

  test('is the same one until another takes its place, by whichever process', () => {
    const folder = newFolder();
    const [keys, others] = [openKeyring(folder), openKeyring(folder)];
    expect(keys.peek('host')).toBe(undefined);
    const signer = keys.signer('host');
    expect(keys.signer('host')).toBe(signer);
    const { address } = others.next('host');
    expect(others.peek('host')?.address).toBe(signer.address);
    others.turn('host');
    expect(keys.signer('host').address).toBe(address);
    expect(existsSync(join(folder, 'keys', 'host.json.next'))).toBe(false);
    others.turn('host');
    expect(keys.next('host').address).not.toBe(address);
    keys.dropNext('host');
    keys.turn('host');
    expect(keys.signer('host').address).toBe(address);
  });

  test.each([0o640, 0o604, 0o660, 0o644, 0o601])(
    'that others can reach (%o) is refused',
    (bits) => {
      const folder = newFolder();
      openKeyring(folder).signer('host');
      const path = join(folder, 'keys', 'host.json');
      chmodSync(path, bits);
      expect(() => openKeyring(folder).signer('host')).toThrow(refusal('key.mode'));
      chmodSync(path, 0o600);
      expect(openKeyring(folder).signer('host').address).toMatch(/^amp:key:/);
    },
  );

  test.each<[string, (text: string) => string]>([
    ['an empty file', () => ''],
    ['half of it', (text) => text.slice(0, 40)],
    ['no object', () => '[]'],
    ['null', () => 'null'],
    ['another seed', (text) => text.replace(/"seed": "./, '"seed": "AAAA')],
    ['a short seed', (text) => text.replace(/"seed": "[^"]+"/, '"seed": "AAAA"')],
    ['no seed', (text) => text.replace('"seed"', '"seat"')],
    ['another address', (text) => text.replace('amp:key:', 'amp:key:x')],
  ])('%s is refused, and stays as it is: a new key would be a new identity', (_what, damage) => {
    const folder = newFolder();
    openKeyring(folder).signer('host');
    const path = join(folder, 'keys', 'host.json');
    const damaged = damage(readFileSync(path, 'utf8'));
    writeFileSync(path, damaged);
    expect(() => openKeyring(folder).signer('host')).toThrow(refusal('key.malformed'));
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});

describe('keys that several processes want at once', () => {
  const MAKE = `
    import { existsSync, readFileSync, writeFileSync } from 'node:fs';
    import { openKeyring } from './keys.ts';
    const [folder, name] = process.argv.slice(2);
    writeFileSync(folder + '/ready-' + name, '');
    while (!existsSync(folder + '/go'));
    const keys = openKeyring(folder);
    const secret = Buffer.from(keys.hostSecret()).toString('hex');
    const signers = ['host', 'person', 'agent-a'].map((key) => keys.signer(key).address);
    process.stdout.write([secret, ...signers].join(' '));
  `;

  test('are the same for all of them, and for those that come later', async () => {
    const folder = newFolder();
    const outfile = join(folder, 'make.mjs');
    const stdin = { contents: MAKE, resolveDir: import.meta.dirname, loader: 'ts' as const };
    await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm' });
    const names = ['1', '2', '3', '4'];
    for (let round = 0; round < 5; round++) {
      const home = join(folder, String(round));
      mkdirSync(home);
      const made = names.map((name) =>
        promisify(execFile)(process.execPath, [outfile, home, name]),
      );
      while (!names.every((name) => existsSync(join(home, `ready-${name}`)))) await setTimeout(5);
      writeFileSync(join(home, 'go'), '');
      const said = (await Promise.all(made)).map(({ stdout }) => stdout);
      const keys = openKeyring(home);
      const signers = ['host', 'person', 'agent-a'].map((key) => keys.signer(key).address);
      const stands = [Buffer.from(keys.hostSecret()).toString('hex'), ...signers].join(' ');
      expect(said).toEqual(names.map(() => stands));
      expect(readdirSync(join(home, 'keys')).sort()).toEqual([
        'agent-a.json',
        'host.json',
        'host.secret',
        'person.json',
      ]);
    }
  }, 60_000);
});

describe('the host’s secret', () => {
  const pathIn = (folder: string) => join(folder, 'keys', 'host.secret');
  test('is 32 bytes, made once, for this user alone', () => {
    const folder = newFolder();
    const secret = openKeyring(folder).hostSecret();
    expect(secret).toHaveLength(32);
    expect(mode(pathIn(folder))).toBe('600');
    expect(openKeyring(folder).hostSecret()).toEqual(secret);
    expect(openKeyring(newFolder()).hostSecret()).not.toEqual(secret);
  });

  test('that others can read is refused', () => {
    const folder = newFolder();
    openKeyring(folder).hostSecret();
    chmodSync(pathIn(folder), 0o644);
    expect(() => openKeyring(folder).hostSecret()).toThrow(refusal('key.mode'));
  });

  test.each([0, 16, 31, 33])(
    'of %i bytes is refused: what it hashes could be found out',
    (length) => {
      const folder = newFolder();
      mkdirSync(join(folder, 'keys'));
      writeFileSync(pathIn(folder), Buffer.alloc(length, 1), { mode: 0o600 });
      expect(() => openKeyring(folder).hostSecret()).toThrow(refusal('key.malformed'));
    },
  );
});
