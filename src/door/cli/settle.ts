import { CredenceError } from '../../base/errors.ts';
import { observer, support } from '../../brief/describe-claim.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { type ClaimView, getClaim } from '../../query/claims.ts';
import { shownId } from '../../query/shown-id.ts';
import type { SettlementBody } from '../../record/settlement.ts';
import { readerOf } from '../../snapshot/database.ts';
import type { Sql } from '../../snapshot/port.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { ownWords, say } from './said.ts';

/** What a person may rule of a contested claim. */
export interface SettleOptions {
  readonly keep?: boolean;
  readonly reject?: boolean;
  readonly bothHold?: boolean;
  readonly basis?: string;
  readonly dryRun?: boolean;
}

type Ruling = SettlementBody['ruling'];

/** A contested claim, and those that it is contested with. */
export interface Dispute {
  readonly claim: ClaimView;
  readonly others: readonly ClaimView[];
}

/** The claims that wait for a person's ruling, each dispute once. */
export function disputesIn(sql: Sql, now: number): Dispute[] {
  const reader = readerOf(sql);
  const told = new Set<string>();
  return reader
    .where('claims', 'status', 'contested')
    .filter(({ retired, superseded_by }) => retired === null && superseded_by === null)
    .sort((a, b) => a.seq - b.seq)
    .flatMap(({ key }) => {
      const dispute = disputeOf(sql, key, now);
      if (!dispute || told.has(key)) return [];
      for (const { id } of [dispute.claim, ...dispute.others]) told.add(id);
      return [dispute];
    });
}

/** The dispute about a claim; undefined for one that is not contested. */
export function disputeOf(sql: Sql, id: string, now: number): Dispute | undefined {
  const reader = readerOf(sql);
  const claim = getClaim(reader, id, { now });
  if (claim?.status !== 'contested') return undefined;
  const others = claim.against.flatMap((other) => getClaim(reader, other, { now }) ?? []);
  return { claim, others };
}

/** Both sides, one under the other. */
export function disputeLines({ claim, others }: Dispute, sql: Sql): string[] {
  const side = (one: ClaimView) =>
    `  ${pc.bold(shownId(sql, 'claim', one.id))}  ${sanitise(one.statement, 300)} ${pc.dim(`(${observer(one)}, ${one.assertedAt.slice(0, 10)}, ${support(one)}, conf ${one.confidence.toFixed(2)})`)}`;
  const head =
    others.length === 0 ? 'contested: who says it is quarantined, or is contradicted' : 'contested';
  return [pc.red(head), ...[claim, ...others].map(side)];
}

const RULINGS: readonly (readonly [option: 'keep' | 'reject' | 'bothHold', ruling: Ruling])[] = [
  ['keep', 'keep'],
  ['reject', 'reject'],
  ['bothHold', 'both_hold'],
];

const OUTCOMES: Readonly<Record<Ruling, string>> = {
  keep: 'it holds, and what it is contested with is rejected',
  reject: 'it is rejected',
  both_hold: 'both hold',
  split: 'it stands for itself',
};

function wishOf(context: Context, options: SettleOptions): { ruling: Ruling; reason: string } {
  const chosen = RULINGS.filter(([option]) => options[option] === true);
  const [[, ruling] = []] = chosen;
  if (ruling === undefined || chosen.length > 1) {
    throw new CredenceError(
      'usage',
      'review.ruling',
      'a contested claim is settled by one of --keep, --reject and --both-hold',
      { next: 'give one of them; without an id, `credence review` lists what waits' },
    );
  }
  if (options.basis === undefined || options.basis.trim() === '') {
    throw new CredenceError('usage', 'review.basis', 'a ruling says what it rests on', {
      next: 'add --basis "what you looked at"',
    });
  }
  return { ruling, reason: ownWords(context, options.basis) };
}

/** Settles a dispute, or says how it would be. */
export async function settle(
  context: Context,
  dispute: Dispute,
  options: SettleOptions,
): Promise<void> {
  const { ruling, reason } = wishOf(context, options);
  const { claim, others } = dispute;
  const claims = ruling === 'reject' ? [claim.id] : [claim.id, ...others.map(({ id }) => id)];
  const shown = context.read('state', (sql) => shownId(sql, 'claim', claim.id));
  const result = { claims, ruling, reason };
  if (options.dryRun === true) {
    context.out.value({ ...result, dryRun: true });
    context.out.text(`would settle ${shown}: ${OUTCOMES[ruling]}`);
    return;
  }
  const signer = context.home().keys.signer('person');
  const id = await say(context, `claim ${shown}`, (base) =>
    base.settle(claims, ruling, reason, signer),
  );
  context.out.value({ ...result, settlement: id });
  context.out.text(`settled ${shown}: ${OUTCOMES[ruling]}`);
}
