import * as z from 'zod';
import { canonical, parseCanonical } from '../base/canonical.ts';
import {
  type Address,
  isAddress,
  isSignature,
  type Signer,
  sign,
  verify,
} from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { SPEC, signingInput } from '../record/record.ts';
import { Base64Of32 } from '../record/sealed-secret.ts';
import type { Admitted, Household } from './found.ts';
import { membersOf } from './found.ts';

/*
 * The line by which a home asks a closed fleet for its admission: pasted into a chat, and from there into an admin's
 * terminal. It names the fleet and every key of the home, each by its own signature, so that nobody has a key admitted
 * that is another's.
 */

const PREFIX = 'credence-join:1:';
/** Of a fleet's founding record, and of the check of a line: enough that no other fits by accident. */
const FLEET_DIGITS = 16;
const CHECK_DIGITS = 8;
/** No household is larger; what is, was not made by us. */
const KEYS_MAX = 64;
const LINE_MAX = 24_000;

const Letter = z.enum(['p', 'h', 'a']);
const KIND = { p: 'person', h: 'host', a: 'agent' } as const;
const LETTER = { person: 'p', host: 'h', agent: 'a' } as const;

/**
 * Short names, since a line is to be pasted: fleet, operator, keys of (kind, name, base58 of the address, signature, and the
 * key to which the fleet's secret can be sealed, where there is one).
 */
const Payload = z.strictObject({
  f: z.string().regex(/^[0-9a-f]{16}$/),
  o: z.string(),
  k: z
    .array(
      z.tuple([Letter, z.string().min(1).max(128), z.string(), z.string(), Base64Of32.optional()]),
    )
    .min(1)
    .max(KEYS_MAX),
});

/** A key that asks, as whom, and whom it says to answer for it. */
export type Asking = Pick<Admitted, 'address' | 'principal' | 'kind' | 'operator' | 'seal_key'>;

/** What a request says, once every signature of it was checked. */
export interface JoinRequest {
  /** The first digits of the id of the founding record of the fleet that it is meant for. */
  readonly fleet: string;
  readonly keys: readonly Asking[];
}

/** What a key signs when it asks. Its context is of no record, so that the signature admits nothing anywhere else. */
function askingInput(fleet: string, { address, ...as }: Asking): Buffer {
  return signingInput('join-request', { spec: SPEC, author: address, fleet, ...as } as {
    spec: string;
  });
}

const bare = (address: Address) => address.slice('amp:key:'.length);
const full = (text: string): Address => `amp:key:${text}`;

/** The one line by which a household asks to join the fleet of a founding record. */
export function joinRequest(home: Household, entry: string): string {
  const fleet = entry.slice(0, FLEET_DIGITS);
  const signers = new Map<Address, Signer>(
    [home.person, home.host, ...home.agents.map(({ signer }) => signer)].map((signer) => [
      signer.address,
      signer,
    ]),
  );
  const [first] = membersOf(home);
  const keys = membersOf(home).flatMap(({ roles: _, ...asking }) => {
    const signer = signers.get(asking.address);
    if (!signer) return [];
    const signature = sign(signer, askingInput(fleet, asking));
    const said = [LETTER[asking.kind], asking.principal, bare(asking.address), signature];
    return [asking.seal_key === undefined ? said : [...said, asking.seal_key]];
  });
  const text = Buffer.from(canonical({ f: fleet, o: bare(first.operator), k: keys })).toString(
    'base64url',
  );
  return `${PREFIX}${text}:${checkOf(text)}`;
}

function checkOf(text: string): string {
  return sha256Hex(text).slice(0, CHECK_DIGITS);
}

function wrong(code: string, message: string): CredenceError {
  return new CredenceError('usage', `request.${code}`, message, {
    next: 'paste the whole line that `credence join` printed on the other machine',
  });
}

/**
 * Reads a request, which anybody may have made. Throws `request.form` for what is none or was cut, `request.key` for a
 * key that is named twice, is none, or did not sign what is said of it.
 */
export function readJoinRequest(line: string): JoinRequest {
  // A chat breaks long lines.
  const text = line.replaceAll(/\s+/g, '');
  if (text.length > LINE_MAX) throw wrong('form', 'the request is too long');
  const [, payload = '', check] = /^credence-join:1:([\w-]+):([0-9a-f]{8})$/.exec(text) ?? [];
  if (check === undefined) throw wrong('form', 'that is no request to join');
  if (check !== checkOf(payload)) throw wrong('form', 'the request is not whole');
  const { f: fleet, o: operator, k } = payloadOf(payload);
  const keys = k.map(([letter, principal, key, signature, seal_key]) => {
    const asking: Asking = {
      address: full(key),
      principal,
      kind: KIND[letter],
      operator: full(operator),
      ...(seal_key === undefined ? {} : { seal_key }),
    };
    const isSigned =
      isAddress(asking.address) &&
      isAddress(asking.operator) &&
      isSignature(signature) &&
      verify(asking.address, askingInput(fleet, asking), signature);
    if (!isSigned) throw wrong('key', 'a key of the request has not signed it');
    return asking;
  });
  if (new Set(keys.map(({ address }) => address)).size < keys.length)
    throw wrong('key', 'the request names a key twice');
  return { fleet, keys };
}

function payloadOf(text: string): z.infer<typeof Payload> {
  try {
    const bytes = Buffer.from(text, 'base64url');
    // Of these bytes there is one spelling.
    if (bytes.toString('base64url') !== text) throw wrong('form', 'that is no request to join');
    return Payload.parse(parseCanonical(bytes.toString('utf8')));
  } catch {
    throw wrong('form', 'that is no request to join');
  }
}

/** True where a request is meant for the fleet of a founding record. */
export function isFor({ fleet }: JoinRequest, entry: string): boolean {
  return entry.startsWith(fleet);
}
