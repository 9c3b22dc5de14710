import * as z from 'zod';
import { canonical, type Json } from '../base/canonical.ts';
import {
  type Address,
  type Check,
  isSignature,
  type Signer,
  sign,
  verify,
} from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { isInstant } from '../base/time.ts';
import { parserOf } from './fits.ts';

/** The specification that our own record bodies name, and sign under. */
export const SPEC = 'credence/v1';

/** An instant on the wire. */
export const InstantField = z
  .string()
  .refine(isInstant, 'an RFC 3339 UTC instant with three fractional digits');

/** A text that is signed: bounded in bytes, not in characters. */
export const SignedText = z
  .string()
  .refine((text) => Buffer.byteLength(text) <= LIMIT.record_text_bytes_max, {
    error: 'at most 65,536 bytes of UTF-8',
    params: { code: 'record.text_size' },
  });

/** A name that is signed. */
export const SignedName = z.string().max(LIMIT.record_name_length_max);

/** The code by which a body that doesn't fit its schema is refused: that of the check, where it has one of its own. */
export function bodyFault({ issues }: z.ZodError): string {
  for (const issue of issues) {
    const code = issue.code === 'custom' ? issue.params?.['code'] : undefined;
    if (typeof code === 'string') return code;
    if (/^(?:body,)?spec$/.test(issue.path.join())) return 'record.spec';
  }
  return 'record.body';
}

/** The fields that every body of ours begins with. */
export const bodyBase = {
  spec: z.literal(SPEC),
  author: z.string(),
  issued_at: InstantField,
} as const;

/** Any record as it travels and is stored: the context says what it is, and nothing else does. */
export const SignedRecord = z.strictObject({
  context: z.string().regex(/^[a-z][a-z-]{0,31}$/),
  body: z.looseObject({ spec: z.string(), author: z.string() }),
  signature: z.string(),
});
export type SignedRecord = z.infer<typeof SignedRecord>;

/** A record whose signature was checked, with the id that its bytes give it. */
export interface OpenedRecord {
  readonly id: string;
  readonly context: string;
  readonly author: Address;
  readonly body: { readonly [key: string]: Json };
  /** The record as received. */
  readonly signed: SignedRecord;
}

/**
 * uint16be(len(tag)) ‖ tag ‖ canonical_json(body), where tag is `<spec>/<context>`. So a signature for one
 * context or specification is worth nothing in another. Source: the agent-knowledge wire format.
 * Throws `canonical.*`, and `record.spec` where two bytes cannot say how long the tag is.
 */
export function signingInput(
  context: string,
  body: { readonly spec: string },
  bodyText: string = canonical(body),
): Buffer {
  const tag = `${body.spec}/${context}`;
  const length = Buffer.byteLength(tag);
  if (length > 0xffff) {
    throw new CredenceError('incorrect', 'record.spec', 'the spec of a record is too long');
  }
  const input = Buffer.allocUnsafe(2 + length + Buffer.byteLength(bodyText));
  input.writeUInt16BE(length);
  input.write(tag, 2);
  input.write(bodyText, 2 + length);
  return input;
}

/** The id of a record: the SHA-256 of its signing input, in hex. Derived, never chosen. */
export function recordId(context: string, body: { readonly spec: string }): string {
  return sha256Hex(signingInput(context, body));
}

/** Signs a body. Its `author` must be the signer's address; throws `record.author` otherwise. */
export function seal(
  context: string,
  body: { readonly spec: string; readonly author: string },
  signer: Signer,
): SignedRecord {
  if (body.author !== signer.address) {
    throw new CredenceError(
      'incorrect',
      'record.author',
      `a ${context} must be signed by its author`,
    );
  }
  return { context, body, signature: sign(signer, signingInput(context, body)) };
}

/** A record whose signature is still to be checked, and the check. */
export interface UncheckedRecord {
  readonly record: OpenedRecord;
  readonly check: Check;
}

/**
 * What a signed record says, and what its signature must cover. Where its canonical text is at hand, its body is not
 * encoded again. Throws `record.spec` and `canonical.*`.
 */
export function uncheckedRecord(signed: SignedRecord, recordText?: string): UncheckedRecord {
  const { context, body, signature } = signed;
  const input = signingInput(context, body, recordText && bodyTextOf(recordText, signed));
  const { author } = body;
  return {
    record: { id: sha256Hex(input), context, author, body: body as OpenedRecord['body'], signed },
    check: { address: author, input, signature },
  };
}

const parseSigned = parserOf(SignedRecord);

/**
 * A received value as the record that it says it is, its signature still to be checked; `text` is its canonical text, where
 * that is at hand. Throws `record.shape`, `record.spec`, `record.signature_form` or `canonical.*`.
 */
export function receivedRecord(received: unknown, text?: string): UncheckedRecord {
  const parsed = parseSigned(received);
  if (!parsed.success) {
    throw new CredenceError('incorrect', 'record.shape', 'not a signed record', {
      cause: parsed.error,
    });
  }
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and nobody signed that.
  const unchecked = uncheckedRecord(received as SignedRecord, text);
  const { record, check } = unchecked;
  if (!isSignature(check.signature)) {
    throw new CredenceError(
      'incorrect',
      'record.signature_form',
      `the signature of a ${record.context} is no canonical base64 of 64 bytes`,
    );
  }
  return unchecked;
}

/** Checks shape and signature, never meaning. Throws what {@link receivedRecord} throws, and `record.signature`. */
export function open(received: unknown): OpenedRecord {
  const { record, check } = receivedRecord(received);
  if (!verify(check.address, check.input, check.signature)) {
    throw new CredenceError(
      'incorrect',
      'record.signature',
      `the signature of a ${record.context} does not match its author`,
    );
  }
  return record;
}

/** The body inside a record's canonical text: it comes first, and what follows it is known to the letter. */
function bodyTextOf(recordText: string, { context, signature }: SignedRecord): string {
  const rest = `,"context":${canonical(context)},"signature":${canonical(signature)}}`;
  return recordText.slice('{"body":'.length, -rest.length);
}
