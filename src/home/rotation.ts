import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { principalOf } from '../fold/view.ts';
import { admissionBy } from '../ledger/found.ts';
import { deposit } from '../ledger/inbox.ts';
import type { Principal } from '../ledger/port.ts';
import type { Parts } from '../pipeline.ts';
import {
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  type RevocationBody,
  type Role,
} from '../record/fleet.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { settle } from '../snapshot/settle.ts';
import type { Home, Pin, Rotating } from './home.ts';
import { sealKeyIn } from './joining.ts';

/*
 * Another key for somebody of this home. The new one is made beside the old one, and takes its place only once the ledger has
 * admitted it, in the item that revokes the old one: whatever moment the process dies at, the next pass goes on from there.
 */

type RotatingHome = Pick<Home, 'keys' | 'readPin' | 'writePin' | 'world'>;

/** What a rotation is about to do, or did. */
export interface Rotation {
  readonly key: string;
  readonly principal: string;
  readonly from: string;
  /** Whose signature admits the new key. */
  readonly by: string;
}

/** Who signs the new key's admission: the old one; where that may not any more, and the fleet is open, who answers for it. */
function voucherOf(home: RotatingHome, parts: Parts, key: string): Signer | undefined {
  const old = home.keys.signer(key);
  const reader = readerOf(parts.state);
  const known = principalOf(reader, old.address);
  if (known && known.revoked === undefined) return old;
  if (!known || reader.get('fleet', 'fleet')?.admission !== 'open') return undefined;
  return key === 'host'
    ? home.keys.signer('person')
    : key === 'person'
      ? undefined
      : home.keys.signer('host');
}

function standingOf(home: RotatingHome, parts: Parts, key: string): Principal {
  const { address } = home.keys.signer(key);
  const known = principalOf(readerOf(parts.state), address);
  if (known) return known;
  throw new CredenceError('missing', 'key.waiting', `${address} is not admitted yet`, {
    next: 'give an admin of the fleet the request that `credence join` prints, then run `credence sync --once`',
  });
}

/** What a rotation would do; makes and writes nothing. Throws `key.waiting` for a key that nobody admitted, `key.revoked` for one whose successor an admin has to admit. */
export function planRotation(home: RotatingHome, parts: Parts, key: string): Rotation {
  const { principal, address } = standingOf(home, parts, key);
  const by = voucherOf(home, parts, key);
  if (!by) {
    throw new CredenceError('forbidden', 'key.revoked', `${address} is revoked`, {
      next: 'an admin of the fleet can admit it again, or another key by the request that `credence join` prints',
    });
  }
  return { key, principal, from: address, by: by.address };
}

/** Follows and commits, as the host or as the key that is to take its place. */
function settled(parts: Parts, host: Signer): Promise<unknown> {
  return settle({ ...parts, ...parts.identity, host });
}

/** The new key's admission, and the end of the old one, in the order in which they have to stand. */
function recordsOf(
  home: RotatingHome,
  parts: Parts,
  { key, address, at }: Rotating,
): readonly SignedRecord[] {
  const old = home.keys.signer(key);
  const { principal, kind, operator, roles: held, revoked } = standingOf(home, parts, key);
  const by = voucherOf(home, parts, key) ?? old;
  const usual: readonly Role[] = kind === 'host' ? OPEN_HOST_ROLES : OPEN_AGENT_ROLES;
  const roles = revoked === undefined ? held : usual;
  const member = { address, principal, kind, operator, roles: [...roles] };
  const sealed = kind === 'host' ? { seal_key: sealKeyIn(home.keys) } : {};
  const admission = admissionBy(by, at, { ...member, ...sealed });
  if (revoked !== undefined) return [admission.record];
  const body: RevocationBody = {
    spec: SPEC,
    author: old.address,
    issued_at: at,
    address: old.address,
    reason: 'rotated',
  };
  return [admission.record, seal('revocation', body, old)];
}

/** What a rotation came to: `isDone` once the new key has taken the place of the old one. */
export interface Rotated extends Rotation {
  readonly to: string;
  readonly isDone: boolean;
}

