import { byCodePoint } from '../base/canonical.ts';
import type { DecisionBody } from '../record/decision.ts';
import type { SettlementBody } from '../record/settlement.ts';
import { decided } from './knowledge.ts';
import type { ClaimRow, ClaimState } from './knowledge-rows.ts';
import type { Change, Reader } from './state.ts';

/*
 * What becomes of claims by what gates decide and people settle. What is retired or superseded stays that: it is told beside
 * the state of a claim, so that nothing here brings it back.
 */

/** A claim in another state. Where that is an outcome, its promotion has it, too. */
function into(
  reader: Reader,
  claim: ClaimRow,
  status: ClaimState,
  at: number,
  change: Partial<ClaimRow> = {},
): Change[] {
  const row: ClaimRow = { ...claim, against: '[]', ...change, at, status };
  const promotion = reader.get('promotions', claim.promotion);
  const isOutcome = status === 'accepted' || status === 'rejected';
  if (promotion && isOutcome && promotion.status !== status)
    return decided(reader, row, { ...promotion, at, status, decided_at: at });
  const promoted_at = row.promoted_at ?? (status === 'accepted' ? at : null);
  return [{ table: 'claims', row: { ...row, promoted_at } }];
}

/** What the gate counted: nothing new where it did not come to that. */
function countedIn(
  reader: Reader,
  { gates }: DecisionBody,
): Partial<Pick<ClaimRow, 'independent' | 'witnesses'>> {
  const { has, names = [] } = gates.find(({ gate }) => gate === 'independence') ?? {};
  if (has === undefined) return {};
  const agents = names.flatMap((session) => reader.get('sessions', session)?.agent ?? []);
  return { independent: has, witnesses: JSON.stringify(agents) };
}

/** What becomes of a claim by what the gate settled of it. */
export function becoming(reader: Reader, of: ClaimRow, body: DecisionBody, at: number): Change[] {
  const claim = { ...of, ...countedIn(reader, body) };
  switch (body.kind) {
    case 'candidate':
      return into(reader, claim, 'pending', at);
    case 'promoted':
      return into(reader, claim, 'accepted', at, { segment: body.segment });
    case 'contested':
      return into(reader, claim, 'contested', at, { against: listOf(body.against) });
    case 'expired':
      return into(reader, claim, 'expired', at);
    case 'joined':
      return into(reader, claim, 'joined', at, { joined_into: body.into });
    case 'superseded':
      return [{ table: 'claims', row: { ...claim, at, superseded_by: body.by } }];
    // Of facts: which value is current stands beside the claims.
    case 'settled':
      return [];
  }
}

const listOf = (ids: Iterable<string>) => JSON.stringify([...ids].sort(byCodePoint));
const againstOf = ({ against }: ClaimRow) => JSON.parse(against) as string[];

/** Those that were contested with claims which are refused now are so no more. */
function freed(reader: Reader, refused: readonly string[], at: number): Change[] {
  const others = refused.flatMap((id) => {
    const claim = reader.get('claims', id);
    return claim ? againstOf(claim) : [];
  });
  const left = [...new Set(others)].filter((id) => !refused.includes(id));
  return left.flatMap((id) => {
    const claim = reader.get('claims', id);
    return claim ? released(reader, claim, refused, at) : [];
  });
}

/** What becomes of the claims that a person ruled on. A hypothesis is promoted by nobody, so that one which is kept is a candidate. */
export function ruledOn(reader: Reader, { claims, ruling }: SettlementBody, at: number): Change[] {
  const [first, ...others] = claims.map((id) => reader.get('claims', id));
  const reject = (ones: typeof others) =>
    ones.flatMap((claim) => (claim ? into(reader, claim, 'rejected', at) : []));
  switch (ruling) {
    case 'keep':
      return [...(first ? kept(reader, first, at) : []), ...reject(others)];
    case 'reject':
      return [...reject([first, ...others]), ...freed(reader, claims, at)];
    case 'both_hold':
      return [first, ...others].flatMap((claim) =>
        claim ? released(reader, claim, claims, at) : [],
      );
    case 'split':
      return first ? apart(reader, first, claims, at) : [];
  }
}

function kept(reader: Reader, claim: ClaimRow, at: number): Change[] {
  const isSupposed = claim.claim_type === 'hypothesis';
  return into(reader, claim, isSupposed ? 'pending' : 'accepted', at);
}

/** It is contested with those no more: without others it is what it was before. */
function released(reader: Reader, claim: ClaimRow, by: readonly string[], at: number): Change[] {
  if (claim.status !== 'contested') return [];
  const left = againstOf(claim).filter((id) => !by.includes(id));
  if (left.length > 0) return into(reader, claim, 'contested', at, { against: listOf(left) });
  return into(reader, claim, claim.promoted_at === null ? 'pending' : 'accepted', at);
}

/** It stands for itself again. */
function apart(reader: Reader, claim: ClaimRow, from: readonly string[], at: number): Change[] {
  if (claim.joined_into === null || !from.includes(claim.joined_into)) return [];
  return into(reader, claim, 'pending', at, { joined_into: null });
}
