import { ERASABLE, type ErasureBody } from '../../record/erasure.ts';
import type { KnownContent, LedgerView, Principal } from '../port.ts';

/** An admin may, the author themself, and the person who answers for the author. */
function mayErase(eraser: Principal, { principal, operator }: KnownContent, view: LedgerView) {
  if (eraser.roles.includes('admin') || eraser.principal === principal) return true;
  if (eraser.kind !== 'person') return false;
  return operator === eraser.address || view.principal(operator)?.principal === eraser.principal;
}

/**
 * Why an erasure is refused; undefined where it holds. What is a stub already, though no erasure before named it, can
 * only be judged by its commitment: those who saw it whole have judged the rest, and whoever folds its stub must come
 * to the same state.
 */
export function erasureRefusal(
  body: ErasureBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const named = new Set(body.entries.map(({ seq }) => seq));
  for (const entry of body.entries) {
    const refusal = entryRefusal(entry, author, view) ?? incomplete(entry.seq, named, view);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Why one position of an erasure is refused, whatever the others are. */
export function entryRefusal(
  { seq, commitment, context }: ErasureBody['entries'][number],
  author: Principal,
  view: LedgerView,
): string | undefined {
  if (!ERASABLE.has(context)) return 'erasure.context';
  const stub = view.stub(seq);
  if (stub?.erasure !== undefined) return 'erasure.repeated';
  const known = stub ?? view.content(seq);
  if (!known || ('context' in known && known.context !== context)) return 'erasure.unknown';
  if (known.commitment !== commitment) return 'erasure.commitment';
  return 'context' in known && !mayErase(author, known, view) ? 'erasure.role' : undefined;
}

/**
 * A claim's id is a hash of its body without a salt: a short text could be guessed from it. So what names the claim goes
 * with it.
 */
function incomplete(seq: number, named: ReadonlySet<number>, view: LedgerView): string | undefined {
  const content = view.content(seq);
  if (content?.context !== 'claim' || content.about === undefined) return undefined;
  return view.about(content.about).every((other) => named.has(other))
    ? undefined
    : 'erasure.incomplete';
}
