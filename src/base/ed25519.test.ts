import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../test/kit/fleet.ts';
import { describeShared } from '../../test/kit/shared.ts';
import { base58Decode, base58Encode } from './base58.ts';
import {
  type Check,
  isAddress,
  newSeed,
  publicKeyOf,
  remembering,
  sign,
  signerOf,
  verify,
  verifyHere,
} from './ed25519.ts';

const PREFIX = 'amp:key:';
const ann = keyOf('ann');
const bob = keyOf('bob');
const encoded = (bytes: number, fill: number) =>
  PREFIX + base58Encode(new Uint8Array(bytes).fill(fill));

describe('addresses', () => {
  test.each([
    ['that of a key', ann.address],
    ['of bytes that begin with zeros', encoded(32, 0)],
  ])('%s', (_what, address) => {
    expect(isAddress(address)).toBe(true);
    expect(publicKeyOf(address).asymmetricKeyType).toBe('ed25519');
  });

  const raw = ann.address.slice(PREFIX.length);
  test.each([
    ['nothing', ''],
    ['the prefix alone', PREFIX],
    ['no prefix', raw],
    ['another prefix', `did:amp:${raw}`],
    ['the prefix in upper case', `AMP:KEY:${raw}`],
    ['the prefix twice', PREFIX + ann.address],
    ['white space before', ` ${ann.address}`],
    ['a line end after', `${ann.address}\n`],
    ['31 bytes', encoded(31, 7)],
    ['33 bytes', encoded(33, 7)],
    ['a leading 1 too many', `${PREFIX}1${raw}`],
    ['a character outside the alphabet', `${ann.address.slice(0, -1)}0`],
    ['hex', PREFIX + Buffer.from(base58Decode(raw)).toString('hex')],
  ])('not %s', (_what, address) => {
    expect(isAddress(address)).toBe(false);
    expect(() => publicKeyOf(address)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^(?:address|base58)\.malformed$/) }),
    );
    expect(verify(address, Buffer.from('a'), sign(ann, Buffer.from('a')))).toBe(false);
  });

  test('a long text is refused without being decoded', () => {
    // Decoding it takes minutes, by the square of the length.
    expect(isAddress(PREFIX + 'z'.repeat(1_500_000))).toBe(false);
  });
});

describe('signatures', () => {
  const input = Buffer.from('what is signed');
  const signature = sign(ann, input);

  test('a signature is 64 bytes of base64, the same every time, and verifies', () => {
    expect(signature).toMatch(/^[A-Za-z0-9+/]{86}==$/);
    expect(sign(ann, input)).toBe(signature);
    expect(verify(ann.address, input, signature)).toBe(true);
  });

  const bytes = Buffer.from(signature, 'base64');
  const last = signature.charAt(85);
  // The last character carries 2 bits of the signature; the 4 others are padding and must be zero.
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const padded = alphabet.charAt(alphabet.indexOf(last) + 1);
  test.each([
    ['of another key', sign(bob, input)],
    ['of another input', sign(ann, Buffer.from('what is signee'))],
    ['that is empty', ''],
    ['without padding', signature.slice(0, -2)],
    ['with half of the padding', signature.slice(0, -1)],
    ['with padding bits that are not zero', `${signature.slice(0, 85)}${padded}==`],
    ['in the other base64', bytes.toString('base64url')],
    ['in hex', bytes.toString('hex')],
    ['with a line end', `${signature}\n`],
    ['with a space inside', `${signature.slice(0, 40)} ${signature.slice(40)}`],
    ['a byte short', bytes.subarray(1).toString('base64')],
    ['a byte long', Buffer.concat([bytes, Buffer.of(0)]).toString('base64')],
    ['and one more', signature + signature],
  ])('not one %s', (_what, other) => {
    expect(verify(ann.address, input, other)).toBe(false);
  });

  test('no bit of a signature or an input can change', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 30 }), fc.nat(), (message, at) => {
        const signed = sign(ann, message);
        expect(verify(ann.address, message, signed)).toBe(true);
        const flipped = Buffer.from(message);
        const place = at % (message.length * 8);
        flipped[place >> 3] = (flipped[place >> 3] ?? 0) ^ (1 << (place & 7));
        expect(verify(ann.address, flipped, signed)).toBe(false);
        const other = Buffer.from(signed, 'base64');
        other[(at >> 3) % 64] = (other[(at >> 3) % 64] ?? 0) ^ (1 << (at & 7));
        expect(verify(ann.address, message, other.toString('base64'))).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  test('a new seed makes a signer of its own', () => {
    const seeds = [newSeed(), newSeed()];
    expect(seeds.map((seed) => seed.length)).toEqual([32, 32]);
    const [one, two] = seeds.map(signerOf);
    expect(one?.address).not.toBe(two?.address);
    expect(isAddress(one?.address ?? '')).toBe(true);
  });
});

describe('what was found valid is not checked again', () => {
  const input = Buffer.from('said');
  const right = { address: ann.address, input, signature: sign(ann, input) };
  const wrong: readonly Check[] = [
    { ...right, address: bob.address },
    { ...right, input: Buffer.from('Said') },
    { ...right, signature: sign(bob, input) },
    { ...right, signature: right.signature.replace('==', '') },
    { ...right, address: `${right.address} ` },
  ];

  test('and what was not is', async () => {
    const asked: Check[] = [];
    const verifyAll = remembering((checks) => {
      asked.push(...checks);
      return verifyHere(checks);
    });
    const none = wrong.map(() => false);
    expect(await verifyAll([right, ...wrong])).toEqual([true, ...none]);
    expect(await verifyAll([...wrong, right])).toEqual([...none, true]);
    expect(asked).toEqual([right, ...wrong, ...wrong]);
  });

  test('beyond those that are kept all are checked as before', async () => {
    // A checker that knows which are right, since thousands of signatures take a while.
    const verifyAll = remembering(async (checks) =>
      checks.map(({ signature }) => signature === 's'),
    );
    const many = Array.from({ length: 6_000 }, (_, i): Check => {
      const signature = i % 3 === 0 ? 's' : 'x';
      return { address: 'a', input: Buffer.from(String(i)), signature };
    });
    const answers = many.map(({ signature }) => signature === 's');
    for (const checks of [many, many, many.toReversed(), many])
      expect(await verifyAll(checks)).toEqual(checks === many ? answers : answers.toReversed());
  });
});

describeShared('Ed25519, by vectors of the agent-knowledge format', (shared) => {
  const path = join(shared, 'conformance/agent-knowledge/agent-id-vectors.json');
  const { ed25519: vector } = JSON.parse(readFileSync(path, 'utf8')) as {
    ed25519: Record<
      'seed_hex' | 'public_hex' | 'address' | 'message_hex' | 'signature_hex',
      string
    >;
  };
  const signer = signerOf(Buffer.from(vector.seed_hex, 'hex'));
  const message = Buffer.from(vector.message_hex, 'hex');

  test('the address of a seed', () => {
    expect(signer.address).toBe(vector.address);
    const raw = base58Decode(vector.address.slice(PREFIX.length));
    expect(Buffer.from(raw).toString('hex')).toBe(vector.public_hex);
  });

  test('the signature, byte for byte', () => {
    const signature = Buffer.from(vector.signature_hex, 'hex').toString('base64');
    expect(sign(signer, message)).toBe(signature);
    expect(verify(vector.address, message, signature)).toBe(true);
  });
});
