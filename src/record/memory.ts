import * as z from 'zod';
import { Fact } from './claim.ts';
import { Scope } from './knowledge.ts';
import { bodyBase, SignedName, SignedText } from './record.ts';

/** A text of 65,536 bytes holds no more that is worth telling apart. */
const FACTS_MAX = 64;

/**
 * A text that an agent or a person keeps, with the facts that they take from it, if any. Who may read it is its segment:
 * `agent:<observed_by>`, a repo's, or all of the fleet. It is an episode of a session of its own, `memory:<record id>`, and
 * never a belief. Source: design page 4, "Memories".
 */
export const MemoryBody = z.strictObject({
  ...bodyBase,
  scope: Scope,
  observed_by: z.string().min(1).max(256),
  /** The session that kept it, where one did. */
  session: SignedName.min(1).optional(),
  content: SignedText.refine((text) => text.trim() !== '', 'a text'),
  facts: z.array(Fact).max(FACTS_MAX),
  /** 16 random bytes in hex: from the id of a record a short text could be guessed. */
  nonce: z.string().regex(/^[0-9a-f]{32}$/),
});
export type MemoryBody = z.infer<typeof MemoryBody>;
