import * as z from 'zod';
import { CredenceError, codeOf } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { draftEndorsement, EndorsementDraft } from '../../extract/draft.ts';
import { findKey } from '../../query/shown-id.ts';
import { opened } from '../cli/opened.ts';
import { redactionOf } from '../cli/said.ts';
import { speakerOf } from './caller.ts';
import { citedIn, Evidence } from './evidence.ts';
import { Queued, queueDraft } from './queued.ts';
import { readsClaims } from './reading.ts';
import { type ToolContext, tool } from './tool.ts';

const WHOLE_ID = /^(?:claim:)?([0-9a-f]{64})$/;

/** The claim that an id means: one that agents may read by how it begins, any other by its whole id. Throws `claim.*`. */
function claimOf(context: ToolContext, typed: string): string {
  const whole = WHOLE_ID.exec(typed)?.[1];
  if (whole !== undefined) return whole;
  const found = context.tryRead('agent', (sql) => {
    // In a mode in which agents read no claims the snapshot has no table of them.
    if (!readsClaims(context, sql)) return undefined;
    try {
      return opened(typed, (id) => findKey(sql, 'claim', id));
    } catch (error) {
      if (codeOf(error) === 'claim.missing') return undefined;
      throw error;
    }
  });
  if (found !== undefined) return found;
  throw new CredenceError(
    'missing',
    'claim.missing',
    `no claim that is read here begins with ${JSON.stringify(typed)}`,
    {
      next: 'give its whole id, as memory_search lists it',
    },
  );
}

/** Agrees with a claim, or contradicts it. */
export const memoryEndorse = tool({
  name: 'memory_endorse',
  title: 'Agree with a claim, or contradict it',
  description:
    'Takes a position on a claim, with what you saw yourself: corroborate, or contradict. A session that was shown the claim is no independent witness of it.',
  reads: false,
  repeatable: false,
  input: z.strictObject({
    claim_id: z.string().min(4).max(80).describe('as memory_search lists it'),
    verdict: EndorsementDraft.shape.verdict,
    basis: z.string().trim().min(1).max(65_536).describe('why, in a sentence'),
    evidence: Evidence,
  }),
  output: Queued.extend({ claim_id: z.string() }),
  async run(context, { claim_id: typed, verdict, basis, evidence: given }) {
    const caller = speakerOf(context, 'a position');
    const evidence = await citedIn(context, given, caller);
    const claim_id = claimOf(context, typed);
    const written_at = toInstant(context.home().world.now());
    const said = { agent: caller.agent, claim_id, verdict, basis, evidence, written_at };
    const { text, value } = queueDraft(context, draftEndorsement(said, redactionOf(context)));
    return { text, value: { ...value, claim_id } };
  },
});
