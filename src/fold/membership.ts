import type { Principal } from '../ledger/port.ts';
import type { AdmissionBody, RevocationBody } from '../record/fleet.ts';
import type { Folding } from './folding.ts';
import type { Change, Reader } from './state.ts';

/** A key that begins to speak for a principal, and since when by its own word. */
export type Beginning = Pick<Principal, 'address' | 'principal' | 'kind' | 'operator' | 'roles'> & {
  readonly since: string;
};

/** The row of a key that speaks for a principal from here on; when it was first admitted stays. */
export function principalRow(reader: Reader, admitted: Beginning, at: number): Change {
  const { address: key, principal, kind, operator, since } = admitted;
  const roles = [...new Set(admitted.roles)].sort().join(' ');
  const known = reader.get('principals', key);
  const first = known ? { admitted: known.admitted, since: known.since } : { admitted: at, since };
  return {
    table: 'principals',
    row: { key, at, principal, kind, operator, roles, ...first, revoked: null },
  };
}

/** Whom a key speaks for, and what it may do. */
export function foldAdmission({ reader, at }: Folding, body: AdmissionBody): Change[] {
  const { address, seal_key } = body;
  const principal = principalRow(reader, { ...body, since: body.issued_at }, at);
  if (seal_key === undefined) return [principal];
  return [principal, { table: 'seal_keys', row: { key: address, at, seal_key } }];
}

/** A key that says nothing more from here on. What it was, and what it said, stays. */
export function foldRevocation({ reader, at }: Folding, { address }: RevocationBody): Change[] {
  const row = reader.get('principals', address);
  return row ? [{ table: 'principals', row: { ...row, at, revoked: at } }] : [];
}
