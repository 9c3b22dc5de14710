import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeShared } from '../../test/kit/shared.ts';
import { canonical, type Json, parseCanonical } from './canonical.ts';
import { CredenceError } from './errors.ts';

const failing = (code: string) => expect.objectContaining({ category: 'incorrect', code });

/** `[[[…]]]`, the innermost list at level `depth`, the outermost at 0. */
function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

function sparse(): unknown[] {
  const list: unknown[] = [1, 2, 3];
  delete list[1];
  return list;
}

/** As many keys as elements, and still a hole. */
function sparseWithMember(): unknown[] {
  return Object.assign(sparse(), { x: 2 });
}

class Point {
  x = 1;
}

describe('what canonical JSON holds', () => {
  test.each<[string, unknown, string]>([
    ['null', null, 'null'],
    ['true', true, 'true'],
    ['false', false, 'false'],
    ['zero', 0, '0'],
    ['a negative integer', -7, '-7'],
    ['a fraction that is none', 1.0, '1'],
    ['the largest safe integer', 2 ** 53 - 1, '9007199254740991'],
    ['the smallest safe integer', -(2 ** 53 - 1), '-9007199254740991'],
    ['an integer that others print with an exponent', 1e15, '1000000000000000'],
    ['an empty text', '', '""'],
    ['an empty object', {}, '{}'],
    ['an object without a prototype', Object.create(null), '{}'],
    ['an empty list', [], '[]'],
    ['a list keeps its order', [3, 'b', null, [1]], '[3,"b",null,[1]]'],
    ['keys are sorted at every level', { b: { d: 1, c: 2 }, a: 3 }, '{"a":3,"b":{"c":2,"d":1}}'],
    ['numeric keys are sorted as texts', { 10: 1, 9: 2, 1: 3 }, '{"1":3,"10":1,"9":2}'],
    ['a prefix comes first', { ab: 1, a: 2, '': 3 }, '{"":3,"a":2,"ab":1}'],
    ['upper case before lower', { a: 1, B: 2, _: 3 }, '{"B":2,"_":3,"a":1}'],
    [
      'an astral key after one that UTF-16 puts behind it',
      { '\u{1f98a}': 1, '\uffff': 2, '\ue000': 3, '\ud7ff': 4 },
      '{"\ud7ff":4,"\ue000":3,"\uffff":2,"\u{1f98a}":1}',
    ],
    [
      'astral keys by code point among themselves',
      { '\u{10ffff}': 1, '\u{10000}': 2, '\u{1f98a}': 3 },
      '{"\u{10000}":2,"\u{1f98a}":3,"\u{10ffff}":1}',
    ],
    ['a text is composed', 'e\u0301', '"\u00e9"'],
    ['a key is composed', { 'e\u0301': 1 }, '{"\u00e9":1}'],
    ['keys are sorted after they are composed', { 'e\u0301': 1, f: 2 }, '{"f":2,"\u00e9":1}'],
    ['a singleton is replaced', '\u212b', '"\u00c5"'],
    ['compatibility forms stay', '\ufb01\u2460', '"\ufb01\u2460"'],
    ['Hangul is composed', '\u1112\u1161\u11ab', '"\ud55c"'],
    [
      'controls in their short and long forms',
      '\b\t\n\f\r\0\u001f',
      '"\\b\\t\\n\\f\\r\\u0000\\u001f"',
    ],
    ['quote and backslash, not the slash', '"\\/', '"\\"\\\\/"'],
    ['nothing else is escaped', '\u007f\u2028é語🦊<', '"\u007f\u2028é語🦊<"'],
    ['a key that names the prototype', JSON.parse('{"__proto__":1}'), '{"__proto__":1}'],
    ['64 levels', nested(64), `${'['.repeat(65)}${']'.repeat(65)}`],
  ])('%s', (_what, value, expected) => {
    expect(canonical(value)).toBe(expected);
    expect(canonical(parseCanonical(expected))).toBe(expected);
  });
});

