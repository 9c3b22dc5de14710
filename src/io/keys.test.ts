import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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

  test('is asked of the disk once', () => {
    const folder = newFolder();
    const keys = openKeyring(folder);
    const signer = keys.signer('host');
    rmSync(join(folder, 'keys'), { recursive: true });
    expect(keys.signer('host')).toBe(signer);
    expect(existsSync(join(folder, 'keys'))).toBe(false);
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
