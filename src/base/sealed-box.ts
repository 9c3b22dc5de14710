import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  hkdfSync,
} from 'node:crypto';

/*
 * A secret for one reader: X25519 with a key that is drawn for this box alone, HKDF-SHA-256, ChaCha20-Poly1305. Says
 * nothing of who sealed it: whoever cares signs what it travels in.
 */

/** DER of an X25519 PKCS #8 private key and of a SubjectPublicKeyInfo (RFC 8410), up to the 32 raw bytes. */
const PKCS8 = Buffer.from('302e020100300506032b656e04220420', 'hex');
const SPKI = Buffer.from('302a300506032b656e032100', 'hex');
const CIPHER = 'chacha20-poly1305';
const TAG_BYTES = 16;
/** Each box has a key of its own, so that none meets a nonce twice. */
const NONCE = Buffer.alloc(12);

/** A sealed text, and the public key that it was sealed with: raw bytes. */
export interface SealedBox {
  readonly ephemeral: Uint8Array;
  readonly sealed: Uint8Array;
}

function privateKeyOf(raw: Uint8Array) {
  return createPrivateKey({ key: Buffer.concat([PKCS8, raw]), format: 'der', type: 'pkcs8' });
}

function publicKeyOf(raw: Uint8Array) {
  return createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
}

/** The raw public key, 32 bytes, of 32 secret ones. */
export function sealKeyOf(secret: Uint8Array): Buffer {
  const der = createPublicKey(privateKeyOf(secret)).export({ format: 'der', type: 'spki' });
  return der.subarray(SPKI.length);
}

function boxKey(
  own: Uint8Array,
  other: Uint8Array,
  ends: { readonly ephemeral: Uint8Array; readonly reader: Uint8Array },
  purpose: string,
): Buffer {
  const shared = diffieHellman({ privateKey: privateKeyOf(own), publicKey: publicKeyOf(other) });
  const salt = Buffer.concat([ends.ephemeral, ends.reader]);
  return Buffer.from(hkdfSync('sha256', shared, salt, purpose, 32));
}

/**
 * Seals bytes to a reader's raw public key. `drawn` are 32 random bytes, never used twice; `purpose` has to be the same
 * when it is opened. Throws Node's errors for a key that is none.
 */
export function sealBox(
  reader: Uint8Array,
  bytes: Uint8Array,
  purpose: string,
  drawn: Uint8Array,
): SealedBox {
  const ephemeral = sealKeyOf(drawn);
  const key = boxKey(drawn, reader, { ephemeral, reader }, purpose);
  const cipher = createCipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  return { ephemeral, sealed };
}

/** What a box holds, by the reader's 32 secret bytes; undefined where it is not for them, or was altered. */
export function openBox(
  secret: Uint8Array,
  { ephemeral, sealed }: SealedBox,
  purpose: string,
): Buffer | undefined {
  try {
    const reader = sealKeyOf(secret);
    const key = boxKey(secret, ephemeral, { ephemeral, reader }, purpose);
    const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES });
    const end = sealed.length - TAG_BYTES;
    decipher.setAuthTag(sealed.subarray(end));
    return Buffer.concat([decipher.update(sealed.subarray(0, end)), decipher.final()]);
  } catch {
    // Any byte that is wrong, a key that is none, a text that is too short: all the same to a reader.
    return undefined;
  }
}
