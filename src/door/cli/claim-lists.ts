import { sanitise } from '../../brief/sanitise.ts';
import { type DecisionView, detailOf } from '../../query/claim-detail.ts';
import type { ClaimView } from '../../query/claims.ts';
import type { Duplicates } from '../../query/duplicates.ts';
import { shownId } from '../../query/shown-id.ts';
import { readerOf } from '../../snapshot/database.ts';
import type { Sql } from '../../snapshot/port.ts';
import { decisionLines, STATUS } from './claim-text.ts';
import { pc } from './colour.ts';

const STATEMENT_BYTES_MAX = 400;

/** A claim with what gates said of it last. */
export type Explained = ClaimView & { readonly decision: DecisionView | undefined };

/** Claims with the recorded decision on each: what is shown is what was decided, not what would be decided now. */
export function explained(sql: Sql, claims: readonly ClaimView[]): Explained[] {
  const reader = readerOf(sql);
  return claims.map((claim) => ({ ...claim, decision: detailOf(reader, claim).decision }));
}

/** One claim after another, with what each gate said. */
export function explainedLines(sql: Sql, claims: readonly Explained[]): string[] {
  const shown = (kind: Parameters<typeof shownId>[1], key: string) => shownId(sql, kind, key);
  return claims.flatMap((claim) => [
    `${pc.bold(shown('claim', claim.id))}  ${STATUS[claim.status](claim.status)}  ${sanitise(claim.statement, STATEMENT_BYTES_MAX)}`,
    ...(claim.decision
      ? decisionLines(claim.decision, shown)
      : ['  no gate has looked at it yet: `credence maint --once`']),
    '',
  ]);
}

const STATES = {
  joined: pc.green('joined'),
  split: 'two, as a person ruled',
  waits: pc.yellow('waits for the gate'),
} as const;

/** Groups of claims that say the same, each under its earliest. */
export function duplicateLines(
  sql: Sql,
  groups: readonly Duplicates[],
  claims: readonly ClaimView[],
): string[] {
  const said = new Map(
    claims.map(({ id, statement }) => [id, sanitise(statement, STATEMENT_BYTES_MAX)]),
  );
  return groups.flatMap(({ claim, others }) => [
    `${pc.bold(shownId(sql, 'claim', claim))}  ${said.get(claim) ?? ''}`,
    ...others.map(
      (one) =>
        `  ${shownId(sql, 'claim', one.claim)}  ${STATES[one.state]}  ${said.get(one.claim) ?? ''}`,
    ),
  ]);
}
