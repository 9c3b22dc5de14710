import { CredenceError, messageOf } from '../base/errors.ts';
import type { Instant } from '../base/time.ts';
import {
  assertPartSize,
  fromRow,
  instantOf,
  malformed,
  PART_COLUMNS,
  type PartCodec,
  toRow,
} from '../lake/part.ts';
import { Envelope } from '../runtime/envelope.ts';
import { readRows } from './parquet/read.ts';
import { writeRows } from './parquet/write.ts';

const TIME = PART_COLUMNS.filter(({ name }) => name === 'emitted_at');

/** Parts as Parquet files, as docs/formats/part.md says. No method awaits anything or keeps any state. */
export const parquet: PartCodec = {
  encode(envelopes: readonly Envelope[]): Uint8Array {
    const rows = envelopes.map(toRow);
    assertPartSize(rows);
    return writeRows(rows);
  },

  async decode(bytes: Uint8Array): Promise<Envelope[]> {
    return reading(() =>
      readRows(bytes).map((row, i) => {
        const parsed = Envelope.safeParse(fromRow(row));
        if (parsed.success) return parsed.data;
        const where = parsed.error.issues[0]?.path.join('.') ?? '';
        throw malformed(`row ${i} is no envelope, by its ${where}`);
      }),
    );
  },

  async begin(bytes: Uint8Array): Promise<Instant | undefined> {
    return reading(() => {
      let begin = Number.POSITIVE_INFINITY;
      for (const [time] of readRows(bytes, TIME)) begin = Math.min(begin, Number(time));
      return begin === Number.POSITIVE_INFINITY ? undefined : instantOf('emitted_at', begin);
    });
  },
};

/** Whatever a hostile file brings about, the caller sees one kind of refusal. */
function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof CredenceError ? error : malformed(messageOf(error), error);
  }
}
