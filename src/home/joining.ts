import { CredenceError } from '../base/errors.ts';
import { sealKeyOf } from '../base/sealed-box.ts';
import { toInstant } from '../base/time.ts';
import { readMembers } from '../fold/members.ts';
import { viewOf } from '../fold/view.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { admissions, type Founding, type Household, hostIdOf } from '../ledger/found.ts';
import { deposit } from '../ledger/inbox.ts';
import { joinRequest } from '../ledger/join-request.ts';
import type { Home, Pin } from './home.ts';

/** The key to which a fleet's secret can be sealed for a home. */
export function sealKeyIn(keys: Pick<Home['keys'], 'sealKey'>): string {
  return sealKeyOf(keys.sealKey()).toString('base64');
}

/** Everyone of a home who is in its fleet, or is to be; `pin` is what the home knows of that fleet. */
export function household(
  home: Pick<Home, 'keys'>,
  agents: Readonly<Record<string, string>>,
  pin: Pin | undefined,
): Household {
  const host = home.keys.signer('host');
  return {
    person: home.keys.signer('person'),
    operator: pin?.person,
    host,
    hostId: pin?.hostId ?? hostIdOf(host.address),
    sealKey: sealKeyIn(home.keys),
    agents: [...new Set(Object.values(agents))].map((id) => ({
      id,
      signer: home.keys.signer(`agent-${id}`),
    })),
  };
}

/**
 * Refuses agent ids that another operator's agent has: what this home says under one would be refused, once it is too
 * late to choose another. Throws `agent.taken`. Writes nothing, not even a key.
 */
export async function assertFree(
  { store, keys }: { readonly store: ObjectStore; readonly keys: Home['keys'] },
  ids: readonly string[],
  pin: Pin | undefined,
): Promise<void> {
  if (ids.length === 0) return;
  const view = viewOf(await readMembers(store));
  const operator = pin?.person ?? keys.peek('person')?.address;
  for (const id of ids) {
    const own = keys.peek(`agent-${id}`)?.address;
    const holders = view.keysOf(id);
    const isOwn = holders.some((key) => key.address === own || key.operator === operator);
    if (holders.length === 0 || isOwn) continue;
    throw new CredenceError(
      'conflict',
      'agent.taken',
      `the fleet has an agent ${id} already, of another person`,
      {
        data: { agent: id },
        next: `choose another id (\`credence init --agent-id <id>\`), or ask an admin to admit this home's key to that name: \`credence join --agent-id ${id}\` prints the request`,
      },
    );
  }
}

/**
 * Asks for the admission of everyone of this home whom the founding commit does not admit and who was not asked for
 * before; true where this home joins now. The records are dated by the pin, which is written first: a joining
 * that was cut off and begins again asks with the same records. A closed fleet is asked by a person instead, by
 * {@link requestOf}.
 */
export async function admitFamily(
  home: Home,
  founding: Founding,
  family: Household,
): Promise<boolean> {
  const { fleetId, entry } = founding;
  const before = home.readPin();
  const known = before?.entry === entry ? before : undefined;
  const base = known ?? {
    joinedAt: toInstant(home.world.now()),
    admitted: founding.admitted,
  };
  const pin: Pin = { ...base, fleetId, entry, store: home.settings.store };
  home.writePin(pin);
  const everyone = [family.host, family.person, ...family.agents.map(({ signer }) => signer)];
  // Where nothing is to be signed, sealed keys stay sealed.
  if (everyone.every(({ address }) => pin.admitted.includes(address))) return false;
  const owed = admissions(family, pin.joinedAt).filter(
    ({ address }) => !pin.admitted.includes(address),
  );
  if (owed.length === 0) return false;
  if (founding.admission === 'open') {
    const records = owed.map(({ record }) => record);
    await deposit(home.store(), family.hostId, home.nextCounter(), records);
  }
  home.writePin({ ...pin, admitted: [...pin.admitted, ...owed.map(({ address }) => address)] });
  return owed.some(({ address }) => address === family.host.address);
}

/** The line by which a home asks for its admission, where an admin has to give that or it `asks` for more. */
export function requestOf(
  founding: Founding,
  family: Household,
  asks: boolean,
): string | undefined {
  const members = [family.person, family.host, ...family.agents.map(({ signer }) => signer)];
  const isFounded = members.every(({ address }) => founding.admitted.includes(address));
  const mustAsk = founding.admission === 'closed' && !isFounded;
  return asks || mustAsk ? joinRequest(family, founding.entry) : undefined;
}
