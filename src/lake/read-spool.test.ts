import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEnvelope, anyText, envelope } from '../../test/kit/envelopes.ts';
import { encodeLine, type SpoolLine } from '../capture/spool.ts';
import { parseSpool } from './read-spool.ts';

const WHOLE: Partial<SpoolLine> = {
  envelope: (({ event_id: _, ...rest }) => rest)(
    envelope({
      tool: { exit_code: 1 },
      injected_context: [{ kind: 'handoff', id: 'h', source: 's', observed_by: 'hook' }],
    }),
  ),
  withheld: [{ rule: 'aws-key', bytes: 20, hash: 'abcd' }],
};
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
/** A line as text, with a field set to what the format does not allow, or taken away. */
const spoilt = (path: string, value?: unknown) => {
  const spoiled = structuredClone(line('a', WHOLE)) as unknown as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  const holder = names.reduce((at, name) => at[name] as Record<string, unknown>, spoiled);
  holder[last] = value;
  return `${JSON.stringify(spoiled)}\n`;
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

  test.each<[string, unknown?]>([
    ['line_id', 'x'.repeat(257)],
    ['native.key'],
    ['native.counted', 'yes'],
    ['recognised'],
    ['transcript', 7],
    ['withheld', 5],
    ['withheld', [{ rule: 'aws-key' }]],
    ['envelope.event_type', 'weird'],
    ['envelope.emitted_at'],
    ['envelope.emitted_at', 'yesterday'],
    ['envelope.session_id', 'x'.repeat(257)],
    ['envelope.redaction'],
    ['envelope.redaction', { status: 'clean' }],
    ['envelope.tool.exit_code', 1.5],
    ['envelope.injected_context', [{ kind: 'memory', id: 'a', source: 'b', observed_by: 'c' }]],
    ['envelope.content', null],
    ['envelope.imported', false],
    ['envelope.tool.paths', Array.from({ length: 600_000 }, () => '')],
  ])('a line with this %s is none, and counted: %#', (path, value) => {
    const text = spoilt(path, value);
    expect(parseSpool(text)).toEqual({ lines: [], torn: 1 });
    expect(ids(`${text}${encodeLine(line('a', WHOLE))}`)).toEqual(['a']);
  });

  test.each(['', 'native.', 'envelope.', 'envelope.tool.', 'envelope.redaction.'])(
    'a field %snew of a later version spoils nothing',
    (path) => {
      expect(ids(spoilt(`${path}new`, 1))).toEqual(['a']);
    },
  );

  test('a line of another session or runtime than the file is of is none', () => {
    const of = (session_id: string, runtime = 'claude-code') =>
      encodeLine(
        line(`${session_id}.${runtime}`, {
          envelope: (({ event_id: _, ...rest }) => rest)(envelope({ session_id, runtime })),
        }),
      );
    const text = [of('s2'), of('s1:a'), of('s1:a', 'cursor'), of('s1')].join('');
    const { lines, torn } = parseSpool(text, { runtime: 'claude-code', stem: 's1%3Aa' });
    expect([lines.map((one) => one.line_id), torn]).toEqual([['s1:a.claude-code'], 3]);
  });
});
