import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEnvelope, envelope } from '../../test/kit/envelopes.ts';
import { hashOf } from '../../test/kit/fleet.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { sha256Hex } from '../base/hash.ts';
import { parquet } from '../io/parquet.ts';
import { Envelope, Injected, Redaction, ToolCall, Usage } from '../runtime/envelope.ts';
import { partKey } from './layout.ts';
import {
  assertPartSize,
  fromRow,
  INJECTED_FIELDS,
  PART_COLUMNS,
  PART_LIMIT,
  type PartRow,
  readPart,
  sizeOf,
  toRow,
} from './part.ts';

const NAMES = PART_COLUMNS.map((column) => column.name);

function set(row: PartRow, name: string, value: PartRow[number]): PartRow {
  return row.with(NAMES.indexOf(name), value);
}

describe('the size of an envelope', () => {
  const unitsIn = (value: unknown): number =>
    typeof value === 'string'
      ? value.length
      : Object.values(value ?? {}).reduce((sum: number, inner) => sum + unitsIn(inner), 0);

  test('counts every text that it holds', () => {
    fc.assert(
      fc.property(anyEnvelope, (one) => {
        expect(sizeOf(one)).toBeGreaterThanOrEqual(unitsIn(one));
      }),
    );
  });

  test('is what a part counts, and more', () => {
    const paths = Array.from({ length: 2_000_000 }, () => '');
    const one = envelope({ tool: { paths } });
    expect(sizeOf(one)).toBeGreaterThan(32_000_000);
  });
});

describe('reading a part', () => {
  const events = [envelope({ content: 'as it was' })];
  const bytes = parquet.encode(events);
  const place = { date: '2026-01-02', runtime: 'r', agent: 'a', host: 'h', session: 's' };
  const named = (hash: string) => partKey(place, 1, hash);
  const own = sha256Hex(bytes);
  const read = async (key: string, hash?: string, stored: Uint8Array = bytes) => {
    const store = openMemoryStore();
    await store.put(key, stored);
    return readPart(store, parquet, hash === undefined ? { key } : { key, hash });
  };

  test.each<[string, string, string | undefined]>([
    ['key and hash', named(own), own],
    ['its key alone', named(own), undefined],
    ['a key without a hash', 'compacted/x', undefined],
    ['such a key, and its hash', 'compacted/x', own],
  ])('gives its events: by %s', async (_what, key, hash) => {
    expect(await read(key, hash)).toEqual(events);
  });

  const other = parquet.encode([envelope({ content: 'changed' })]);
  test.each<[string, string, string | undefined, Uint8Array]>([
    ['other than when it was named', named(own), own, other],
    ['other than its key says', named(own), undefined, other],
    ['other than a record says, whatever the key', 'compacted/x', own, other],
    ['those of the key, not of the record', named(own), hashOf('x'), bytes],
    ['those of the record, not of the key', named(hashOf('x')), own, bytes],
    ['those that a record names by half of their hash', named(own), own.slice(0, 16), bytes],
    ['no part at all', named(own), own, Buffer.from('x')],
  ])('whose bytes are %s is refused', async (_what, key, hash, stored) => {
    await expect(read(key, hash, stored)).rejects.toMatchObject({
      category: 'incorrect',
      code: 'lake.part_changed',
      data: { key },
      message: expect.stringContaining(key),
      next: expect.stringContaining('backup'),
    });
  });

  test('that is not there is said', async () => {
    await expect(
      readPart(openMemoryStore(), parquet, { key: named(own), hash: own }),
    ).rejects.toMatchObject({ category: 'missing', code: 'lake.part_missing' });
  });
});

describe('the columns of a part', () => {
  test('hold every field that the schema of the envelope has, and no other', () => {
    const groups = { tool: ToolCall, usage: Usage, redaction: Redaction };
    const expected = Object.keys(Envelope.shape).flatMap((field) => {
      const group = groups[field as keyof typeof groups];
      if (!group) return [field];
      const nested = Object.keys(group.shape).map((name) => `${field}_${name}`);
      return field === 'redaction' ? nested : [`has_${field}`, ...nested];
    });
    expect(NAMES).toEqual(expected);
    expect(INJECTED_FIELDS).toEqual(Object.keys(Injected.shape));
  });

  test('are nullable where the field is optional, flags and lists of rules excepted', () => {
    const row = toRow(envelope());
    for (const [i, column] of PART_COLUMNS.entries()) {
      expect([column.name, row[i] === undefined]).toEqual([column.name, column.nullable]);
    }
  });
});

test('docs/formats/part.md lists every column as it is', () => {
  const page = readFileSync('docs/formats/part.md', 'utf8');
  const [, table = ''] = page.split('| field of the envelope |\n|---|---|---|---|\n');
  const listed = table.split('\n\n')[0]?.split('\n');
  const expected = PART_COLUMNS.map(({ name, type, nullable, group, field }) => {
    const path = group === undefined ? field : `${group}.${field}`;
    return `| \`${name}\` | ${type} | ${nullable ? 'yes' : 'no'} | \`${path}\` |`;
  });
  expect(listed).toEqual(expected);
});

describe('rows', () => {
  test('stand for one envelope each', () => {
    fc.assert(
      fc.property(anyEnvelope, (any) => {
        expect(fromRow(toRow(any))).toStrictEqual(any);
      }),
    );
  });

  test('keep an object without fields apart from none', () => {
    const bare = envelope({ tool: {}, usage: {} });
    expect(fromRow(toRow(bare))).toStrictEqual(bare);
    expect(fromRow(toRow(envelope()))).toStrictEqual(envelope());
  });

  test('that say of a tool and deny it are refused', () => {
    const row = set(toRow(envelope({ tool: { name: 'Bash' } })), 'has_tool', false);
    expect(() => fromRow(row)).toThrow(expect.objectContaining({ code: 'part.malformed' }));
  });

  test('with an instant beyond the calendar are refused', () => {
    const row = set(toRow(envelope()), 'emitted_at', 8.64e15 + 1);
    expect(() => fromRow(row)).toThrow(expect.objectContaining({ code: 'part.malformed' }));
  });
});

describe('a part too large to be read back', () => {
  const { envelopes_max, text_units_max } = PART_LIMIT;
  const injected = [{ kind: 'claim' as const, id: 'x', source: '', observed_by: '' }];
  const half = 'x'.repeat(text_units_max / 2);
  test.each<[string, readonly PartRow[], boolean]>([
    ['as many envelopes as may be', Array<PartRow>(envelopes_max).fill([]), true],
    ['one more', Array<PartRow>(envelopes_max + 1).fill([]), false],
    ['as much text as may be', [[half], [half, 5, true, undefined, []]], true],
    ['a character more', [[half], [half, 'x']], false],
    ['text in a list', [[half], [['x'.repeat(text_units_max / 2)]]], false],
    [
      'many items in lists',
      [Array<readonly string[]>(text_units_max / 64).fill(Array(5).fill(''))],
      false,
    ],
    ['what was injected', [[half], [half, injected]], false],
  ])('is refused: %s', (_, rows, fits) => {
    const check = () => assertPartSize(rows);
    if (fits) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'part.too_large' }));
  });
});
