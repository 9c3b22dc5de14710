import { CredenceError, messageOf } from '../base/errors.ts';
import { assertPartSize, fromRow, malformed, type PartCodec, toRow } from '../lake/part.ts';
import { Envelope } from '../runtime/envelope.ts';
import { readRows } from './parquet/read.ts';
import { writeRows } from './parquet/write.ts';

/** Parts as Parquet files, as docs/formats/part.md says. Neither method awaits anything or keeps any state. */
export const parquet: PartCodec = {
  encode(envelopes: readonly Envelope[]): Uint8Array {
    const rows = envelopes.map(toRow);
    assertPartSize(rows);
    return writeRows(rows);
  },

  async decode(bytes: Uint8Array): Promise<Envelope[]> {
    try {
      return readRows(bytes).map((row, i) => {
        const parsed = Envelope.safeParse(fromRow(row));
        if (parsed.success) return parsed.data;
        const where = parsed.error.issues[0]?.path.join('.') ?? '';
        throw malformed(`row ${i} is no envelope, by its ${where}`);
      });
    } catch (error) {
      // Whatever else a hostile file brings about, the caller sees one kind of refusal.
      throw error instanceof CredenceError ? error : malformed(messageOf(error), error);
    }
  },
};
