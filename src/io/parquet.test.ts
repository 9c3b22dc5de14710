import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { anyEnvelope, envelope } from '../../test/kit/envelopes.ts';
import { CredenceError } from '../base/errors.ts';
import { PART_COLUMNS, PART_LIMIT, PART_VERSION } from '../lake/part.ts';
import { Envelope } from '../runtime/envelope.ts';
import { readRows } from './parquet/read.ts';
import { parquet } from './parquet.ts';

const FULL: Envelope = {
  ...envelope({ content: 'text 🦊\0', detail: '', message_id: 'm', repo: 'github.com/x/y' }),
  tool: { name: 'Bash', exit_code: -1, paths: ['a', ''], outcome: 'error' },
  usage: { model: 'm', input_tokens: Number.MAX_SAFE_INTEGER },
  injected_context: [{ kind: 'claim', id: 'c', source: 's', observed_by: 'o' }],
  redaction: { status: 'redacted', rules_fired: ['a', 'b'] },
  imported: true,
};
const SAMPLE = [FULL, envelope(), envelope({ injected_context: [], tool: { paths: [] } })];

async function refusal(bytes: Uint8Array): Promise<unknown> {
  return parquet.decode(bytes).then(
    () => undefined,
    (error: unknown) => error,
  );
}

const MALFORMED = { category: 'incorrect', code: 'part.malformed' };

describe('a part', () => {
  test('gives back the envelopes that were put in', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyEnvelope, { maxLength: 25 }), async (envelopes) => {
        const bytes = parquet.encode(envelopes);
        expect(await parquet.decode(bytes)).toStrictEqual(envelopes);
        const times = envelopes.map((one) => one.emitted_at).sort();
        expect(await parquet.begin(bytes)).toBe(times[0]);
      }),
    );
  });

  test.each<[string, readonly Envelope[]]>([
    ['nothing', []],
    ['one', [FULL]],
    ['what is absent, empty and full', SAMPLE],
    // Enough for several pages, and for the dictionary of a column that repeats.
    ['many', Array.from({ length: 3_000 }, (_, i) => ({ ...FULL, event_id: String(i) }))],
    ['texts of 1 MB', ['x', '🦊', '語'].map((unit) => envelope({ content: unit.repeat(2 ** 18) }))],
  ])('holds %s', async (_, envelopes) => {
    expect(await parquet.decode(parquet.encode(envelopes))).toStrictEqual(envelopes);
  });

  test('has the same bytes for the same envelopes, whatever was encoded between', () => {
    fc.assert(
      fc.property(fc.array(anyEnvelope, { maxLength: 10 }), (envelopes) => {
        const once = parquet.encode(envelopes);
        parquet.encode(SAMPLE);
        expect(parquet.encode(structuredClone(envelopes))).toEqual(once);
      }),
      { numRuns: 30 },
    );
  });

  test('reads from the middle of a larger buffer', async () => {
    const bytes = parquet.encode(SAMPLE);
    const larger = new Uint8Array(bytes.length + 20).fill(7);
    larger.set(bytes, 13);
    const view = larger.subarray(13, 13 + bytes.length);
    expect(await parquet.decode(view)).toStrictEqual(SAMPLE);
  });

  test('is not made of more than can be read back', () => {
    const huge = envelope({ content: 'x'.repeat(PART_LIMIT.text_units_max) });
    expect(() => parquet.encode([huge])).toThrow(
      expect.objectContaining({ category: 'incorrect', code: 'part.too_large' }),
    );
  });

  test('stores U+FFFD for a lone surrogate', async () => {
    const [read] = await parquet.decode(parquet.encode([envelope({ content: 'a\ud800b' })]));
    expect(read?.content).toBe('a\uFFFDb');
  });
});

type Options = Parameters<typeof parquetWriteBuffer>[0];
type Column = Options['columnData'][number];
type Element = NonNullable<Options['schema']>[number];

const text = (name: string, value: unknown = 'x'): Column => {
  return { name, data: [value], type: 'STRING', nullable: false };
};
const flag = (name: string): Column => {
  return { name, data: [false], type: 'BOOLEAN', nullable: false, encoding: 'PLAIN' };
};

