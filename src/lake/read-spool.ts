import * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { encodePathPart } from '../base/path-part.ts';
import { objectOf, textOf } from '../base/unknown.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { Envelope } from '../runtime/envelope.ts';
import { sizeOf } from './part.ts';
import type { SpoolSession } from './port.ts';

/** As long as a hook makes any id, and as a session's may be in a record. */
const ID_LENGTH_MAX = 256;

const Id = z
  .string()
  .max(ID_LENGTH_MAX)
  .refine((text) => textOf(text) !== undefined);

/** What a line has to be, so that a part takes it and can be read again. */
const Line = z.strictObject({
  line_id: Id,
  native: z.strictObject({ key: Id, counted: z.boolean() }),
  transcript: z.string().optional(),
  recognised: z.boolean(),
  envelope: z.strictObject({
    ...Envelope.omit({ event_id: true }).shape,
    session_id: Id,
  }),
  withheld: z
    .array(z.strictObject({ rule: z.string(), bytes: z.number(), hash: z.string() }))
    .optional(),
});

/** Whose lines a file holds, by its path. */
export type SpoolOwner = Pick<SpoolSession, 'runtime' | 'stem'>;

/**
 * The lines of a spool file in order, each `line_id` once, and how many are none: cut off, or not as the format says, or
 * of another session than the file's. Given as text, or by lines, of which one too long to be read is undefined.
 */
export function parseSpool(
  text: string | Iterable<string | undefined>,
  owner?: SpoolOwner,
): {
  readonly lines: readonly SpoolLine[];
  readonly torn: number;
} {
  const lines = new Map<string, SpoolLine>();
  let torn = 0;
  for (const raw of typeof text === 'string' ? text.split('\n') : text) {
    if (raw === '') continue;
    const line = raw === undefined ? undefined : parseLine(raw);
    if (!line || !isOf(line, owner)) torn += 1;
    else if (!lines.has(line.line_id)) lines.set(line.line_id, line);
  }
  return { lines: [...lines.values()], torn };
}

function parseLine(raw: string): SpoolLine | undefined {
  try {
    const line: unknown = JSON.parse(raw);
    const issues = Line.safeParse(line).error?.issues ?? [];
    // A hook that is newer than this may say more than a part of today holds: what is known of it counts.
    const isWhole = issues.every(({ code }) => code === 'unrecognized_keys');
    const read = objectOf(line) as unknown as SpoolLine;
    return isWhole && sizeOf(read.envelope) <= LIMIT.part_bytes_max ? read : undefined;
  } catch {
    return undefined;
  }
}

function isOf({ envelope }: SpoolLine, owner: SpoolOwner | undefined): boolean {
  if (!owner) return true;
  const { runtime, session_id } = envelope;
  return encodePathPart(runtime) === owner.runtime && encodePathPart(session_id) === owner.stem;
}
