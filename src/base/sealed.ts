import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import { CredenceError } from './errors.ts';
import { objectOf } from './unknown.ts';

/** The one method there is: scrypt (RFC 7914) with N=2^15, r=8, p=1, and ChaCha20-Poly1305 (RFC 8439). Source: the design's page on records. */
const METHOD = 'scrypt-32768-8-1+chacha20-poly1305';
const COST = { N: 32_768, r: 8, p: 1 } as const;
/** What scrypt takes is 128·N·r = 32 MiB and some working space: Node's own limit is those 32 MiB, and refuses it. */
const MEMORY_BYTES_MAX = 64 * 1024 * 1024;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** A small secret is sealed, and nothing else: more than this is no sealed text of ours. */
const SEALED_BYTES_MAX = 65_536;
const CIPHER = 'chacha20-poly1305';

/** A secret under a passphrase, as it is stored. Bytes are base64, padded; `text` ends with the tag of 16 bytes. */
export interface Sealed {
  readonly method: typeof METHOD;
  readonly salt: string;
  readonly nonce: string;
  readonly text: string;
}

/** The key that a passphrase gives, whichever way its letters were composed when it was typed. */
function keyOf(passphrase: string, salt: Uint8Array): Buffer {
  const typed = Buffer.from(passphrase.normalize('NFC'), 'utf8');
  return scryptSync(typed, salt, KEY_BYTES, { ...COST, maxmem: MEMORY_BYTES_MAX });
}

/**
 * Seals a secret. `purpose` says what it is and is bound to it: it opens under the same one alone, so that no sealed text
 * stands in for another. `random` gives fresh bytes. Takes some 100 ms, since that is what keeps guesses slow.
 */
export function sealBytes(
  passphrase: string,
  bytes: Uint8Array,
  { purpose, random }: { readonly purpose: string; readonly random: (n: number) => Uint8Array },
): Sealed {
  const salt = random(SALT_BYTES);
  const nonce = random(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(passphrase, salt), nonce, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.from(purpose, 'utf8'), { plaintextLength: bytes.length });
  const text = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  const base64 = (part: Uint8Array) => Buffer.from(part).toString('base64');
  return { method: METHOD, salt: base64(salt), nonce: base64(nonce), text: base64(text) };
}

/** What was sealed; undefined where the passphrase or the purpose is another one, or a bit of it was changed. */
export function openBytes(
  passphrase: string,
  { salt, nonce, text }: Sealed,
  purpose: string,
): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  const end = bytes.length - TAG_BYTES;
  const key = keyOf(passphrase, Buffer.from(salt, 'base64'));
  const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(purpose, 'utf8'), { plaintextLength: end });
  decipher.setAuthTag(bytes.subarray(end));
  const opened = decipher.update(bytes.subarray(0, end));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return opened;
}

/**
 * Reads the stored form. Throws CredenceError `sealed.malformed` for any other: of another method, of salts and nonces of
 * another length, or in another spelling of base64.
 */
export function parseSealed(received: unknown): Sealed {
  const { method, salt, nonce, text, ...rest } = objectOf(received);
  const isWhole =
    method === METHOD &&
    Object.keys(rest).length === 0 &&
    isBase64(salt, SALT_BYTES, SALT_BYTES) &&
    isBase64(nonce, NONCE_BYTES, NONCE_BYTES) &&
    isBase64(text, TAG_BYTES, SEALED_BYTES_MAX);
  if (isWhole) return { method: METHOD, salt, nonce, text };
  throw new CredenceError('incorrect', 'sealed.malformed', 'not a sealed text of a known method');
}

function isBase64(value: unknown, min: number, max: number): value is string {
  if (typeof value !== 'string' || value.length > max * 2) return false;
  const bytes = Buffer.from(value, 'base64');
  return bytes.length >= min && bytes.length <= max && bytes.toString('base64') === value;
}
