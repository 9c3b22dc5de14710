import * as z from 'zod';
import { CredenceError, codeOf } from '../../base/errors.ts';
import { CitationDraft } from '../../extract/citation.ts';
import { getSession } from '../../query/session.ts';
import { findKey } from '../../query/shown-id.ts';
import { foundEvidence } from '../cli/evidence.ts';
import { opened } from '../cli/opened.ts';
import type { Caller } from './caller.ts';
import type { ToolContext } from './tool.ts';

const CURRENT = 'current';
const CITATIONS_MAX = 64;

/** Looser than a citation is: what lacks something is refused by us, with a code and a next step. */
export const Evidence = z
  .array(
    z.strictObject({
      session_id: z
        .string()
        .max(256)
        .optional()
        .describe('whose message; `current` is this session'),
      message_id: z
        .string()
        .max(2_048)
        .optional()
        .describe('which one, as fleet_history lists them with session `current`'),
      quote: z
        .string()
        .max(65_536)
        .optional()
        .describe('words of it, as they stand there; or of the only message that holds them'),
    }),
  )
  .max(CITATIONS_MAX)
  .default([])
  .describe('each names a session, and a message of it or words from one');

const CITE =
  'fleet_history with session `current` lists the messages of this session: {"session_id": "current", "message_id": "…"}';

/** Throws `claim.evidence` where nothing is cited. */
export function assertCited(given: z.output<typeof Evidence>): void {
  if (given.length > 0) return;
  throw new CredenceError('usage', 'claim.evidence', 'a proposal needs evidence', { next: CITE });
}

/** The session that an id means, as far as that is known here: a sealed one by how it begins. Throws `session.*`. */
function wholeId(context: ToolContext, typed: string, caller: Caller): string {
  if (typed === CURRENT || typed === caller.session) return caller.session;
  if (context.captured(typed)) return typed;
  const running = context.liveAgents().flatMap(({ sessions }) => sessions);
  if (running.some(({ session }) => session === typed)) return typed;
  const known = context.tryRead('agent', (sql) =>
    opened(typed, (id) => findKey(sql, 'session', id)),
  );
  // Where nothing was followed yet the next sync says whether there is such a session.
  return known ?? typed;
}

/**
 * What a proposal cites. What can be looked up in this session's own spool is looked up now, so that whoever cites wrongly
 * hears of it at once; the rest by the sync that signs it. Throws `citation.*`, `session.*`.
 */
export async function citedIn(
  context: ToolContext,
  given: z.output<typeof Evidence>,
  caller: Caller,
): Promise<CitationDraft[]> {
  const cited = given.map((one) => {
    const { data } = CitationDraft.safeParse(one);
    if (data) return { ...data, session_id: wholeId(context, data.session_id, caller) };
    throw new CredenceError(
      'usage',
      'citation.form',
      'every citation names a session, and a message of it or words from one',
      { next: CITE },
    );
  });
  // What was sealed before is in the store, and nobody reads that here.
  const wasSealed =
    context.tryRead('agent', (sql) => getSession(sql, caller.session)) !== undefined;
  const messages = async (session: string) => {
    if (session !== caller.session || wasSealed) return undefined;
    return { events: context.held(session), sealed: false };
  };
  return foundEvidence({ home: context.home, messages }, cited, caller).catch(named);
}

/** The next step in the words of these tools. */
function named(error: unknown): never {
  if (!(error instanceof CredenceError) || !codeOf(error).startsWith('citation.')) throw error;
  const { category, code, message, data } = error;
  const next =
    code === 'citation.ambiguous' ? 'quote more of it, or name the message: "message_id"' : CITE;
  throw new CredenceError(category, code, message, { next, data, cause: error });
}
