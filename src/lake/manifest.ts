import * as z from 'zod';

/** One part that the store has confirmed. */
const PartEntry = z.strictObject({
  key: z.string(),
  hash: z.string(),
  first_at: z.string(),
  events: z.int().positive(),
  /** Size of its envelopes as JSON. */
  bytes: z.int().nonnegative(),
});
export type PartEntry = z.infer<typeof PartEntry>;

/**
 * What this host knows of a session that it captures or imports: the confirmed parts, and how far it is sealed.
 * A small local file beside the spool, written beside and renamed. Without it, parts are found in the ledger's
 * newest revision, and unsealed ones are sent again.
 */
export const Manifest = z.strictObject({
  version: z.literal(1),
  runtime: z.string(),
  session: z.string(),
  parent: z.string().optional(),
  agent: z.string(),
  repo: z.string().optional(),
  cwd: z.string().optional(),
  /** The runtime's own transcript, as the hook was told. */
  transcript: z.string().optional(),
  parts: z.array(PartEntry),
  /** The number of the last frozen spool file that is in these parts. */
  drained: z.int().nonnegative(),
  /** The time of the latest event, in milliseconds. */
  last_at: z.number(),
  /** True where the latest event ended the session. */
  ended: z.boolean(),
  imported: z.boolean(),
  /**
   * The transcript, by its cursor's name, that alone told of the session so far, and the offset up to which its lines are
   * in these parts. Absent once hooks, or another file, told of it too: who tells more of it then is compared with it.
   */
  told_by: z.strictObject({ cursor: z.string(), offset: z.int().nonnegative() }).optional(),
  /** Counted native keys that the session had more than once so far, whoever told of them. */
  ordinals: z.record(z.string(), z.int().nonnegative()),
  /** The others, which it had once: 6 bytes of the hash of each, as base64. */
  once: z.string().optional(),
  /** The latest prompt of the spool, cut, and what was put before the session: as long as it runs, others are told. */
  asked: z.string().optional(),
  shown: z.array(z.string()).optional(),
  /** The latest line ids: a copy of one of these is no new event. */
  line_ids: z.array(z.string()),
  /** The newest revision that this host put into the inbox, 0 for none, and how many parts it names, until the ledger does. */
  revision: z.int().nonnegative(),
  sent_parts: z.int().nonnegative().optional(),
  /** How many parts the ledger names. */
  sealed_parts: z.int().nonnegative(),
  torn: z.int().nonnegative(),
  unrecognised: z.int().nonnegative(),
});
export type Manifest = z.infer<typeof Manifest>;

/** True where parts are not in a revision that the ledger has. */
export function isUnsealed(manifest: Manifest): boolean {
  return manifest.parts.length > manifest.sealed_parts;
}

/** The manifest of a session that more than one transcript told of. */
export function toldByMany({ told_by: _, ...manifest }: Manifest): Manifest {
  return manifest;
}
