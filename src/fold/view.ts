import type { LedgerView, Principal } from '../ledger/port.ts';
import type { Role } from '../record/fleet.ts';
import { heldView } from './held.ts';
import type { Reader } from './state.ts';

/** The principal that a key speaks for, as the state has it; undefined for one that was never admitted. */
export function principalOf(reader: Reader, address: string): Principal | undefined {
  const row = reader.get('principals', address);
  if (!row) return undefined;
  return {
    address,
    principal: row.principal,
    kind: row.kind as Principal['kind'],
    operator: row.operator,
    roles: row.roles.split(' ').filter((role) => role !== '') as Role[],
  };
}

/** A state as the ledger's rules see it. */
export function viewOf(reader: Reader): LedgerView {
  return {
    fleet() {
      const row = reader.get('fleet', 'fleet');
      const admission = row?.admission as 'open' | 'closed';
      return row && { id: row.fleet_id, admission, entry: row.record };
    },
    principal: (address) => principalOf(reader, address),
    revision: (session) => reader.get('sessions', session)?.revision ?? 0,
    claim(id) {
      const row = reader.get('claims', id);
      return row && { ...row, isRetired: row.retired !== null };
    },
    promotion: (id) => reader.get('promotions', id),
    hasReviewed: (promotion, principal) =>
      reader.get('verdicts', `${promotion}\n${principal}`) !== undefined,
    episode: (id) => reader.get('episodes', id),
    room: (origin) => heldView(reader, origin),
  };
}
