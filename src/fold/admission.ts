import type { AdmissionView, Principal } from '../ledger/port.ts';
import type { Role } from '../record/fleet.ts';
import { MapState } from './map-state.ts';
import type { Reader } from './state.ts';
import { step } from './step.ts';

/** The admitted principal of an address, as the state has it. */
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

/**
 * The ledger's view of a state: what is accepted is folded onto an overlay, so that a later record of the same
 * batch is judged as if the earlier one were committed, by the same fold that will fold the commit.
 */
export function admissionView(below: Reader, size: number): AdmissionView {
  const state = new MapState(below);
  let seq = size;
  return {
    fleet() {
      const row = state.get('fleet', 'fleet');
      return row && { id: row.fleet_id, admission: row.admission as 'open' | 'closed' };
    },
    principal: (address) => principalOf(state, address),
    isDecided: (ref) => state.get('decided', ref) !== undefined,
    revision: (session) => state.get('sessions', session)?.revision ?? 0,
    advance(record) {
      seq += 1;
      state.apply(step(state, { seq, context: record.context, record }));
    },
  };
}
