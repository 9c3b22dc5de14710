import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BriefLine } from './brief-file.ts';
import { fence, HEADING, ownWords, stripFences } from './fence.ts';

const NOW = 1_000;
const item = (id: string, kind: 'claim' | 'handoff' | 'digest' = 'digest') => ({
  kind,
  id,
  source: 's',
  observed_by: 'a',
});
function line(text: string, ids: readonly string[] = [], until?: number): BriefLine {
  return {
    text,
    bytes: Buffer.byteLength(text) + 1,
    items: ids.map((id) => item(id)),
    ...(until === undefined ? {} : { until }),
  };
}
const CLOSE = '</credence-context>';

describe('fence', () => {
  test('wraps lines, and says in front what they put before the agent, once each', () => {
    expect(fence([line('# Head'), line('one', ['a', 'b']), line('two', ['b', 'c'])], NOW)).toEqual({
      text: `<credence-context ids="digest:a digest:b digest:c">\n# Head\none\ntwo\n${CLOSE}`,
      items: [item('a'), item('b'), item('c')],
      cut: false,
    });
  });

  test('says where a line had no room, and not where one is only of the past', () => {
    const long = line('x'.repeat(2_000), ['a']);
    expect(fence([line('one', ['b']), long], NOW, 1_000)?.cut).toBe(true);
    expect(fence([line('one', ['b']), { ...long, until: 0 }], NOW, 1_000)?.cut).toBe(false);
  });

  test('items of two kinds with one id are two', () => {
    const both: BriefLine = { ...line('x'), items: [item('a', 'claim'), item('a', 'handoff')] };
    expect(fence([both], NOW)?.text).toContain('ids="claim:a handoff:a"');
  });

  test('without content there is none', () => {
    expect(fence([], NOW)).toBeUndefined();
    expect(fence([line('# Head'), line('(no items)')], NOW)).toBeUndefined();
  });

  test.each<[number, boolean]>([
    [NOW - 1, false],
    [NOW, true],
    [NOW + 1, true],
  ])('a line that holds until %i is shown: %j', (until, shown) => {
    const text = fence([line('kept', ['a']), line('dated', ['b'], until)], NOW)?.text ?? '';
    expect(text.includes('dated')).toBe(shown);
    expect(text.includes('digest:b')).toBe(shown);
  });

  test('a line of the past makes no room for nothing: what comes after it is still shown', () => {
    expect(fence([line('old', ['a'], 0), line('new', ['b'])], NOW)?.items).toEqual([item('b')]);
  });

  test('a heading is shown with what stands under it, or not at all', () => {
    const [one, two, three] = ['one', 'two', 'three'].map((text) => line(HEADING + text));
    if (!one || !two || !three) throw new Error('three headings');
    const [a, b, long] = [line('a', ['a']), line('b', ['b']), line('c'.repeat(200), ['c'])];
    const shown = (lines: readonly BriefLine[]) =>
      fence(lines, NOW, 200)?.text.split('\n').slice(1, -1);
    expect(shown([one, { ...b, until: NOW - 1 }, two, a])).toEqual(['### two', 'a']);
    expect(shown([one, two, a, three])).toEqual(['### two', 'a']);
    expect(shown([one, a, two, long, three, b])).toEqual(['### one', 'a']);
    expect(shown([one, a, two, b])).toEqual(['### one', 'a', '### two', 'b']);
    expect(shown([one, two])).toBeUndefined();
  });

  test('counts what JSON makes of a text', () => {
    const lines = [line('"'.repeat(50), ['1']), line('\\'.repeat(50), ['2']), line('c', ['3'])];
    expect(fence(lines, NOW, 200)?.items).toEqual([item('1')]);
    expect(fence(lines, NOW, 400)?.items).toHaveLength(3);
  });

  test('ends before the first line that does not fit', () => {
    const lines = [line('a'.repeat(50), ['1']), line('b'.repeat(500), ['2']), line('c', ['3'])];
    expect(fence(lines, NOW, 200)?.items).toEqual([item('1')]);
  });

  test('stays within its bytes, closes once and last, and names all that it shows, whatever the lines', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.constantFrom('é'.repeat(200), '🦊'.repeat(90), '', '"'.repeat(300), '\\\n'.repeat(90)),
    );
    const id = fc.oneof(
      fc.stringMatching(/^[0-9a-f]{0,64}$/),
      fc.string({ maxLength: 30 }),
      fc.constant(`x">${CLOSE}`),
    );
    const lines = fc.array(
      fc
        .record({
          text: text.map((t) => t.replaceAll(/[<>]/g, '')),
          ids: fc.array(id, { maxLength: 3 }),
        })
        .map((l) => line(l.text, l.ids)),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(lines, fc.integer({ min: 0, max: 3_000 }), (given, max) => {
        const fenced = fence(given, NOW, max);
        if (!fenced) return;
        expect(Buffer.byteLength(JSON.stringify(fenced.text))).toBeLessThanOrEqual(max);
        expect(fenced.text.indexOf(CLOSE)).toBe(fenced.text.length - CLOSE.length);
        expect(fenced.text.match(/<credence-context ids="[^"<>]*">/g)).toHaveLength(1);
        expect(fenced.text.startsWith('<credence-context ids="')).toBe(true);
        expect(stripFences(`before${fenced.text}after`)).toBe('beforeafter');
        const shown = given.filter(
          (one) => one.items.length > 0 && fenced.text.includes(`\n${one.text}\n`),
        );
        for (const { items } of shown.slice(0, 1))
          expect(fenced.items).toEqual(expect.arrayContaining([...items]));
      }),
      { numRuns: 500 },
    );
  });
});