describe('what canonical JSON refuses', () => {
  test.each<[string, unknown, string]>([
    ['a fraction', 0.1, 'canonical.number'],
    ['2^53', 2 ** 53, 'canonical.number'],
    ['-2^53', -(2 ** 53), 'canonical.number'],
    ['a large number', 1e300, 'canonical.number'],
    ['minus zero', -0, 'canonical.number'],
    ['NaN', Number.NaN, 'canonical.number'],
    ['infinity', Number.POSITIVE_INFINITY, 'canonical.number'],
    ['undefined', undefined, 'canonical.type'],
    ['an undefined member', { a: undefined }, 'canonical.type'],
    ['an undefined element', [undefined], 'canonical.type'],
    ['a function', () => 1, 'canonical.type'],
    ['a symbol', Symbol('a'), 'canonical.type'],
    ['a big integer', 1n, 'canonical.type'],
    ['toJSON', { toJSON: () => 1 }, 'canonical.type'],
    ['a date', new Date(0), 'canonical.type'],
    ['a map', new Map(), 'canonical.type'],
    ['bytes', new Uint8Array(2), 'canonical.type'],
    ['a boxed text', Object('a'), 'canonical.type'],
    ['an object with a class', new Point(), 'canonical.type'],
    ['an object that inherits', Object.create({ a: 1 }), 'canonical.type'],
    ['a sparse list', sparse(), 'canonical.type'],
    ['an empty list with a length', new Array(3), 'canonical.type'],
    ['a list with a member beside its elements', Object.assign([1], { x: 2 }), 'canonical.type'],
    ['a sparse list with a member', sparseWithMember(), 'canonical.type'],
    ['a lone high surrogate', 'a\ud83e', 'canonical.surrogate'],
    ['a lone low surrogate', '\udd8aa', 'canonical.surrogate'],
    ['surrogates the wrong way round', '\udd8a\ud83e', 'canonical.surrogate'],
    ['a lone surrogate in a key', { '\ud83e': 1 }, 'canonical.surrogate'],
    ['keys that are equal once composed', { 'e\u0301': 1, é: 2 }, 'canonical.duplicate'],
    ['65 levels', nested(65), 'canonical.depth'],
    [
      '65 levels of objects',
      JSON.parse(`${'{"a":'.repeat(66)}1${'}'.repeat(66)}`),
      'canonical.depth',
    ],
    ['more levels than a stack holds', nested(200_000), 'canonical.depth'],
  ])('%s', (_what, value, code) => {
    expect(() => canonical(value)).toThrow(failing(code));
    expect(() => canonical({ in: [value] })).toThrow(failing(code));
  });

  test('a circle', () => {
    const circle: unknown[] = [];
    circle.push(circle);
    expect(() => canonical(circle)).toThrow(failing('canonical.depth'));
  });
});

describe('parseCanonical refuses any other spelling, and says which', () => {
  test.each([
    ['nothing', '', 'malformed'],
    ['no JSON', '{', 'malformed'],
    ['two values', '1 2', 'malformed'],
    ['a byte order mark', '\ufeff1', 'malformed'],
    ['white space before', ' 1', 'spelling'],
    ['white space after', '1\n', 'spelling'],
    ['white space inside', '{"a": 1}', 'spelling'],
    ['keys out of order', '{"b":1,"a":2}', 'order'],
    ['keys by UTF-16 unit', '{"\u{1f98a}":1,"\uffff":2}', 'order'],
    ['a key twice', '{"a":1,"a":1}', 'duplicate'],
    [
      'a key twice, with others between, and white space',
      '{"a" :1,"b":{"a":2}, "a":1}',
      'duplicate',
    ],
    ['a key twice, once escaped', '{"\\u0061":1,"a":1}', 'duplicate'],
    ['a text that looks like a key', '["a","a:","{\\"a\\":1"] ', 'spelling'],
    ['an exponent', '1e3', 'spelling'],
    ['a fraction of zero', '1.0', 'spelling'],
    ['an escaped letter', '"\\u0061"', 'spelling'],
    ['an escaped slash', '"\\/"', 'spelling'],
    ['an escape in upper case', '"\\u001F"', 'spelling'],
    ['an escaped control that has a short form', '"\\u000a"', 'spelling'],
    ['an escaped letter beyond ASCII', '"\\u00e9"', 'spelling'],
    ['a decomposed letter', '"e\u0301"', 'nfc'],
    ['a decomposed key', '{"e\u0301":1}', 'nfc'],
  ])('%s', (_what, received, code) => {
    expect(() => parseCanonical(received)).toThrow(failing(`canonical.${code}`));
  });

  test.each([
    ['a lone surrogate, escaped', '"\\ud83e"', 'canonical.surrogate'],
    ['keys that are equal once composed', '{"e\u0301":1,"é":2}', 'canonical.duplicate'],
    ['a fraction', '0.5', 'canonical.number'],
    ['minus zero', '-0', 'canonical.number'],
    ['more digits than a number holds', '9007199254740993', 'canonical.number'],
    ['too deep', '['.repeat(100_000) + ']'.repeat(100_000), 'canonical.depth'],
  ])('%s, which no spelling would save', (_what, received, code) => {
    expect(() => parseCanonical(received)).toThrow(failing(code));
  });
});

