import { type Command, Option } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { defined } from '../../base/unknown.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { draftClaim, draftEndorsement, type ProposalDraft } from '../../extract/draft.ts';
import { getSession } from '../../query/session.ts';
import { findKey } from '../../query/shown-id.ts';
import { ClaimType } from '../../record/claim.ts';
import { KnowledgeEndorsement } from '../../record/knowledge.ts';
import { momentOf } from './arguments.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import {
  collect,
  type EvidenceOptions,
  evidenceOf,
  evidenceOptions,
  foundEvidence,
  type Proposer,
  proposerOf,
} from './evidence.ts';
import { opened } from './opened.ts';
import { redactionOf } from './said.ts';

/** Queues a draft; where no agent waits for it, it is sent now. */
async function sendDraft(
  context: Context,
  draft: ProposalDraft,
  { calling }: Proposer,
): Promise<void> {
  const name = context.local.queueProposal(draft);
  const report = calling ? undefined : await context.syncOnce();
  const sent = report?.proposed.find((one) => one.name === name);
  const refused = context.local
    .proposals()
    .refused()
    .find((one) => one.name === name);
  if (refused) {
    throw new CredenceError('incorrect', refused.code, refused.message, {
      next: 'correct it, and propose it again',
    });
  }
  const state = sent ? 'sent' : 'queued';
  context.out.value({ name, state, ...(sent ? { id: sent.id } : {}), ...draft });
  if (sent) {
    context.out.text(
      `${draft.kind} ${pc.bold(safeId(sent.id))} by ${sanitise(draft.agent, 60)} is in the ledger`,
    );
    return;
  }
  const isWaiting = report !== undefined;
  context.out.text(
    isWaiting
      ? `queued: what it cites is not captured whole yet; it is sent once the session is sealed`
      : `queued: the next sync signs it as ${sanitise(draft.agent, 60)} and sends it`,
  );
}

interface ProposeOptions extends EvidenceOptions {
  readonly type: ClaimType;
  readonly subject?: readonly string[];
  readonly topic?: readonly string[];
  readonly ref?: readonly string[];
  readonly scope?: 'agent' | 'repo' | 'fleet';
  readonly supersedes?: string;
  readonly resolvesAt?: number;
  readonly dryRun?: boolean;
}

/** Where a claim wants to live: as it is asked for, else in the repo of the first session that it cites. */
function segmentOf(
  context: Context,
  scope: ProposeOptions['scope'],
  agent: string,
  repo: string | undefined,
): string | null {
  if (scope === 'agent') return `agent:${agent}`;
  if (scope === 'fleet') return null;
  if (repo !== undefined) return `repo:${repo}`;
  if (scope === undefined) return null;
  const here = context.local.repoOf(process.cwd());
  if (here !== undefined) return `repo:${here}`;
  throw new CredenceError('usage', 'scope.repo', 'it is not known which repo this is', {
    next: 'run it inside the repo, or take --scope fleet',
  });
}

/** The repo that a session worked in: where it lives now, else as it was captured. */
async function repoOf(context: Context, session: string): Promise<string | undefined> {
  const sealed = context.tryRead('state', (sql) => getSession(sql, session));
  if (sealed) return sealed.repo;
  const captured = await context.messages(session);
  return captured?.events.find((event) => event.repo !== undefined)?.repo;
}

function claimId(context: Context, typed: string): string {
  return context.read('state', (sql) => opened(typed, (id) => findKey(sql, 'claim', id)));
}

async function proposeAction(
  context: Context,
  statement: string,
  options: ProposeOptions,
): Promise<void> {
  const proposer = proposerOf(context, options);
  const { agent, calling } = proposer;
  const { world } = context.home();
  const evidence = await foundEvidence(context, evidenceOf(context, options, calling), calling);
  const [first] = evidence;
  const repo = first && (await repoOf(context, first.session_id));
  const { type, subject = [], topic = [], ref, scope, supersedes, resolvesAt } = options;
  const draft = draftClaim(
    {
      agent,
      statement,
      claim_type: type,
      subject: [...subject],
      topics: [...topic],
      ...defined({ refs: ref?.map((uri) => ({ uri, kind: null })) }),
      segment: segmentOf(context, scope, agent, repo),
      supersedes: supersedes === undefined ? null : claimId(context, supersedes),
      ...defined({ resolves_at: resolvesAt === undefined ? undefined : toInstant(resolvesAt) }),
      evidence,
      nonce: Buffer.from(world.random(16)).toString('hex'),
      written_at: toInstant(world.now()),
    },
    redactionOf(context),
  );
  if (options.dryRun) {
    context.out.value({ state: 'dry run', ...draft });
    context.out.text(JSON.stringify(draft, undefined, 2));
    return;
  }
  await sendDraft(context, draft, proposer);
}

interface EndorseOptions extends EvidenceOptions {
  readonly verdict: KnowledgeEndorsement['verdict'];
  readonly basis: string;
}

async function endorseAction(
  context: Context,
  typed: string,
  options: EndorseOptions,
): Promise<void> {
  const proposer = proposerOf(context, options);
  const { agent, calling } = proposer;
  const evidence = await foundEvidence(context, evidenceOf(context, options, calling), calling);
  const { verdict, basis } = options;
  const written_at = toInstant(context.home().world.now());
  const given = { agent, claim_id: claimId(context, typed), verdict, basis, evidence, written_at };
  await sendDraft(context, draftEndorsement(given, redactionOf(context)), proposer);
}

/** Adds `propose` and `endorse` to `credence claim`. */
export function addProposing(claim: Command, context: Context): void {
  const types = ClaimType.options;
  evidenceOptions(claim.command('propose'))
    .description('propose one thing that holds, with the messages that show it')
    .argument('<statement>', 'one proposition, in one sentence')
    .addOption(new Option('--type <type>', 'what it is of').choices(types).makeOptionMandatory())
    .option('--subject <name>', 'what it is about; may be repeated', collect)
    .option('--topic <word>', 'may be repeated', collect)
    .option(
      '--ref <uri>',
      'an artifact that it is about; without it, the files of what is cited',
      collect,
    )
    .addOption(
      new Option(
        '--scope <scope>',
        'where it wants to live; the repo of the session unless told',
      ).choices(['agent', 'repo', 'fleet']),
    )
    .option('--supersedes <claim>', 'an older claim of the same agent')
    .option('--resolves-at <moment>', 'by when a hypothesis is answered', momentOf)
    .option('--dry-run', 'show what would be queued')
    .addHelpText(
      'after',
      '\nExample:\n  credence claim propose "The tests need redis on port 6380." --type environment --session 1c38adc0 --quote "ECONNREFUSED 127.0.0.1:6380"',
    )
    .action((statement: string, options: ProposeOptions) =>
      proposeAction(context, statement, options),
    );
  evidenceOptions(claim.command('endorse'))
    .description('agree with a claim, or contradict it, with what was seen')
    .argument('<claim>', 'a claim’s id, or how it begins')
    .addOption(
      new Option('--verdict <verdict>', 'which')
        .choices(KnowledgeEndorsement.shape.verdict.options)
        .makeOptionMandatory(),
    )
    .requiredOption('--basis <text>', 'why')
    .addHelpText(
      'after',
      '\nExample:\n  credence claim endorse 3fa9c1d20b7e --verdict contradict --basis "it is 6381 since May" --quote "listening on 6381"',
    )
    .action((id: string, options: EndorseOptions) => endorseAction(context, id, options));
}