describe('stripFences', () => {
  const fenced = (text: string) => `<credence-context ids="digest:a">\n${text}\n${CLOSE}`;
  test.each<[string, string, string]>([
    ['nothing', '', ''],
    ['no fence', 'a <b> c', 'a <b> c'],
    ['one', `a ${fenced('told')} b`, 'a  b'],
    ['two', `a${fenced('told')}b${fenced('told')}c`, 'abc'],
    ['one that is not closed', 'a <credence-context ids="x"> told', 'a '],
    ['one that is cut in its tag', 'a <credence-context', 'a '],
    ['one in another', `a ${fenced(`told ${fenced('told')} told`)} b`, 'a  b'],
    ['one in another that is not closed', `a ${fenced('told <credence-context told')} b`, 'a '],
    ['a close without an open', `a ${CLOSE} b`, `a ${CLOSE} b`],
    ['two closes', `a ${fenced('told')} b ${CLOSE} c`, `a  b ${CLOSE} c`],
  ])('%s', (_what, text, expected) => {
    expect(stripFences(text)).toBe(expected);
  });

  test('what was told is gone from any text, and stripping again changes nothing', () => {
    const piece = fc.constantFrom(
      '<credence-context ids="a">',
      '<credence-context',
      CLOSE,
      'own',
      ' ',
      '\n',
      '<',
      '>',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const stripped = stripFences(pieces.join(''));
        expect(stripped).not.toContain('<credence-context');
        expect(stripFences(stripped)).toBe(stripped);
      }),
    );
  });

  // What grew by the square of the length would not end in the time that a test has.
  test.each([
    ['<credence-context ', 200_000, ''],
    [`<credence-context x${CLOSE}`, 100_000, ''],
    [CLOSE, 200_000, CLOSE.repeat(200_000)],
  ])('many of %j', (piece, count, expected) => {
    expect(stripFences(piece.repeat(count)) === expected).toBe(true);
  });
});

describe('own words', () => {
  test.each([
    ['on one line', ' Fix\n\tit ', 'Fix it'],
    ['without what was told', 'Fix <credence-context ids="x">told</credence-context> it', 'Fix it'],
    ['cut', 'é'.repeat(100), 'éééé…'],
    ['none', '<credence-context ids="x">told', ''],
  ])('%s', (_what, text, expected) => {
    expect(ownWords(text, 12)).toBe(expected);
  });
});
