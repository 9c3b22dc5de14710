import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { observer, support } from '../../brief/describe-claim.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { pendingReviews, type Review, reviewOf } from '../../query/review.ts';
import { shownId } from '../../query/shown-id.ts';
import { readerOf } from '../../snapshot/database.ts';
import { findClaim } from './claims-command.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { count } from './output.ts';
import { assertPerson, ownWords, say } from './said.ts';
import type { ShownId } from './session-text.ts';
import { disputeLines, disputeOf, disputesIn, type SettleOptions, settle } from './settle.ts';

interface ReviewOptions extends SettleOptions {
  readonly approve?: boolean;
}

const SESSIONS_MAX = 5;

function reviewLines(
  { claim, attempt, policy, sessions, about }: Review,
  shown: ShownId,
): string[] {
  const cited = sessions.slice(0, SESSIONS_MAX).map((one) => shown('session', one));
  const more = sessions.length > cited.length ? ` and ${sessions.length - cited.length} more` : '';
  const topics = about.map((topic) => sanitise(topic, 40)).join(', ');
  const facts = [
    claim.claimType ?? sanitise(claim.kind, 20),
    `${attempt.approvals} of ${count(policy.requiredApprovals, 'approval')}`,
    ...(attempt.attempt > 1 ? [`attempt ${attempt.attempt}`] : []),
    ...(topics === '' ? [] : [`protected: ${topics}`]),
    ...(claim.contradictions > 0 ? [`contradicted by ${claim.contradictions}`] : []),
  ];
  const [proposer, seer] = [observer({ observedBy: attempt.proposer }), observer(claim)];
  const who = proposer === seer ? proposer : `${proposer}, seen by ${seer}`;
  const rests = cited.length > 0 ? `: ${cited.join(', ')}${more}` : '';
  return [
    `${pc.bold(shown('claim', claim.id))}  ${facts.join(', ')}`,
    `  ${sanitise(claim.statement, 1_000)}`,
    `  ${pc.dim(`proposed by ${who}; ${support(claim)}${rests}`)}`,
  ];
}

function listAction(context: Context): void {
  const now = context.home().world.now();
  const { waiting, gated, disputes, lines } = context.read('state', (sql) => {
    const found = pendingReviews(sql, { now });
    const disputes = disputesIn(sql, now);
    const shown: ShownId = (kind, key) => shownId(sql, kind, key);
    const lines = [
      ...disputes.flatMap((one) => disputeLines(one, sql)),
      ...found.waiting.flatMap((one) => reviewLines(one, shown)),
    ];
    return { ...found, disputes, lines };
  });
  context.out.value({ waiting, gated, disputes });
  for (const line of lines) context.out.text(line);
  if (disputes.length > 0)
    context.out.text(
      pc.dim('\n`credence review <id> --keep --basis "…"`, or --reject, or --both-hold'),
    );
  if (waiting.length === 0 && disputes.length === 0)
    context.out.text('nothing waits for a verdict');
  else if (waiting.length > 0)
    context.out.text(pc.dim('\n`credence review <id> --approve --basis "…"`, or --reject'));
  if (gated > 0) {
    const candidates = count(gated, 'candidate');
    context.out.text(
      pc.dim(
        `${candidates} more ${gated === 1 ? 'waits' : 'wait'} for gates: no verdict decides there`,
      ),
    );
  }
}

/** Which verdict was asked for, and why. Throws `review.verdict`, `review.basis`. */
function verdictOf(context: Context, { approve, reject, basis }: ReviewOptions) {
  if (approve === reject) {
    throw new CredenceError(
      'usage',
      'review.verdict',
      'a verdict is either --approve or --reject',
      {
        next: 'give one of them; without an id, `credence review` lists what waits',
      },
    );
  }
  if (basis === undefined || basis.trim() === '') {
    throw new CredenceError('usage', 'review.basis', 'a verdict says what it rests on', {
      next: 'add --basis "what you looked at"',
    });
  }
  const verdict = approve === true ? ('approve' as const) : ('reject' as const);
  return { verdict, basis: ownWords(context, basis) };
}

/** Why a verdict decides nothing. */
function whyNot({ claim }: Review): string {
  return claim.claimType === 'hypothesis'
    ? 'a hypothesis never leaves its agent'
    : 'gates decide in this scope';
}

async function reviewAction(context: Context, id: string, options: ReviewOptions): Promise<void> {
  const dispute = context.read('state', (sql) => {
    const isPromotion = readerOf(sql).get('promotions', id) !== undefined;
    const claim = isPromotion ? undefined : findClaim(context, sql, id);
    return claim && disputeOf(sql, claim.id, context.home().world.now());
  });
  if (dispute) return settle(context, dispute, options);
  const { verdict, basis } = verdictOf(context, options);
  const now = context.home().world.now();
  const { review, shown } = context.read('state', (sql) => {
    const found =
      reviewOf(sql, id, { now }) ?? reviewOf(sql, findClaim(context, sql, id).id, { now });
    return { review: found, shown: found && shownId(sql, 'claim', found.claim.id) };
  });
  if (review?.attempt.status !== 'pending') {
    const outcome = review ? `: it is ${review.claim.status}` : '';
    throw new CredenceError(
      'incorrect',
      'promotion.decided',
      `${id} waits for no verdict${outcome}`,
      {
        next: '`credence review` lists what waits',
      },
    );
  }
  const { claim, attempt, decides } = review;
  const note = decides
    ? undefined
    : `${whyNot(review)}: the verdict is recorded, and decides nothing`;
  if (note !== undefined) context.out.note(note);
  const result = { claim: claim.id, promotion: attempt.id, verdict, basis, decides };
  if (options.dryRun === true) {
    context.out.value({ ...result, dryRun: true });
    context.out.text(`would ${verdict} ${shown}: ${sanitise(claim.statement, 300)}`);
    return;
  }
  const signer = context.home().keys.signer('person');
  const after = await say(context, `claim ${safeId(claim.id)}`, (base) =>
    base.review(attempt.id, verdict, basis, signer),
  );
  context.out.value({ ...result, status: after.status, approvals: after.approvals });
  const outcome = {
    accepted: 'it is promoted',
    rejected: 'it is rejected',
    pending: decides
      ? `${after.approvals} of ${count(review.policy.requiredApprovals, 'approval')} so far`
      : 'it stays a candidate',
  };
  context.out.text(
    `${verdict === 'approve' ? 'approved' : 'rejected'} ${shown}: ${outcome[after.status]}`,
  );
}

/** `credence review [id]`. */
export function reviewCommand(program: Command, context: Context): void {
  program
    .command('review')
    .description('what waits for a person’s verdict, and giving one')
    .argument('[id]', 'a claim, or how its id begins; or the whole id of a promotion')
    .option('--approve', 'it may be told to others')
    .option('--reject', 'it may not; or, contested, it does not hold')
    .option('--keep', 'of a contested claim: it holds, and the others do not')
    .option('--both-hold', 'of a contested claim: it does not contradict the others')
    .option('--basis <text>', 'what the verdict rests on')
    .option('--dry-run', 'say what would be recorded, and record nothing')
    .addHelpText(
      'after',
      '\nExample:\n  credence review\n  credence review 3fa9c1d2 --approve --basis "read both sessions, ran it again"\n  credence review 9b01d2e4 --keep --basis "the port is in the compose file"',
    )
    .action((id: string | undefined, options: ReviewOptions) => {
      // What waits is what agents may not read yet.
      assertPerson(context, 'agents propose, and people review');
      return id === undefined ? listAction(context) : reviewAction(context, id, options);
    });
}
