import { canonical } from '../base/canonical.ts';
import type { Reader } from '../fold/state.ts';
import type { DecisionBody } from '../record/decision.ts';
import type { PairFound } from '../record/finding.ts';
import { decide, GATE_VERSION } from './run.ts';

/** A decision of a ledger, as it was recorded, and its position there. */
export interface Recorded {
  readonly seq: number;
  readonly body: DecisionBody;
}

/** A decision that comes out otherwise when it is told again; `again` is undefined where none is made. */
export interface Otherwise extends Recorded {
  readonly again: DecisionBody | undefined;
}

/** What was decided, and why; not which decision it came after, which the ledger's rules see to. */
const told = ({ after: _, ...body }: DecisionBody) => canonical(body);

/**
 * Tells decisions again that one gate made from one basis, at one instant, in their order; `reader` has the state at that basis.
 * Answers those that come out otherwise. Each is told from what was recorded before it, so that one which is wrong does not make
 * others so. Source: design page 2, "Findings and replay".
 */
export function tellAgain(reader: Reader, recorded: readonly Recorded[]): Otherwise[] {
  const [first] = recorded;
  if (!first) return [];
  const { basis: position, author, issued_at: now } = first.body;
  const left = [...recorded];
  const differing: Otherwise[] = [];
  const due = new Set(recorded.map(({ body }) => body.claim_id));
  decide({ reader, position, now, author }, due, (body, isRepeated) => {
    const [next] = left;
    // None was recorded where the last decision said the same, or where what was is erased.
    if (next?.body.claim_id !== body.claim_id) return isRepeated ? undefined : body;
    left.shift();
    if (told(next.body) !== told(body)) differing.push({ ...next, again: body });
    return next.body;
  });
  return [...differing, ...left.map((one) => ({ ...one, again: undefined }))];
}

/** True for a decision of a gate that decides as this one does. */
export const isTellable = ({ gate_version }: DecisionBody) => gate_version === GATE_VERSION;

/** True where a decision speaks of, or rests on, what is no longer in the ledger: then nobody can tell it again. */
export function restsOnErased(reader: Reader, body: DecisionBody): boolean {
  const isGone = (id: string) => reader.get('claims', id) === undefined;
  return claimsIn(body).some(isGone) || body.findings.some((id) => isUnfounded(reader, id, isGone));
}

/** The claims that a decision names. */
function claimsIn(body: DecisionBody): readonly string[] {
  const contradicted = body.gates.find(({ gate }) => gate === 'contradiction')?.names ?? [];
  const others = body.kind === 'contested' ? body.against : [];
  const into = body.kind === 'joined' ? [body.into] : [];
  return [body.claim_id, ...contradicted, ...others, ...into];
}

/** True for a finding that is gone, or is about what is. */
function isUnfounded(reader: Reader, id: string, isGone: (claim: string) => boolean): boolean {
  const row = reader.get('findings', id);
  if (!row) return true;
  if (row.record !== null) return reader.get('decided', row.record) === undefined;
  if (row.kind !== 'pair') return false;
  const pairs = JSON.parse(row.found) as PairFound[];
  return [row.subject, ...pairs.map(({ claim_id }) => claim_id)].some(isGone);
}
