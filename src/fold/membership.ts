import type { AdmissionBody } from '../record/fleet.ts';
import type { Folding } from './folding.ts';
import type { Change } from './state.ts';

/** Whom a key speaks for from here on, and what it may do. */
export function foldAdmission({ at }: Folding, body: AdmissionBody): Change[] {
  const { address, principal, kind, operator, roles } = body;
  const row = {
    key: address,
    at,
    principal,
    kind,
    operator,
    roles: [...new Set(roles)].sort().join(' '),
  };
  return [{ table: 'principals', row }];
}
