import * as z from 'zod';
import { CredenceError } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { defined } from '../../base/unknown.ts';
import type { CitationDraft } from '../../extract/citation.ts';
import { draftClaim } from '../../extract/draft.ts';
import { getSession } from '../../query/session.ts';
import { ClaimType } from '../../record/claim.ts';
import { redactionOf } from '../cli/said.ts';
import { Since } from './arguments.ts';
import { type Caller, speakerOf } from './caller.ts';
import { assertCited, citedIn, Evidence } from './evidence.ts';
import { Queued, queueDraft } from './queued.ts';
import { type ToolContext, tool } from './tool.ts';

const Scope = z.enum(['agent', 'repo', 'fleet']);
const Name = z.string().min(1).max(256);

/** The repo that a session worked in, as far as this machine knows. */
function repoOf(context: ToolContext, session: string, caller: Caller): string | undefined {
  if (session === caller.session) return caller.repo;
  const sealed = context.tryRead('agent', (sql) => getSession(sql, session));
  return sealed?.repo ?? context.captured(session)?.repo;
}

/** Where a claim wants to live: as it is asked for, else in the repo of the first session that it cites. Throws `scope.repo`. */
function segmentOf(
  context: ToolContext,
  scope: z.output<typeof Scope> | undefined,
  [first]: readonly CitationDraft[],
  caller: Caller,
): string | null {
  if (scope === 'agent') return `agent:${caller.agent}`;
  if (scope === 'fleet') return null;
  const cited = first && repoOf(context, first.session_id, caller);
  const repo = cited ?? caller.repo;
  if (repo !== undefined) return `repo:${repo}`;
  if (scope === undefined) return null;
  throw new CredenceError('usage', 'scope.repo', 'it is not known which repo this is', {
    next: 'take scope fleet, or agent',
  });
}

/** Proposes one thing that holds. Nothing is written into memory: gates decide what is believed. */
export const memoryPropose = tool({
  name: 'memory_propose',
  title: 'Propose something that holds',
  description:
    'Proposes one thing that you found to hold, with the messages that show it. It becomes a candidate under your name; gates decide what others are told. Every citation names a session, and a message of it or words from one.',
  reads: false,
  repeatable: false,
  input: z.strictObject({
    claim: z.string().trim().min(1).max(65_536).describe('one proposition, in one sentence'),
    type: ClaimType.describe('what it is of'),
    evidence: Evidence,
    subject: z.array(Name).max(16).default([]).describe('what it is about'),
    refs: z
      .array(z.string().min(1).max(2_048))
      .max(64)
      .optional()
      .describe('URIs of artifacts that it is about; without it, the files of what is cited'),
    topics: z.array(Name).max(16).default([]),
    scope: Scope.optional().describe('where it wants to live; the repo of the session unless told'),
    resolves_at: Since.optional().describe(
      'by when a hypothesis is answered: a day, or a time with its zone',
    ),
  }),
  output: Queued,
  async run(context, given) {
    const caller = speakerOf(context, 'a proposal');
    assertCited(given.evidence);
    const evidence = await citedIn(context, given.evidence, caller);
    const { world } = context.home();
    const draft = draftClaim(
      {
        agent: caller.agent,
        statement: given.claim,
        claim_type: given.type,
        subject: given.subject,
        topics: given.topics,
        ...defined({ refs: given.refs?.map((uri) => ({ uri, kind: null })) }),
        segment: segmentOf(context, given.scope, evidence, caller),
        supersedes: null,
        ...defined({ resolves_at: given.resolves_at }),
        evidence,
        nonce: Buffer.from(world.random(16)).toString('hex'),
        written_at: toInstant(world.now()),
      },
      redactionOf(context),
    );
    return queueDraft(context, draft);
  },
});
