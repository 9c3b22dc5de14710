import { createHash, scryptSync } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { openBytes, parseSealed, sealBytes } from './sealed.ts';

// Each try costs what a guess does, on a machine that others use.
vi.setConfig({ testTimeout: 120_000 });

const random = (n: number) => createHash('sha512').update(String(n)).digest().subarray(0, n);
const PURPOSE = 'credence/v1 key amp:key:x';
const seal = (passphrase: string, text: string, purpose = PURPOSE) =>
  sealBytes(passphrase, Buffer.from(text), { purpose, random });
const open = (passphrase: string, sealed: ReturnType<typeof seal>, purpose = PURPOSE) => {
  const bytes = openBytes(passphrase, sealed, purpose);
  return bytes && Buffer.from(bytes).toString();
};

describe('a sealed secret', () => {
  test('comes back under its passphrase, whatever both of them are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.uint8Array(), (word, bytes) => {
        const sealed = sealBytes(word, bytes, { purpose: PURPOSE, random });
        const stored = parseSealed(JSON.parse(JSON.stringify(sealed)));
        expect(Buffer.from(openBytes(word, stored, PURPOSE) ?? 'no')).toEqual(Buffer.from(bytes));
      }),
      { numRuns: 4 },
    );
  });

  test('does not open under another passphrase, nor for another purpose', () => {
    const sealed = seal('tide and pool', 'the seed');
    expect(open('tide and pool', sealed)).toBe('the seed');
    for (const other of ['', 'Tide and pool', 'tide and pool '])
      expect(open(other, sealed)).toBeUndefined();
    expect(open('tide and pool', sealed, 'credence/v1 key amp:key:y')).toBeUndefined();
  });

  test('opens however the letters of the passphrase were composed', () => {
    const [composed, decomposed] = ['\u00fcber alles', 'u\u0308ber alles'];
    expect(open(decomposed, seal(composed, 'x'))).toBe('x');
    expect(open(composed, seal(decomposed, 'x'))).toBe('x');
  });

  test('shows nothing of itself: equal ones differ by their salts and nonces', () => {
    let drawn = 0;
    const fresh = (n: number) => createHash('sha512').update(`${++drawn}`).digest().subarray(0, n);
    const [a, b] = [1, 2].map(() =>
      sealBytes('w', Buffer.alloc(32), { purpose: '', random: fresh }),
    );
    expect([a?.salt, a?.nonce, a?.text]).not.toContain(b?.salt);
    expect(a?.text).not.toBe(b?.text);
  });

  test('is not opened with any bit of it changed', () => {
    const sealed = seal('w', 'four');
    for (const name of ['salt', 'nonce', 'text'] as const) {
      const bytes = Buffer.from(sealed[name], 'base64');
      // A bit of some bytes, the first and the last among them: each try costs what a guess does.
      for (const i of [0, bytes.length >> 1, bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(i) ^ (1 << (i % 8)), i);
        expect(open('w', { ...sealed, [name]: changed.toString('base64') })).toBeUndefined();
      }
    }
  });

  test('costs what the design says: Node refuses these parameters within its own limit', () => {
    const cost = { N: 32_768, r: 8, p: 1 };
    expect(() => scryptSync('w', 's', 32, cost)).toThrow(/memory/i);
  });
});

describe('a stored form', () => {
  const good = seal('w', 'x');
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['a list', [good]],
    ['another method', { ...good, method: 'scrypt-1024-8-1+chacha20-poly1305' }],
    ['a cost of its own', { ...good, n: 2 ** 30 }],
    ['a short salt', { ...good, salt: 'AAAA' }],
    ['a long nonce', { ...good, nonce: good.salt }],
    ['no tag', { ...good, text: 'AAAA' }],
    ['base64 without padding', { ...good, salt: good.salt.replace(/=+$/, '') }],
    ['base64 with white space', { ...good, text: `${good.text}\n` }],
    ['more than a secret', { ...good, text: Buffer.alloc(65_537).toString('base64') }],
    ['a number', { ...good, text: 1 }],
  ])('is refused: %s', (_what, stored) => {
    expect(() => parseSealed(stored)).toThrow(
      expect.objectContaining({ code: 'sealed.malformed' }),
    );
  });
});
