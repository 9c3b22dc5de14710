import type { ExtractionBody } from '../../record/extraction.ts';
import type { FindingBody } from '../../record/finding.ts';
import type { LedgerView, Principal } from '../port.ts';

/*
 * What the ledger takes of those who read sessions, or ask a model. Whether they read right is for whoever reads the same
 * again: `verify --replay --deep`.
 */

type Found<K extends FindingBody['kind']> = Extract<FindingBody, { readonly kind: K }>;

function isSealed(session: string, revision: number, view: LedgerView): boolean {
  return revision <= view.revision(session);
}

function isOwnClaim(id: string, view: LedgerView): string | undefined {
  const claim = view.claim(id);
  if (!claim) return view.mayBeErased() ? undefined : 'claim.unknown';
  return claim.space === view.fleet()?.id ? undefined : 'scope.crossed';
}

function excerptRefusal(body: Found<'excerpt'>, view: LedgerView): string | undefined {
  const { claim_id, record_id, excerpts } = body;
  if (record_id !== claim_id && view.positionOn(record_id) !== claim_id && !view.mayBeErased())
    return 'finding.record';
  return excerpts.every(({ session, revision }) => isSealed(session, revision, view))
    ? isOwnClaim(claim_id, view)
    : 'session.unknown';
}

function pairRefusal({ claim_id, pairs }: Found<'pair'>, view: LedgerView): string | undefined {
  const others = pairs.map((pair) => pair.claim_id);
  if (new Set([claim_id, ...others]).size !== others.length + 1) return 'finding.pairs';
  for (const id of [claim_id, ...others]) {
    const code = isOwnClaim(id, view);
    if (code !== undefined) return code;
  }
  return undefined;
}

/** Whoever extracts or decides reads sessions for it; a host that sealed a session says as well what had been before it. */
export function findingRefusal(
  body: FindingBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const reads = author.roles.some((role) => role === 'extract' || role === 'gate');
  if (body.kind !== 'exposure') {
    if (!reads) return 'finding.role';
    return body.kind === 'pair' ? pairRefusal(body, view) : excerptRefusal(body, view);
  }
  if (!isSealed(body.session, body.revision, view)) return 'session.unknown';
  const sealed = author.roles.includes('capture') && view.hostOf(body.session) === author.principal;
  return reads || sealed ? undefined : 'finding.role';
}

/** Of a sealed revision, by whoever may extract; what an extractor has done, it has done. */
export function extractionRefusal(
  body: ExtractionBody,
  author: Principal,
  view: LedgerView,
): string | undefined {
  const { session, revision, extractor } = body;
  if (!author.roles.includes('extract')) return 'extraction.role';
  if (body.state === 'submitted' && body.batch_id === undefined) return 'extraction.batch';
  if ((body.state === 'failed') !== (body.error !== undefined)) return 'extraction.error';
  if (!isSealed(session, revision, view)) return 'session.unknown';
  return view.extraction(session, revision, extractor) === 'done' ? 'extraction.done' : undefined;
}
