import { z } from 'zod';
import { isInstant } from '../base/time.ts';

const Instant = z.string().refine(isInstant);

/** A session that is running on some host. */
export const LiveSession = z.strictObject({
  session: z.string().max(512),
  repo: z.string().max(1024).optional(),
  branch: z.string().max(512).optional(),
  started_at: Instant,
  last_at: Instant,
  /** The latest prompt, cut. Untrusted, like all that comes from the store. */
  asked: z.string().max(1024).optional(),
  /** Handoffs and digests that were put before it. */
  shown: z.array(z.string().max(256)).max(200),
});
export type LiveSession = z.infer<typeof LiveSession>;

/** `live/agents/<host>.<agent>.json`: written by its host alone, last writer wins. */
export const LiveAgent = z.strictObject({
  version: z.literal(1),
  host: z.string().max(128),
  agent: z.string().max(128),
  runtime: z.string().max(64),
  at: Instant,
  sessions: z.array(LiveSession).max(200),
});
export type LiveAgent = z.infer<typeof LiveAgent>;

/** `live/intents/<host>.<agent>.json`: the paths that an agent's running sessions edited last. */
export const LiveIntents = z.strictObject({
  version: z.literal(1),
  host: z.string().max(128),
  agent: z.string().max(128),
  at: Instant,
  intents: z
    .array(
      z.strictObject({
        session: z.string().max(512),
        repo: z.string().max(1024),
        /** Relative to the top of the checkout. */
        path: z.string().max(4096),
        until: Instant,
      }),
    )
    .max(1_000),
});
export type LiveIntents = z.infer<typeof LiveIntents>;
