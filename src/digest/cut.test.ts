import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText, envelope } from '../../test/kit/envelopes.ts';
import { canonical } from '../base/canonical.ts';
import { toInstant } from '../base/time.ts';
import { Digest } from '../record/digest.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { cutToSize } from './cut.ts';
import { digestOf } from './digest.ts';

const MAX = 8 * 1024;
const LISTS = ['commands', 'files', 'tests', 'commits', 'friction', 'models'] as const;
const sizeOf = (digest: Digest) => Buffer.byteLength(canonical(digest));

/** What holds for any cut of any digest. */
function expectCut(digest: Digest): void {
  const cut = cutToSize(digest);
  expect(sizeOf(cut)).toBeLessThanOrEqual(MAX);
  expect(Digest.safeParse(cut).success).toBe(true);
  for (const list of LISTS) {
    const kept = cut[list].length;
    const lost = digest[list].length - kept;
    // Commits stand in the order in which they were made: the newest are kept.
    expect(cut[list]).toEqual(
      list === 'commits' ? digest[list].slice(lost) : digest[list].slice(0, kept),
    );
    expect(cut.omitted?.[list] ?? 0).toBe(lost);
  }
  const { omitted: _, ...rest } = cut;
  for (const [key, value] of Object.entries(rest)) {
    if (!LISTS.some((list) => list === key)) expect(value).toEqual(digest[key as keyof Digest]);
  }
  if (sizeOf(digest) <= MAX) expect(cut).toBe(digest);
  expect(cutToSize(cut)).toBe(cut);
}

let n = 0;
const event = (fields: Partial<Envelope>) =>
  envelope({ event_id: `e${n++}`, emitted_at: toInstant(1_772_600_000_000 + n), ...fields });

describe('cutToSize', () => {
  test('keeps what is small as it is', () => {
    expectCut(digestOf([event({ content: 'hi' })]));
  });

  test('takes from the list that takes most room, its last item first', () => {
    const files = Array.from({ length: 300 }, (_, i) =>
      event({
        event_type: 'tool_call',
        tool: { name: 'Read', paths: [`/w/${String(i).padStart(60, '0')}`], outcome: 'ok' },
      }),
    );
    const commands = Array.from({ length: 5 }, (_, i) =>
      event({
        event_type: 'tool_call',
        tool: { name: 'Bash', input: JSON.stringify({ command: `run ${i}` }), outcome: 'ok' },
      }),
    );
    const digest = digestOf([...files, ...commands]);
    const cut = cutToSize(digest);
    expectCut(digest);
    expect(cut.commands).toHaveLength(5);
    expect(cut.omitted).toEqual({ files: 300 - cut.files.length });
    expect(cut.files.length).toBeGreaterThan(50);
  });

  test('takes the oldest commits first', () => {
    const commits = Array.from({ length: 200 }, (_, i) =>
      event({
        event_type: 'tool_call',
        tool: {
          name: 'Bash',
          input: JSON.stringify({ command: 'git commit' }),
          result: `[main ${String(i).padStart(7, '0')}] ${'x'.repeat(i % 2 === 0 ? 100 : 10)}`,
          outcome: 'ok',
        },
      }),
    );
    const digest = digestOf(commits);
    const cut = cutToSize(digest);
    expectCut(digest);
    expect(cut.commits.length).toBeGreaterThan(50);
    expect(cut.commits.at(-1)?.sha).toBe('0000199');
    expect(cut.omitted).toEqual({ commits: 200 - cut.commits.length });
  });

  test('uses the room that there is', () => {
    const files = Array.from({ length: 300 }, (_, i) =>
      event({ event_type: 'tool_call', tool: { name: 'Read', paths: [`/w/${i}`], outcome: 'ok' } }),
    );
    expect(sizeOf(cutToSize(digestOf(files)))).toBeGreaterThan(MAX - 400);
  });

  test('the worst that events can say still fits', () => {
    const worst = '\u0001"\\\u{1D15E}';
    const long = worst.repeat(400);
    const events = [
      event({ content: long, branch: long, git_sha: long }),
      ...Array.from({ length: 60 }, (_, i) =>
        event({
          event_type: 'assistant',
          role: 'assistant',
          content: long,
          usage: { model: `${i}${long}` },
        }),
      ),
      ...Array.from({ length: 60 }, (_, i) =>
        event({
          event_type: 'tool_call',
          tool: { name: 'Read', paths: [`${i}${long}`], outcome: 'ok' },
        }),
      ),
      ...Array.from({ length: 60 }, (_, i) =>
        event({
          event_type: 'tool_call',
          tool: {
            name: 'Bash',
            input: JSON.stringify({ command: `git commit ${i}${long}` }),
            result: `[main ${String(i).padStart(7, '0')}] ${worst.repeat(90)}`,
            outcome: 'error',
          },
        }),
      ),
    ];
    expectCut(digestOf(events));
  });

  test('any events', () => {
    const text = fc.oneof(
      anyText,
      fc.constantFrom('x'.repeat(300), '\u0001'.repeat(300), 'é'.repeat(200)),
    );
    const anyEvent = fc.oneof(
      fc.record({ content: text, branch: text, git_sha: text }).map((fields) => event(fields)),
      fc
        .record({ content: text, model: text })
        .map(({ content, model }) =>
          event({ event_type: 'assistant', role: 'assistant', content, usage: { model } }),
        ),
      fc
        .record({ path: text })
        .map(({ path }) =>
          event({ event_type: 'tool_call', tool: { name: 'Edit', paths: [path], outcome: 'ok' } }),
        ),
      fc.record({ command: text, result: text }).map(({ command, result }) =>
        event({
          event_type: 'tool_call',
          tool: {
            name: 'Bash',
            input: JSON.stringify({ command: `git ${command}` }),
            result: `[a 0123456] ${result}`,
            outcome: 'error',
            exit_code: 1,
          },
        }),
      ),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 120, size: 'max' }), (events) =>
        expectCut(digestOf(events)),
      ),
      { numRuns: 60 },
    );
  });
});
