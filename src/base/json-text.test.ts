import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CredenceError } from './errors.ts';
import { type JsonNode, memberOf, parseJson, positionAt } from './json-text.ts';

function refusal(text: string): CredenceError {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof CredenceError) return error;
    throw error;
  }
  throw new Error('was not refused');
}

/** Puts the value back together from the nodes. */
function readBack(text: string, node: JsonNode): unknown {
  if (node.kind === 'atom') return JSON.parse(text.slice(node.start, node.end));
  if (node.kind === 'string') return node.value;
  const values = node.children.map((child) => readBack(text, child.value));
  if (node.kind === 'array') return values;
  return Object.fromEntries(node.children.map((child, i) => [child.key?.value, values[i]]));
}

describe('parseJson', () => {
  test.each([
    ['{"a": 1, // note\n"b": 2}', 1, 10, 'a comment'],
    ['{\n  /* note */ "a": 1\n}', 2, 3, 'a comment'],
    ['{\r\n  "a": [1, 2,\r\n  ]\r\n}', 2, 13, 'a trailing comma'],
    ['\uFEFF{"a": 1,}', 1, 8, 'a trailing comma'],
    ["{'a': 1}", 1, 2, 'a single quote'],
    ['{"a": 1', 1, 8, 'the text ends too early'],
    ['{"a": "x', 1, 7, 'a string without its closing quote'],
    ['{"a": "x\n"}', 1, 9, 'a line break or control character in a string'],
    ['{"a": "C:\\dir"}', 1, 10, 'an escape that JSON does not know'],
    ['{"a" 1}', 1, 6, 'unexpected "1"'],
    ['{"a": 01}', 1, 8, 'unexpected "1"'],
    ['{a: 1}', 1, 2, 'unexpected "a"'],
    ['{"a": undefined}', 1, 7, 'unexpected "u"'],
    ['{} {}', 1, 4, 'unexpected "{"'],
    ['[,1]', 1, 2, 'unexpected ","'],
    ['{"a": 1]', 1, 8, 'unexpected "]"'],
    ['', 1, 1, 'the text ends too early'],
    ['[\u00a01]', 1, 2, 'unexpected "\u00a0"'],
  ])('refuses %j', (text, line, column, what) => {
    const error = refusal(text);
    expect(error.code).toBe('json.malformed');
    expect(error.data).toEqual({ line, column });
    expect(error.message).toBe(`not strict JSON at line ${line}, column ${column}: ${what}`);
    expect(error.next).toMatch(/\.$/);
  });

  test('bounds the depth, and reads a long string without a deep stack', () => {
    const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => parseJson(deep(513))).not.toThrow();
    expect(refusal(deep(514)).message).toContain('more than 512 levels');
    expect(refusal('['.repeat(1_000_000)).message).toContain('more than 512 levels');
    expect(parseJson(JSON.stringify('é"\\'.repeat(1_000_000)))).toMatchObject({ kind: 'string' });
  });

  test('reads what JSON.parse reads, to the same value', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom('', '\t', 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        expect(readBack(text, parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  test('refuses what JSON.parse refuses, and nothing else', () => {
    const accepts = (parse: (text: string) => unknown, text: string) => {
      try {
        parse(text);
        return true;
      } catch {
        return false;
      }
    };
    const noise = fc.constantFrom(...'{}[],:"\\ \n\t\r0123456789.eE+-truefalsn/\u0001\u00a0é');
    const spoiled = fc
      .tuple(fc.json({ maxDepth: 2 }), fc.nat(), fc.nat(3), fc.array(noise, { maxLength: 3 }))
      .map(([json, at, cut, put]) => {
        const place = at % (json.length + 1);
        return json.slice(0, place) + put.join('') + json.slice(place + cut);
      });
    fc.assert(
      fc.property(spoiled, (text) => {
        expect(accepts(parseJson, text)).toBe(accepts(JSON.parse, text));
      }),
      { numRuns: 5_000 },
    );
  });
});

test('memberOf takes the last of equal keys, however they are spelled', () => {
  const text = '{"a": 1, "\\u0061": 2}';
  const root = parseJson(text);
  expect(memberOf(root, 'a')?.value).toMatchObject({ kind: 'atom', start: 19 });
  expect(memberOf(root, 'b')).toBeUndefined();
  expect(memberOf(parseJson('["a"]'), 'a')).toBeUndefined();
});

test.each([
  ['abc', 0, 1, 1],
  ['a\nbc', 3, 2, 2],
  ['a\r\nb', 3, 2, 1],
  ['a\rb', 2, 2, 1],
  ['\uFEFFab', 2, 1, 2],
])('positionAt(%j, %d) is %d:%d', (text, offset, line, column) => {
  expect(positionAt(text, offset)).toEqual({ line, column });
});
