import * as z from 'zod';
import { isInstant } from '../base/time.ts';

/** What one object of a host may hold: the writer keeps within it, so that readers need not refuse it. */
export const LIVE_MAX = {
  sessions: 200,
  intents: 1_000,
  host: 128,
  agent: 128,
  runtime: 64,
  session: 512,
  repo: 1_024,
  branch: 512,
  asked: 1_024,
  shown: 200,
  item: 256,
  path: 4_096,
  reason: 512,
} as const;

const Instant = z.string().refine(isInstant);

/** A session that is running on some host. */
export const LiveSession = z.strictObject({
  session: z.string().max(LIVE_MAX.session),
  repo: z.string().max(LIVE_MAX.repo).optional(),
  branch: z.string().max(LIVE_MAX.branch).optional(),
  started_at: Instant,
  last_at: Instant,
  /** The latest prompt, cut. Untrusted, like all that comes from the store. */
  asked: z.string().max(LIVE_MAX.asked).optional(),
  /** Handoffs and digests that were put before it. */
  shown: z.array(z.string().max(LIVE_MAX.item)).max(LIVE_MAX.shown),
});
export type LiveSession = z.infer<typeof LiveSession>;

/** `live/agents/<host>.<agent>.json`: written by its host alone, last writer wins. */
export const LiveAgent = z.strictObject({
  version: z.literal(1),
  host: z.string().max(LIVE_MAX.host),
  agent: z.string().max(LIVE_MAX.agent),
  runtime: z.string().max(LIVE_MAX.runtime),
  at: Instant,
  /** The position up to which the host has followed the ledger; absent while it has not forgotten all that was erased. */
  position: z.int().nonnegative().optional(),
  sessions: z.array(LiveSession).max(LIVE_MAX.sessions),
});
export type LiveAgent = z.infer<typeof LiveAgent>;

/** A path that a running session edited, or said that it is about to. */
export const LiveIntent = z.strictObject({
  session: z.string().max(LIVE_MAX.session),
  repo: z.string().max(LIVE_MAX.repo),
  /** Relative to the top of the checkout; one that ends in `/` is a whole folder. */
  path: z.string().max(LIVE_MAX.path),
  until: Instant,
  /** Why, where its agent announced it. Untrusted, like all that comes from the store. */
  reason: z.string().max(LIVE_MAX.reason).optional(),
});
export type LiveIntent = z.infer<typeof LiveIntent>;

/** `live/intents/<host>.<agent>.json`: the paths that an agent's running sessions edited last. */
export const LiveIntents = z.strictObject({
  version: z.literal(1),
  host: z.string().max(LIVE_MAX.host),
  agent: z.string().max(LIVE_MAX.agent),
  at: Instant,
  intents: z.array(LiveIntent).max(LIVE_MAX.intents),
});
export type LiveIntents = z.infer<typeof LiveIntents>;
