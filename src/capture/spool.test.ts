import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEnvelope, anyText, envelope } from '../../test/kit/envelopes.ts';
import { encodeLine, parseSpool, type SpoolLine } from './spool.ts';

const line = (id: string, fields: Partial<SpoolLine> = {}): SpoolLine => {
  const { event_id: _, ...rest } = envelope();
  return {
    line_id: id,
    recognised: true,
    native: { key: 'prompt:1', counted: true },
    envelope: rest,
    ...fields,
  };
};
const ids = (text: string) => parseSpool(text).lines.map((one) => one.line_id);

describe('spool lines', () => {
  test('any line comes back as it was, in order', () => {
    const anyLine = fc
      .record({
        id: fc.uuid(),
        key: anyText,
        counted: fc.boolean(),
        recognised: fc.boolean(),
        envelope: anyEnvelope,
      })
      .map(({ id, key, counted, recognised, envelope: { event_id: _, ...rest } }) =>
        line(id, {
          native: { key: `k${key}`, counted },
          recognised,
          envelope: { ...rest, session_id: `s${rest.session_id}` },
        }),
      );
    fc.assert(
      fc.property(
        fc.uniqueArray(anyLine, { maxLength: 8, selector: (one) => one.line_id }),
        (lines) => {
          expect(parseSpool(lines.map(encodeLine).join(''))).toEqual({ lines, torn: 0 });
        },
      ),
    );
  });

  test('one line stands on one line, whatever it holds', () => {
    const { event_id: _, ...rest } = envelope({ content: 'a\nb\r\u2028\n\n{"x":1}\n' });
    const text = encodeLine(line('a', { envelope: rest }));
    expect(text.split('\n')).toHaveLength(3);
    expect(parseSpool(text).lines[0]?.envelope.content).toBe(rest.content);
  });

  test('an append that was cut anywhere spoils itself alone', () => {
    const appends = fc.array(fc.record({ whole: fc.boolean(), at: fc.nat() }), {
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(appends, (all) => {
        let text = '';
        const kept: string[] = [];
        for (const [i, { whole, at }] of all.entries()) {
          const bytes = encodeLine(line(`id${i}`));
          const end = whole ? bytes.length : at % (bytes.length + 1);
          text += bytes.slice(0, end);
          // Only the last line feed may be missing: the next append brings its own.
          if (end >= bytes.length - 1) kept.push(`id${i}`);
        }
        const { lines, torn } = parseSpool(text);
        expect(lines.map((one) => one.line_id)).toEqual(kept);
        expect(torn).toBeLessThanOrEqual(all.length - kept.length);
      }),
      { numRuns: 500 },
    );
  });

  test('copies of one line count once, the first one counts', () => {
    const first = line('a');
    const text = [first, line('b'), line('a'), line('a', { recognised: false })]
      .map(encodeLine)
      .join('');
    expect(parseSpool(text).lines).toEqual([first, line('b')]);
  });

  test.each<[string, number]>([
    ['', 0],
    ['\n\n\n', 0],
    ['{"line_id":"a"', 1],
    ['\0\0\0\0\n', 1],
    ['null\n7\n[]\n"a"\n', 4],
    ['{}\n', 1],
    ['{"line_id":"a","native":{"key":"k"},"envelope":{}}\n', 1],
    ['{"line_id":"a","native":{},"envelope":{"session_id":"s"}}\n', 1],
    ['{"line_id":"","native":{"key":"k"},"envelope":{"session_id":"s"}}\n', 1],
    ['{"line_id":7,"native":{"key":"k"},"envelope":{"session_id":"s"}}\n', 1],
  ])('%j holds no line, and %i that are torn', (text, torn) => {
    expect(parseSpool(text)).toEqual({ lines: [], torn });
    expect(ids(`${text}${encodeLine(line('next'))}`)).toEqual(['next']);
  });
});