/** Begins to replace a key, and goes as far as the ledger allows. Throws as {@link planRotation}, and what the ledger refuses it by. */
export async function rotate(home: RotatingHome, parts: Parts, key: string): Promise<Rotated> {
  // What was said by the old key is to stand before its end.
  await settled(parts, parts.identity.host);
  const plan = planRotation(home, parts, key);
  const to = home.keys.next(key).address;
  const pin = pinOf(home);
  const isBegun = pin.rotating?.some((one) => one.key === key) === true;
  if (!isBegun) {
    const begun = { key, address: to, at: toInstant(home.world.now()) };
    const rotating = [...(pin.rotating ?? []), begun];
    home.writePin({ ...pin, admitted: [...pin.admitted, to], rotating });
  }
  await finishRotations(home, parts);
  return { ...plan, to, isDone: home.keys.signer(key).address === to };
}

function pinOf(home: RotatingHome): Pin {
  const pin = home.readPin();
  if (pin) return pin;
  throw new CredenceError('configuration', 'fleet.none', 'this home has not joined a fleet', {
    next: 'run `credence init`',
  });
}

/**
 * Goes on with rotations that an earlier process began, and answers with parts that sign with the keys that hold now. An
 * agent whose new key the ledger has not taken yet signs nothing meanwhile: by the old one it could come too late.
 * Throws the code by which the ledger refused a new key.
 */
export async function finishRotations(home: RotatingHome, parts: Parts): Promise<Parts> {
  const rotating = home.readPin()?.rotating ?? [];
  if (rotating.length === 0) return parts;
  const unfinished = new Set<string>();
  for (const one of rotating) {
    if (!(await finish(home, parts, one))) unfinished.add(one.key);
  }
  const { identity } = parts;
  return {
    ...parts,
    identity: {
      ...identity,
      host: home.keys.signer('host'),
      signerOfAgent(agent) {
        if (!unfinished.has(`agent-${agent}`)) return identity.signerOfAgent(agent);
        throw new CredenceError('busy', 'key.rotating', `the key of ${agent} is being replaced`, {
          next: 'the note goes out once the ledger has the new key',
        });
      },
    },
  };
}

async function finish(home: RotatingHome, parts: Parts, begun: Rotating): Promise<boolean> {
  const reader = readerOf(parts.state);
  const { key, address } = begun;
  const isTaken = () => principalOf(reader, address) !== undefined;
  const settledBy = async (signer: Signer) => {
    if (!isTaken()) await settled(parts, signer);
  };
  await settledBy(home.keys.signer('host'));
  let { asked } = begun;
  if (!isTaken() && asked === undefined) {
    const records = recordsOf(home, parts, begun);
    const [first] = records;
    asked = first && recordId(first.context, first.body);
    await deposit(parts.store, parts.identity.hostId, parts.nextCounter(), records);
    note(home, { ...begun, ...(asked === undefined ? {} : { asked }) });
    await settledBy(home.keys.signer('host'));
    // Where the host's own old key may not commit any more, the new one does.
    if (key === 'host') await settledBy(home.keys.next(key));
  }
  if (isTaken()) {
    turn(home, parts, begun);
    return true;
  }
  const code = asked === undefined ? undefined : reader.get('decided', asked)?.code;
  if (typeof code !== 'string') return false;
  home.keys.dropNext(key);
  note(home, begun, { isOver: true });
  throw new CredenceError('incorrect', code, `the ledger refused ${address} as a new key`, {
    next: 'the old key stays in use; `credence status` says how it stands',
  });
}

/** Writes down how far a rotation is. */
function note(home: RotatingHome, one: Rotating, { isOver = false } = {}): void {
  const pin = pinOf(home);
  const rotating = (pin.rotating ?? []).flatMap((other) =>
    other.key !== one.key ? [other] : isOver ? [] : [one],
  );
  const admitted = pin.admitted.filter((address) => !isOver || address !== one.address);
  home.writePin({ ...pin, admitted, rotating });
}

function turn(home: RotatingHome, parts: Parts, { key, address }: Rotating): void {
  const { principal } = principalOf(readerOf(parts.state), address) ?? {};
  if (home.keys.signer(key).address !== address) home.keys.turn(key);
  if (key === 'host') resend(parts);
  const pin = pinOf(home);
  const { rotating = [], ...rest } = pin;
  const left = rotating.filter((other) => other.key !== key);
  home.writePin({
    ...rest,
    ...(left.length > 0 ? { rotating: left } : {}),
    ...(key === 'host' && principal !== undefined ? { hostId: principal } : {}),
    ...(key === 'person' && principal !== undefined ? { person: principal } : {}),
  });
}

/** What waits for its seal under the old key would be refused: it is sealed again. */
function resend({ spool }: Parts): void {
  for (const { stem, manifest } of spool.unsealed()) {
    const { sent_parts: _, ...unsent } = manifest;
    spool.writeManifest(stem, unsent);
  }
}
