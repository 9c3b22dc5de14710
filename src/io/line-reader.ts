import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LIMIT } from '../base/limits.ts';
import type { FileLine, LineReader } from '../lake/port.ts';

/** As much as the file has, within these: most files of the spool are small. */
const CHUNK_BYTES = { min: 16 * 1024, max: 1024 * 1024 };
const LINE_FEED = 0x0a;

/** Reads by chunks. A line longer than the limit is passed over in constant memory. */
function* readLines(path: string, from: number, maxLine: number): Generator<readonly FileLine[]> {
  const fd = openSync(path, 'r');
  try {
    const left = fstatSync(fd).size - from;
    const chunk = Buffer.allocUnsafe(Math.min(Math.max(left, CHUNK_BYTES.min), CHUNK_BYTES.max));
    let held: Buffer[] = [];
    let heldBytes = 0;
    let offset = from;
    const take = (piece: Buffer) => {
      heldBytes += piece.length;
      if (heldBytes <= maxLine) held.push(Buffer.from(piece));
      else held = [];
    };
    const finish = (end: number, open: boolean): FileLine => {
      const line = {
        text: heldBytes <= maxLine ? Buffer.concat(held).toString('utf8') : undefined,
        end,
        bytes: heldBytes,
        open,
      };
      held = [];
      heldBytes = 0;
      return line;
    };
    for (;;) {
      const piece = chunk.subarray(0, readSync(fd, chunk, 0, chunk.length, offset));
      if (piece.length === 0) break;
      const lines: FileLine[] = [];
      let start = 0;
      for (let at = piece.indexOf(LINE_FEED); at >= 0; at = piece.indexOf(LINE_FEED, start)) {
        take(piece.subarray(start, at));
        lines.push(finish(offset + at + 1, false));
        start = at + 1;
      }
      take(piece.subarray(start));
      offset += piece.length;
      if (lines.length > 0) yield lines;
    }
    if (heldBytes > 0) yield [finish(offset, true)];
  } finally {
    closeSync(fd);
  }
}

/** The line reader over the local file system. Lines of up to `maxLine` bytes have a text. */
export function lineReader(maxLine: number = LIMIT.transcript_line_bytes_max): LineReader {
  return {
    lines: (path, from) => readLines(path, from, maxLine),
  };
}
