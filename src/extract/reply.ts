import * as z from 'zod';
import { CredenceError } from '../base/errors.ts';
import { isInstant } from '../base/time.ts';
import { jsonIn } from '../base/unknown.ts';
import { ClaimType } from '../record/claim.ts';
import type { ModelReply } from './model.ts';

/** No session has so many; a reply with more is no list of what was found out. */
const CLAIMS_MAX = 64;

/** A claim as a model drafts it. Every member is there, since not every provider knows of members that may be absent. */
const DraftShape = z.strictObject({
  claim_type: ClaimType,
  statement: z.string(),
  subject: z.array(z.string()),
  evidence: z.array(
    z.strictObject({ session_id: z.string(), message_id: z.string(), quote: z.string() }),
  ),
  resolves_at: z.union([z.string(), z.null()]),
});

/** The schema that a model is given: plain, since not every provider knows of bounds. */
export const REPLY_SCHEMA: object = (() => {
  const { $schema: _, ...schema } = z.toJSONSchema(z.strictObject({ claims: z.array(DraftShape) }));
  return schema;
})();

const text = (max: number) => z.string().trim().min(1).max(max);

/** The same as it is taken, with its bounds. */
const Draft = z.strictObject({
  ...DraftShape.shape,
  statement: text(1_000),
  subject: z.array(text(128)).min(1).max(8),
  evidence: z
    .array(
      z.strictObject({ session_id: text(256), message_id: text(256), quote: text(2_000).min(4) }),
    )
    .min(1)
    .max(8),
  resolves_at: z.union([z.string().refine(isInstant), z.null()]),
});
/** A draft of a model that has the right form. What it says was not looked at yet. */
export type ModelDraft = z.infer<typeof Draft>;

/** The drafts of a reply, and how many of them have a wrong form. */
export interface Drafted {
  readonly drafts: readonly ModelDraft[];
  readonly malformed: number;
}

const FENCED = /^```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```$/;

function failed(code: string, message: string): never {
  throw new CredenceError('incorrect', `model.${code}`, message);
}

/**
 * Reads a reply strictly: one JSON object of the schema, or that in one fence of Markdown, and nothing beside it. Whatever else it is, a
 * refusal, a sentence of the provider's, half a reply, is a failure, so that its session is asked about again. Throws
 * `model.cut`, `model.refused`, `model.reply`.
 */
export function readReply({ text, ended }: ModelReply): Drafted {
  if (ended === 'cut') failed('cut', 'the reply was cut at the limit of its length');
  if (ended === 'refused') failed('refused', 'the model would not answer');
  const trimmed = text.trim();
  const parsed = z
    .strictObject({ claims: z.array(z.unknown()).max(CLAIMS_MAX) })
    .safeParse(jsonIn(FENCED.exec(trimmed)?.[1] ?? trimmed)).data;
  if (!parsed) return failed('reply', 'the reply is not of the schema that was asked for');
  const read = parsed.claims.flatMap((claim) => Draft.safeParse(claim).data ?? []);
  return { drafts: read, malformed: parsed.claims.length - read.length };
}