/** The columns that no part may lack, with one row; lists can only be said by a schema. */
const REQUIRED: Column[] = [
  { name: 'schema_version', data: [1n], type: 'INT64', nullable: false },
  ...['event_id', 'fleet_id', 'agent_id', 'runtime', 'host_id', 'session_id'].map((n) => text(n)),
  { name: 'emitted_at', data: [0n], type: 'TIMESTAMP', nullable: false },
  text('event_type', 'prompt'),
  text('redaction_status', 'clean'),
  ...['has_tool', 'has_usage', 'imported', 'reconciled'].map((name) => flag(name)),
];

const ELEMENTS: Record<string, Partial<Element>> = {
  STRING: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  INT64: { type: 'INT64' },
  INT32: { type: 'INT32' },
  BOOLEAN: { type: 'BOOLEAN' },
  TIMESTAMP: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
};

/** A file as another writer might make it: these columns, then the required list of rules. */
function foreign(
  columns: readonly Column[],
  options: Partial<Options> = {},
  element: 'REQUIRED' | 'OPTIONAL' = 'REQUIRED',
): Uint8Array {
  const rows = columns[0]?.data.length ?? 0;
  const schema = columns.map(({ name, type, nullable }): Element => {
    const repetition_type = nullable === false ? 'REQUIRED' : 'OPTIONAL';
    return { name, repetition_type, ...ELEMENTS[type ?? ''] };
  });
  const rules: Element[] = [
    {
      name: 'redaction_rules_fired',
      repetition_type: 'REQUIRED',
      converted_type: 'LIST',
      num_children: 1,
    },
    { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
    { name: 'element', repetition_type: element, type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ];
  const buffer = parquetWriteBuffer({
    schema: [{ name: 'root', num_children: columns.length + 1 }, ...schema, ...rules],
    columnData: [
      ...columns.map(({ type: _type, nullable: _nullable, ...column }) => column),
      { name: 'redaction_rules_fired', data: Array.from({ length: rows }, () => []) },
    ],
    kvMetadata: [{ ...PART_VERSION }],
    ...options,
  });
  return new Uint8Array(buffer);
}

const replaced = (column: Column) => {
  return REQUIRED.map((known) => (known.name === column.name ? column : known));
};

describe('a file of another writer', () => {
  const READ = envelope({
    ...{ event_id: 'x', fleet_id: 'x', agent_id: 'x', runtime: 'x', host_id: 'x', session_id: 'x' },
    emitted_at: '1970-01-01T00:00:00.000Z',
  });

  test('reads without the columns that may be absent', async () => {
    expect(await parquet.decode(foreign(REQUIRED))).toStrictEqual([READ]);
  });

  test('reads without the columns that nobody knows yet', async () => {
    const later: Column = { name: 'later', data: [1], type: 'INT32', nullable: true };
    const columns = [text('a_new_one'), ...REQUIRED, later, text('content', 'known')];
    expect(await parquet.decode(foreign(columns))).toStrictEqual([{ ...READ, content: 'known' }]);
  });

  test('reads uncompressed, and in several row groups', async () => {
    const twice = REQUIRED.map((column) => ({ ...column, data: [...column.data, ...column.data] }));
    const bytes = foreign(twice, { codec: 'UNCOMPRESSED', rowGroupSize: 1 });
    expect(await parquet.decode(bytes)).toStrictEqual([READ, READ]);
    expect(await parquet.begin(bytes)).toBe(READ.emitted_at);
  });

  const number: Column = { name: 'event_id', data: [1n], type: 'INT64', nullable: false };
  const noUnit: Column = { name: 'emitted_at', data: [0n], type: 'INT64', nullable: false };
  const lateYear: Column = { name: 'emitted_at', data: [253402300800000n], type: 'TIMESTAMP' };
  const inexact: Column[] = [
    ...replaced({ ...flag('has_usage'), data: [true] }),
    { name: 'usage_input_tokens', data: [2n ** 60n], type: 'INT64', nullable: true },
  ];
  const notUtf8 = text('content', new Uint8Array([0xff]));
  const gzip: Partial<Options> = { codec: 'GZIP', compressors: { GZIP: (bytes) => bytes } };
  const EMPTY: Options = { columnData: [], kvMetadata: [{ ...PART_VERSION }] };
  // Each says a word of its reason, so that no row passes by another's.
  test.each<[string, string, Uint8Array]>([
    ['no version', 'schema_version', foreign(REQUIRED, { kvMetadata: [] })],
    [
      'a later version',
      'schema_version',
      foreign(REQUIRED, { kvMetadata: [{ ...PART_VERSION, value: '2' }] }),
    ],
    [
      'a column missing',
      'lacks the column event_type',
      foreign(REQUIRED.filter((column) => column.name !== 'event_type')),
    ],
    ['no columns and no rows', 'lacks', new Uint8Array(parquetWriteBuffer(EMPTY))],
    ['a column of another type', 'event_id is of another', foreign(replaced(number))],
    ['an instant without its unit', 'emitted_at is of another', foreign(replaced(noUnit))],
    ['a list that may hold nulls', 'rules_fired is of another', foreign(REQUIRED, {}, 'OPTIONAL')],
    ['an unknown event type', 'event_type', foreign(replaced(text('event_type', 'unheard')))],
    [
      'a null where none may be',
      'agent_id',
      foreign(replaced({ name: 'agent_id', data: [undefined], type: 'STRING' })),
    ],
    ['bytes that are no UTF-8', 'UTF-8', foreign([...REQUIRED, notUtf8])],
    ['an integer that is not exact', 'too large', foreign(inexact)],
    ['the year 10000', 'emitted_at', foreign(replaced({ ...lateYear, nullable: false }))],
    ['another compression', 'compressed', foreign(REQUIRED, gzip)],
    [
      'another encoding',
      'encoded',
      foreign([...REQUIRED, { ...text('content'), encoding: 'DELTA_BYTE_ARRAY' }]),
    ],
  ])('is refused with %s', async (_, why, bytes) => {
    const error = await refusal(bytes);
    expect(error).toMatchObject(MALFORMED);
    expect(String(error)).toContain(why);
  });

  test('is refused where a page points outside its dictionary', async () => {
    const rows = ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b'];
    const columns = REQUIRED.map((column) => ({ ...column, data: rows.map(() => column.data[0]) }));
    const content: Column = { ...text('content'), data: rows, encoding: 'RLE_DICTIONARY' };
    const bytes = Buffer.from(foreign([...columns, content], { codec: 'UNCOMPRESSED' }));
    expect((await parquet.decode(bytes)).map((read) => read.content)).toEqual(rows);
    // Two bits an index: one group of 0 1 2 0, 1 2 0 1. The dictionary has no index 3.
    const at = bytes.indexOf(Buffer.from([2, 0x03, 0x24, 0x49]));
    bytes[at + 2] = 0x3c;
    expect(String(await refusal(bytes))).toContain('outside its dictionary');
  });

  test('is refused with a schema that nests without need', async () => {
    const depth = 12;
    const group = (name: string): Element => ({
      name,
      repetition_type: 'OPTIONAL',
      num_children: 1,
    });
    const bytes = parquetWriteBuffer({
      schema: [
        { name: 'root', num_children: 1 },
        ...Array.from({ length: depth }, (_, i) => group(`level${i}`)),
        { name: 'leaf', type: 'INT32', repetition_type: 'OPTIONAL' },
      ],
      columnData: [{ name: 'level0', data: [undefined] }],
      kvMetadata: [{ ...PART_VERSION }],
    });
    expect(String(await refusal(new Uint8Array(bytes)))).toContain('not a tree');
  });

  test('is refused where a small file stands for more than memory holds', async () => {
    const rows = 20_000;
    const wide = REQUIRED.map((column) => ({ ...column, data: Array(rows).fill(column.data[0]) }));
    const bomb = foreign([
      ...wide,
      { ...text('content'), data: Array(rows).fill('x'.repeat(2 ** 20)) },
    ]);
    expect(bomb.length).toBeLessThan(200_000);
    expect(String(await refusal(bomb))).toContain('more memory');
  });
});

describe('bytes that are no part', () => {
  const BYTES = parquet.encode(SAMPLE);

  async function survives(bytes: Uint8Array): Promise<void> {
    try {
      await parquet.begin(bytes);
      for (const read of await parquet.decode(bytes)) Envelope.parse(read);
    } catch (error) {
      expect(error).toBeInstanceOf(CredenceError);
      expect(error).toMatchObject(MALFORMED);
    }
  }

  test('are refused at any length of a cut-off part', async () => {
    for (let length = 0; length < BYTES.length; length++) {
      expect(await refusal(BYTES.subarray(0, length))).toMatchObject(MALFORMED);
    }
  });

  test('are refused in the same way where they can not even be looked at', async () => {
    const noArray: Uint8Array = Object.create(Uint8Array.prototype);
    expect(await refusal(noArray)).toMatchObject(MALFORMED);
    await expect(parquet.begin(noArray)).rejects.toMatchObject(MALFORMED);
  });

  test('are refused where they are random', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, framed) => {
        const magic = framed ? Buffer.from('PAR1') : Buffer.alloc(0);
        expect(await refusal(Buffer.concat([magic, bytes, magic]))).toMatchObject(MALFORMED);
      }),
    );
  });

  // Several codings at once: runs, dictionaries, compressed texts, lists.
  const many = Array.from({ length: 40 }, (_, i) => ({ ...FULL, event_id: `e${i % 30}` }));
  test.each([
    ['three rows', BYTES],
    ['forty rows', parquet.encode(many)],
  ])('never do worse than that, however they are changed: %s', async (_, whole) => {
    const anyChange = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(fc.array(anyChange, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = whole.slice();
        for (const { at, byte } of changes) bytes[at] = byte;
        await survives(bytes);
      }),
      { numRuns: 1_500 },
    );
  });

  test('never do worse than that with any one byte of the footer changed', async () => {
    const length = new DataView(BYTES.buffer).getUint32(BYTES.length - 8, true);
    for (let at = BYTES.length - 8 - length; at < BYTES.length; at++) {
      for (const byte of [0x0c, 0x80, 0xff]) {
        const bytes = BYTES.slice();
        bytes[at] = byte;
        await survives(bytes);
      }
    }
  });

  describe('in their counts', () => {
    const bytes = Buffer.from(parquet.encode(Array.from({ length: 1_000 }, () => FULL)));
    // The row group's count: 1,000 as a zigzag varint.
    const at = bytes.lastIndexOf(Buffer.from([0xd0, 0x0f]));

    test('are refused before anything is allocated for 2,000,000 rows', () => {
      const claim = Buffer.from([0xd0, 0x8f, 0x7a]);
      const whole = Buffer.concat([bytes.subarray(0, at), claim, bytes.subarray(at + 2)]);
      whole.writeUInt32LE(whole.readUInt32LE(whole.length - 8) + 1, whole.length - 8);
      expect(() => readRows(whole)).toThrow('more memory');
    });

    test.each([
      ['a row more than there are', 0xd2, 'is cut off'],
      ['a row less than there are', 0xce, 'more rows'],
    ])('are refused for %s', (_, byte, why) => {
      const whole = Buffer.from(bytes);
      whole[at] = byte;
      expect(() => readRows(whole)).toThrow(why);
    });
  });

  /** The least memory with which a part reads. */
  function needOf(part: Uint8Array): number {
    let [low, high] = [0, 2 ** 28];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      try {
        readRows(part, PART_COLUMNS, middle);
        high = middle;
      } catch {
        low = middle;
      }
    }
    return high;
  }

  test('can not hide what they take: pages, levels and cells all count', () => {
    const texts = ['x', 'y', 'z'].map((unit) => envelope({ content: unit.repeat(100_000) }));
    expect(needOf(parquet.encode(texts))).toBeGreaterThan(300_000);
    // Eight bytes for each cell, sixteen for each level.
    const rows = Array.from({ length: 2_000 }, () => envelope());
    expect(needOf(parquet.encode(rows))).toBeGreaterThan(2_000 * 44 * (8 + 16));
  });
});
