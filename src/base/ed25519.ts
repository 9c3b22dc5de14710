import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { base58Decode, base58Encode } from './base58.ts';
import { CredenceError } from './errors.ts';
import { sha256Hex } from './hash.ts';

const PREFIX = 'amp:key:';
/** The most characters of an address: 32 bytes are up to 44 digits of base58. Decoding takes time by the square of them. */
const ADDRESS_MAX = PREFIX.length + 44;
/** DER of an Ed25519 SubjectPublicKeyInfo (RFC 8410) up to the 32 raw bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');
/** DER of an Ed25519 PKCS #8 private key (RFC 8410) up to the 32 bytes of the seed. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** An address: `amp:key:` and the base58 of the raw 32-byte public key. */
export type Address = string;

/** A key that can sign, with the address that its signatures verify against. */
export interface Signer {
  readonly address: Address;
  readonly key: KeyObject;
}

/** A signature to be checked: whose, over which bytes. */
export interface Check {
  readonly address: Address;
  readonly input: Uint8Array;
  readonly signature: string;
}

const publicKeys = new Map<Address, KeyObject>();
const CACHED_MAX = 10_000;

/** The public key of an address. Throws `address.malformed`. Keys are kept, since parsing one costs as much as using it. */
export function publicKeyOf(address: Address): KeyObject {
  const known = publicKeys.get(address);
  if (known) return known;
  const raw =
    address.startsWith(PREFIX) && address.length <= ADDRESS_MAX
      ? base58Decode(address.slice(PREFIX.length))
      : new Uint8Array();
  if (raw.length !== 32 || PREFIX + base58Encode(raw) !== address) {
    throw new CredenceError('incorrect', 'address.malformed', 'not an amp:key address');
  }
  const key = createPublicKey({ key: Buffer.concat([SPKI, raw]), format: 'der', type: 'spki' });
  if (publicKeys.size >= CACHED_MAX) publicKeys.clear();
  publicKeys.set(address, key);
  return key;
}

/** True where `publicKeyOf` would succeed. */
export function isAddress(text: string): boolean {
  try {
    publicKeyOf(text);
    return true;
  } catch {
    return false;
  }
}

/** The signer of a 32-byte seed. */
export function signerOf(seed: Uint8Array): Signer {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return { key, address: PREFIX + base58Encode(der.subarray(SPKI.length)) };
}

/** A new 32-byte seed from the operating system's source. */
export function newSeed(): Uint8Array {
  const der = generateKeyPairSync('ed25519').privateKey.export({ format: 'der', type: 'pkcs8' });
  return der.subarray(PKCS8.length);
}

/** Signs; the result is canonical base64. */
export function sign(signer: Signer, input: Uint8Array): string {
  return signBytes(null, input, signer.key).toString('base64');
}

/** 64 bytes in canonical base64: 86 digits, of which the last has two bits to say, and the padding. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** True for the base64 of 64 bytes in its one canonical spelling. */
export function isSignature(text: string): boolean {
  return SIGNATURE.test(text);
}

/** Checks a signature. False for a wrong one, for a malformed address, and for any other spelling of the same base64. */
export function verify(address: Address, input: Uint8Array, signature: string): boolean {
  if (!isSignature(signature) || !isAddress(address)) return false;
  return verifyBytes(null, input, publicKeyOf(address), Buffer.from(signature, 'base64'));
}

/** Checks many signatures, the answers in their order. An implementation may do it on other threads. */
export type VerifyAll = (checks: readonly Check[]) => Promise<readonly boolean[]>;

/** Checks them here, one after another. */
export const verifyHere: VerifyAll = async (checks) =>
  checks.map(({ address, input, signature }) => verify(address, input, signature));

/** Valid checks that are kept: more than a committer makes before it follows what it committed. */
const VALID_MAX = 10_000;

/** Checks nothing again that it has found valid lately: whoever commits a record has checked it, and meets it again in the commit. */
export function remembering(verifyAll: VerifyAll): VerifyAll {
  const valid = new Set<string>();
  return async (checks) => {
    const names = checks.map(nameOf);
    const isKnown = names.map((name) => valid.has(name));
    const answers = (await verifyAll(checks.filter((_check, i) => !isKnown[i]))).values();
    if (valid.size + checks.length > VALID_MAX) valid.clear();
    return names.map((name, i) => {
      const isValid = isKnown[i] === true || answers.next().value === true;
      if (isValid) valid.add(name);
      return isValid;
    });
  };
}

function nameOf({ address, input, signature }: Check): string {
  return `${address} ${signature} ${sha256Hex(input)}`;
}
