import type { Principal } from '../ledger/port.ts';
import type { AdmissionBody } from '../record/fleet.ts';
import type { Folding } from './folding.ts';
import type { Change } from './state.ts';

/** The row of a key that speaks for a principal from here on. */
export function principalRow(admitted: Principal, at: number): Change {
  const { address, principal, kind, operator } = admitted;
  const roles = [...new Set(admitted.roles)].sort().join(' ');
  return { table: 'principals', row: { key: address, at, principal, kind, operator, roles } };
}

/** Whom a key speaks for, and what it may do. */
export function foldAdmission({ at }: Folding, body: AdmissionBody): Change[] {
  const { address, seal_key } = body;
  const principal = principalRow(body, at);
  if (seal_key === undefined) return [principal];
  return [principal, { table: 'seal_keys', row: { key: address, at, seal_key } }];
}
