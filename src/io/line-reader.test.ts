import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { lineReader } from './line-reader.ts';

const folder = mkdtempSync(join(tmpdir(), 'lines-'));
afterAll(() => rmSync(folder, { recursive: true }));
const path = join(folder, 'file');

function read(bytes: Uint8Array, from = 0, maxLine = 1_000_000) {
  writeFileSync(path, bytes);
  return [...lineReader(maxLine).lines(path, from)].flat();
}

describe('lineReader', () => {
  test('gives the lines of any text, and the offsets to go on from', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc
            .string({ unit: 'binary', maxLength: 60 })
            .map((s) => s.replaceAll('\n', '').toWellFormed()),
        ),
        (lines) => {
          const text = lines.map((line) => `${line}\n`).join('');
          const bytes = Buffer.from(text);
          const all = read(bytes);
          expect(all.map((line) => line.text)).toEqual(lines);
          for (const [i, line] of all.entries()) {
            expect(read(bytes, line.end).map((rest) => rest.text)).toEqual(lines.slice(i + 1));
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  test('lines that span chunks are whole, and a last line without a line feed is open', () => {
    const long = 'é'.repeat(3_000_000);
    const lines = read(Buffer.from(`a\n${long}\nb`), 0, 64_000_000);
    expect(lines.map((line) => [line.text?.length, line.open])).toEqual([
      [1, false],
      [3_000_000, false],
      [1, true],
    ]);
    expect(lines[1]?.text).toBe(long);
  });

  test('a line beyond the limit has no text, and the next one is read', () => {
    const lines = read(Buffer.from(`${'x'.repeat(5_000_000)}\nok\n`), 0, 1_000_000);
    expect(lines.map((line) => [line.text, line.bytes])).toEqual([
      [undefined, 5_000_000],
      ['ok', 2],
    ]);
  });

  test('bad UTF-8 and NUL bytes are read as text', () => {
    expect(read(Buffer.from([0x61, 0, 0xff, 0x0a]))[0]?.text).toBe('a\0\ufffd');
  });
});
