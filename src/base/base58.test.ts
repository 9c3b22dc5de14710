import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeShared } from '../../test/kit/shared.ts';
import { base58Decode, base58Encode } from './base58.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('base58', () => {
  test.each([
    ['', ''],
    ['00', '1'],
    ['0000', '11'],
    ['01', '2'],
    ['39', 'z'],
    ['3a', '21'],
    ['ff', '5Q'],
    ['0001', '12'],
    ['0100', '5R'],
    [`00${'ff'.repeat(4)}`, '17YXq9G'],
  ])('%s is %s', (bytes, text) => {
    expect(base58Encode(Buffer.from(bytes, 'hex'))).toBe(text);
    expect(hex(base58Decode(text))).toBe(bytes);
  });

  test.each(['0', 'O', 'I', 'l', ' ', '1 ', '2\n', '2=', 'é', '🦊', '١'])(
    '%j is no base58',
    (text) => {
      expect(() => base58Decode(text)).toThrow(
        expect.objectContaining({ category: 'incorrect', code: 'base58.malformed' }),
      );
    },
  );

  test('any bytes come back, whatever zeros they begin with', () => {
    const anyBytes = fc
      .tuple(fc.nat(4), fc.uint8Array({ maxLength: 40 }))
      .map(([zeros, rest]) => Buffer.concat([Buffer.alloc(zeros), rest]));
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(hex(base58Decode(base58Encode(bytes)))).toBe(hex(bytes));
      }),
    );
  });

  test('any text of the alphabet comes back', () => {
    const letters = [...'123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...letters), { maxLength: 60 }), (chars) => {
        const text = chars.join('');
        expect(base58Encode(base58Decode(text))).toBe(text);
      }),
    );
  });
});

describeShared('base58, by vectors of the agent-knowledge format', (shared) => {
  const path = join(shared, 'conformance/agent-knowledge/agent-id-vectors.json');
  const { base58: rows } = JSON.parse(readFileSync(path, 'utf8')) as {
    base58: { input_hex: string; expected: string }[];
  };
  test('there are some', () => expect(rows.length).toBeGreaterThan(0));
  test.each(rows)('$input_hex', ({ input_hex, expected }) => {
    expect(base58Encode(Buffer.from(input_hex, 'hex'))).toBe(expected);
    expect(hex(base58Decode(expected))).toBe(input_hex);
  });
});