describe('for any value', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom('e\u0301', 'é', '\uffff', '\u{1f98a}', '\ue000', '\ud7ff', '\0', '__proto__'),
  );
  const anyInteger = fc.maxSafeInteger();
  const { tree: anyJson } = fc.letrec<{ tree: Json }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, false),
      anyInteger,
      anyText,
      fc.array(tie('tree'), { maxLength: 4 }),
      fc.dictionary(anyText, tie('tree'), { maxKeys: 5 }),
    ),
  }));
  const keysCollide = (value: Json): boolean => {
    try {
      canonical(value);
      return false;
    } catch (error) {
      expect(error).toMatchObject({ code: 'canonical.duplicate' });
      return true;
    }
  };

  test('canonical(parse(canonical(x))) is canonical(x), and parses to what JSON gives', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        fc.pre(!keysCollide(value));
        const text = canonical(value);
        const parsed = parseCanonical(text);
        expect(canonical(parsed)).toBe(text);
        expect(parsed).toEqual(JSON.parse(text));
        expect(text.normalize('NFC')).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test('what JSON.stringify writes of it parses where it is canonical, and nowhere else', () => {
    const anyNumber = fc.oneof(anyInteger, fc.constantFrom(0.5, 2 ** 53, -1e21));
    fc.assert(
      fc.property(anyJson, anyNumber, (value, number) => {
        fc.pre(!keysCollide(value));
        const text = JSON.stringify([value, number]);
        if (Number.isSafeInteger(number) && canonical([value, number]) === text) {
          expect(parseCanonical(text)).toEqual(JSON.parse(text));
        } else {
          expect(() => parseCanonical(text)).toThrow(CredenceError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('keys come in the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyText, { maxLength: 8 }), (keys) => {
        const value = Object.fromEntries(keys.map((key) => [key, 0]));
        fc.pre(!keysCollide(value));
        const given = keys.map((key) => key.normalize('NFC'));
        const sorted = given.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const members = sorted.map((key) => `${JSON.stringify(key)}:0`);
        expect(canonical(value)).toBe(`{${members.join(',')}}`);
      }),
      { numRuns: 300 },
    );
  });

  test('a text that parses and was changed in one place is refused, or is another value', () => {
    fc.assert(
      fc.property(anyJson, fc.nat(), fc.nat(127), (value, at, unit) => {
        fc.pre(!keysCollide(value));
        const text = canonical(value);
        const place = at % text.length;
        const changed = text.slice(0, place) + String.fromCharCode(unit) + text.slice(place + 1);
        fc.pre(changed !== text);
        let parsed: Json;
        try {
          parsed = parseCanonical(changed);
        } catch (error) {
          expect(error).toMatchObject({ code: expect.stringMatching(/^canonical\./) });
          return;
        }
        expect(canonical(parsed)).toBe(changed);
      }),
      { numRuns: 300 },
    );
  });
});

describeShared('canonical JSON, by vectors of the agent-knowledge format', (shared) => {
  const path = join(shared, 'conformance/agent-knowledge/agent-id-vectors.json');
  const { canonical_json: rows } = JSON.parse(readFileSync(path, 'utf8')) as {
    canonical_json: { input: unknown; expected_hex: string }[];
  };
  test('there are some', () => expect(rows.length).toBeGreaterThan(0));
  test.each(rows)('$expected_hex', ({ input, expected_hex }) => {
    expect(Buffer.from(canonical(input)).toString('hex')).toBe(expected_hex);
  });
});
