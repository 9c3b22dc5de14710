import { objectOf, textOf } from '../base/unknown.ts';
import type { OpenedRecord } from '../record/record.ts';
import { NO_TOTALS } from '../record/score.ts';
import type { HeldView, KnownClaim, Principal } from './port.ts';

/** A state of which nothing is known yet. */
export const NOTHING_KNOWN: HeldView = {
  fleet: () => undefined,
  principal: () => undefined,
  revision: () => 0,
  claim: () => undefined,
  promotion: () => undefined,
  hasReviewed: () => false,
  episode: () => undefined,
  keysOf: () => [],
  decided: () => undefined,
  outcomeOf: () => undefined,
  admins: () => [],
  agentOf: () => undefined,
  hostOf: () => undefined,
  positionOn: () => undefined,
  isFound: () => false,
  totals: () => NO_TOTALS,
  isScored: () => false,
  extraction: () => undefined,
  content: () => undefined,
  about: () => [],
  stub: () => undefined,
  mayBeErased: () => false,
  room: () => NOTHING_KNOWN,
  isHeld: () => false,
};

/** What records of another fleet are judged against, by the very rules by which that fleet took them. */
export interface Room extends HeldView {
  /** From here on a key speaks for that principal. */
  admit(principal: Principal): void;
  /** Takes a record into account, by its author, for those after it. */
  take(record: OpenedRecord, author: Principal): void;
}

/** A room over what is known below it. */
export function roomOver(below: HeldView): Room {
  const principals = new Map<string, Principal>();
  const claims = new Map<string, KnownClaim>();
  const episodes = new Map<string, { readonly space: string }>();
  const claim = (id: string) => claims.get(id) ?? below.claim(id);
  return {
    ...below,
    principal: (address) => principals.get(address) ?? below.principal(address),
    keysOf: (name) => [...principals.values()].filter(({ principal }) => principal === name),
    admins: () => [...principals.values()].filter(({ roles }) => roles.includes('admin')),
    claim,
    episode: (id) => episodes.get(id) ?? below.episode(id),
    admit: (principal) => void principals.set(principal.address, principal),
    take({ id, context, body }, { principal }) {
      const [about, own] = [String(body['claim_id']), String(body['id'])];
      const withdrawn = context === 'retirement' ? claim(about) : undefined;
      if (context === 'claim') claims.set(id, knownClaim(principal, body));
      if (context === 'episode') episodes.set(own, { space: spaceOf(body) });
      if (withdrawn) claims.set(about, { ...withdrawn, isRetired: true });
    },
  };
}

const spaceOf = (body: OpenedRecord['body']) => String(objectOf(body['scope'])['space']);

/** A claim of another fleet, of which no promotion is known. */
export function knownClaim(
  principal: string,
  body: OpenedRecord['body'],
  isRetired = false,
): KnownClaim {
  return {
    space: spaceOf(body),
    principal,
    promotion: '',
    attempt: 0,
    isRetired,
    claim_type: textOf(body['claim_type']) ?? null,
    observed_by: textOf(body['observed_by']) ?? principal,
    changed: 0,
  };
}
