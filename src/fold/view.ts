import type { LedgerView, Principal } from '../ledger/port.ts';
import type { Role } from '../record/fleet.ts';
import { extractionKey, lastDecision, totalsOf } from './belief.ts';
import { heldView, positionsAbout } from './held.ts';
import type { PrincipalRow, Reader } from './state.ts';

/** What rows say, read once: a row never changes, and most records are by the same few keys. */
const principals = new WeakMap<PrincipalRow, Principal>();

/** The principal that a key speaks for, as the state has it; undefined for one that was never admitted. */
export function principalOf(reader: Reader, address: string): Principal | undefined {
  const row = reader.get('principals', address);
  return row && principalIn(row);
}

function principalIn(row: PrincipalRow): Principal {
  const known = principals.get(row);
  if (known) return known;
  const read = readPrincipal(row);
  principals.set(row, read);
  return read;
}

function readPrincipal(row: PrincipalRow): Principal {
  const isRevoked = row.revoked !== null;
  return {
    address: row.key,
    principal: row.principal,
    kind: row.kind as Principal['kind'],
    operator: row.operator,
    roles: isRevoked ? [] : (row.roles.split(' ').filter((role) => role !== '') as Role[]),
    admitted: row.admitted,
    ...(row.revoked === null ? {} : { revoked: row.revoked }),
  };
}

const views = new WeakMap<Reader, LedgerView>();

/** A state as the ledger's rules see it. */
export function viewOf(reader: Reader): LedgerView {
  const known = views.get(reader);
  if (known) return known;
  const view = makeView(reader);
  views.set(reader, view);
  return view;
}

function makeView(reader: Reader): LedgerView {
  return {
    fleet() {
      const row = reader.get('fleet', 'fleet');
      const admission = row?.admission as 'open' | 'closed';
      return row && { id: row.fleet_id, admission, entry: row.record };
    },
    principal: (address) => principalOf(reader, address),
    keysOf: (principal) => reader.where('principals', 'principal', principal).map(principalIn),
    admins: () =>
      reader
        .where('principals')
        .map(principalIn)
        .filter(({ roles }) => roles.includes('admin')),
    agentOf: (session) => reader.get('sessions', session)?.agent,
    revision: (session) => reader.get('sessions', session)?.revision ?? 0,
    hostOf: (session) => reader.get('sessions', session)?.host,
    claim(id) {
      const row = reader.get('claims', id);
      if (!row) return undefined;
      const { space, principal, promotion, attempt, retired, claim_type, observed_by } = row;
      const [isRetired, changed] = [retired !== null, row.at];
      return { space, principal, promotion, attempt, isRetired, claim_type, observed_by, changed };
    },
    decided: (claim) => lastDecision(reader, claim),
    outcomeOf: (record) => reader.get('decided', record)?.code,
    promotion: (id) => reader.get('promotions', id),
    hasReviewed: (promotion, principal) =>
      reader.get('verdicts', `${promotion}\n${principal}`) !== undefined,
    episode: (id) => reader.get('episodes', id),
    positionOn: (id) => reader.get('endorsements', id)?.claim,
    isFound: (id) => reader.get('findings', id) !== undefined,
    totals: (agent) => totalsOf(reader, agent),
    isScored: (claim) => reader.get('scores', claim) !== undefined,
    extraction: (...named) => reader.get('extractions', extractionKey(...named))?.state,
    content(seq) {
      const row = reader.get('contents', String(seq));
      return (
        row && { ...row, commitment: row.commitment ?? undefined, about: row.about ?? undefined }
      );
    },
    about: (claim) => positionsAbout(reader, claim),
    stub(seq) {
      const row = reader.get('erased', String(seq));
      return row && { commitment: row.commitment, erasure: row.erasure ?? undefined };
    },
    mayBeErased: () => reader.where('erased', 'erasure', null).length > 0,
    room: (origin) => heldView(reader, origin),
  };
}
