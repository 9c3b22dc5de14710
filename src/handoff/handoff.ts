import * as z from 'zod';
import { CredenceError } from '../base/errors.ts';
import { LIMIT } from '../base/limits.ts';
import { cleanText } from '../base/text.ts';
import { isInstant, toMs } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import { stripFences } from '../capture/fence.ts';
import type { RedactionPolicy } from '../capture/redact/policy.ts';
import { redactText } from '../capture/redact.ts';
import { issuedAt } from '../digest/issued-at.ts';
import { SPEC } from '../record/record.ts';
import type { HandoffBody } from '../record/session.ts';

/** An agent's note as it waits on disk until it is signed: redacted already. */
export const HandoffDraft = z.strictObject({
  version: z.literal(1),
  session: z.string().min(1).max(256),
  agent: z.string(),
  runtime: z.string(),
  repo: z.string().optional(),
  status: z.enum(['done', 'partial', 'blocked']),
  summary: z.string().min(1),
  next: z.string().optional(),
  written_at: z.string().refine(isInstant),
});
export type HandoffDraft = z.infer<typeof HandoffDraft>;

function note(name: string, text: string, policy: RedactionPolicy): string {
  const clean = redactText(stripFences(cleanText(text)).trim(), 'prose', policy).text;
  const bytes = Buffer.byteLength(clean);
  if (bytes <= LIMIT.record_text_bytes_max) return clean;
  throw new CredenceError(
    'usage',
    'handoff.too_long',
    `the ${name} has ${bytes} bytes, ${LIMIT.record_text_bytes_max} is the most`,
    {
      next: 'say it shorter: a handoff is a note, not a log',
    },
  );
}

/** Checks and redacts what an agent or a person wrote. Throws `handoff.*`. */
export function draftHandoff(
  given: Omit<HandoffDraft, 'version'>,
  policy: RedactionPolicy,
): HandoffDraft {
  const summary = note('summary', given.summary, policy);
  if (summary === '') {
    throw new CredenceError('usage', 'handoff.empty', 'a handoff needs a summary', {
      next: 'say what was done and what failed: --summary "…"',
    });
  }
  const { next: written, ...rest } = given;
  const next = written === undefined ? undefined : note('next step', written, policy);
  const draft = {
    ...rest,
    ...defined({ next: next === '' ? undefined : next }),
    version: 1 as const,
    summary,
  };
  return HandoffDraft.parse(draft);
}

/** The same draft, dated anew where the clock that dated it was ahead: the ledger takes no record from the future. */
export function datedBy(draft: HandoffDraft, now: number): HandoffDraft {
  const written_at = issuedAt(toMs(draft.written_at), now);
  return written_at === draft.written_at ? draft : { ...draft, written_at };
}

/** The body that the agent's key signs. Dated by the note itself, so that signing it again gives the same record. */
export function handoffBody(
  draft: HandoffDraft,
  by: { readonly address: string; readonly host: string },
): HandoffBody {
  const { session, agent, runtime, repo, status, summary, next, written_at } = draft;
  return {
    spec: SPEC,
    author: by.address,
    issued_at: written_at,
    session,
    agent,
    runtime,
    host: by.host,
    ...defined({ repo, next }),
    status,
    summary,
  };
}
