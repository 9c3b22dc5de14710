import { canonical } from '../../src/base/canonical.ts';

const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

/** Values by JSON that says them in any way, with their canonical text. */
const VALUES: readonly (readonly [name: string, json: string])[] = [
  ['null, true and false', '[null,true,false]'],
  ['keys in order of code points', '{"b":1,"a":2,"B":3,"":4}'],
  ['keys at every level', '{"b":{"d":1,"c":2},"a":[{"f":1,"e":2}]}'],
  ['numeric keys as texts', '{"10":1,"9":2,"1":3}'],
  ['an astral key after U+FFFF', '{"\\ud83e\\udd8a":1,"\\uffff":2,"\\ue000":3}'],
  ['white space goes', ' { "a" : [ 1 , 2 ] } '],
  ['escapes that are not needed go', '"\\u0061\\/\\u00e9"'],
  ['escapes that are needed stay', '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f"'],
  ['DEL and U+2028 stand as they are', '"\\u007f\\u2028"'],
  ['decomposed texts are composed', '"e\\u0301"'],
  ['decomposed keys are composed', '{"e\\u0301":1}'],
  ['Hangul jamo are composed', '"\\u1100\\u1161"'],
  ['the largest and the smallest integer', '[9007199254740991,-9007199254740991]'],
  ['an integer with an exponent or a point', '[1e3,1.0]'],
  ['64 levels', nested(64)],
];

/** Texts that are no canonical JSON, each with the code of the first thing that is wrong with it. */
const REFUSED: readonly (readonly [name: string, received: string, code: string])[] = [
  ['nothing', '', 'malformed'],
  ['no JSON', '{a:1}', 'malformed'],
  ['something behind it', '{} {}', 'malformed'],
  ['a byte order mark', '\ufeff{}', 'malformed'],
  ['NaN', 'NaN', 'malformed'],
  ['a comma too many', '[1,]', 'malformed'],
  ['white space', '{"a": 1}', 'spelling'],
  ['a line feed behind it', '{"a":1}\n', 'spelling'],
  ['keys out of order', '{"b":1,"a":2}', 'order'],
  ['keys in the order of UTF-16 units', '{"\u{1f98a}":1,"\uffff":2}', 'order'],
  ['a key twice', '{"a":1,"a":2}', 'duplicate'],
  ['a key twice, once escaped', '{"a":1,"\\u0061":1}', 'duplicate'],
  ['a key twice in an inner object', '[{"x":{"a":1,"a":1}}]', 'duplicate'],
  ['a text that is not NFC', '"e\u0301"', 'nfc'],
  ['a key that is not NFC', '{"e\u0301":1}', 'nfc'],
  ['an escape that is not needed', '"\\u0061"', 'spelling'],
  ['a slash that is escaped', '"\\/"', 'spelling'],
  ['capitals in an escape', '"\\u001F"', 'spelling'],
  ['a fraction', '0.5', 'number'],
  ['2^53', '9007199254740992', 'number'],
  ['-2^53', '-9007199254740992', 'number'],
  ['more than a double holds', '1e400', 'number'],
  ['minus zero', '-0', 'number'],
  ['an integer with an exponent', '1e3', 'spelling'],
  ['an integer with a point', '1.0', 'spelling'],
  ['a lone surrogate', '"\\ud83e"', 'surrogate'],
  ['a lone surrogate in a key', '{"\\udd8a":1}', 'surrogate'],
  ['66 levels', nested(66), 'depth'],
];

/** vectors/canonical.json */
export function canonicalVectors() {
  return {
    accept: VALUES.map(([name, json]) => ({ name, json, canonical: canonical(JSON.parse(json)) })),
    reject: REFUSED.map(([name, received, code]) => ({
      name,
      received,
      code: `canonical.${code}`,
    })),
  };
}
