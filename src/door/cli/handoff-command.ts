import { type Command, Option } from 'commander';
import { CredenceError, codeOf } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { defined } from '../../base/unknown.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { draftHandoff, HandoffDraft, handoffBody } from '../../handoff/handoff.ts';
import { hostIdIn } from '../../home/home.ts';
import { findSession } from '../../query/session.ts';
import { recordId } from '../../record/record.ts';
import { pc } from './colour.ts';
import type { CapturedSession, Context } from './context.ts';

interface HandoffOptions {
  readonly summary: string;
  readonly status: HandoffDraft['status'];
  readonly next?: string;
  readonly session?: string;
}

/** A session that a person or an agent named: captured here and running, or sealed. */
function namedSession(context: Context, id: string): CapturedSession {
  const running = context.captured(id);
  if (running) return running;
  try {
    const sealed = context.tryRead('state', (sql) => findSession(sql, id));
    if (sealed) return sealed;
  } catch (error) {
    if (codeOf(error) !== 'session.missing') throw error;
  }
  throw new CredenceError(
    'usage',
    'handoff.unknown_session',
    `no session that is known here begins with ${JSON.stringify(id)}`,
    { next: '`credence sessions` lists the sealed ones; of one that runs, give the whole id' },
  );
}

/** The session that a note is of, with the repo where it worked: what this folder is says less. */
function sessionOf(context: Context, { session }: HandoffOptions): CapturedSession {
  if (session !== undefined) return namedSession(context, session);
  const calling = context.local.callingSession();
  if (!calling) {
    throw new CredenceError(
      'usage',
      'handoff.no_session',
      'it is not known which session this is',
      { next: 'name it: --session <id>; `credence sessions` lists the sealed ones' },
    );
  }
  const here = context.captured(calling.session);
  return here ?? { ...calling, repo: context.local.repoOf(process.cwd(), { names: true }) };
}

function agentOf(context: Context, runtime: string): string {
  const agent = context.home().settings.agents[runtime];
  if (agent !== undefined) return agent;
  throw new CredenceError(
    'configuration',
    'agent.unconfigured',
    `${runtime} has no agent id here`,
    { next: 'run `credence init`' },
  );
}

function handoffAction(context: Context, options: HandoffOptions): void {
  const { session, runtime, repo } = sessionOf(context, options);
  const agent = agentOf(context, runtime);
  const { world, keys } = context.home();
  const draft = draftHandoff(
    {
      session,
      agent,
      runtime,
      status: options.status,
      summary: options.summary,
      written_at: toInstant(world.now()),
      ...defined({ repo, next: options.next }),
    },
    { secret: () => keys.hostSecret(), deniedPaths: [] },
  );
  const by = {
    address: keys.signer(`agent-${agent}`).address,
    host: hostIdIn(context.home()),
  };
  // The record is a function of the note, so that its id is known before it is signed and sent.
  const id = recordId('handoff', handoffBody(draft, by));
  const queued = context.local.queueHandoff(draft);
  context.out.value({ id, queued, ...draft });
  const place = repo === undefined ? 'of no known repo' : `in ${sanitise(repo, 200)}`;
  context.out.text(
    `handoff ${pc.bold(safeId(id))} of session ${safeId(session)}, ${place}: the next sync sends it; then \`credence handoffs ${safeId(id)}\` shows it`,
  );
}

/** `credence handoff`. */
export function handoffCommand(program: Command, context: Context): void {
  const statuses = HandoffDraft.shape.status.options;
  program
    .command('handoff')
    .description('leave a note for whoever works here next')
    .requiredOption('--summary <text>', 'what was done, and what failed')
    .addOption(
      new Option('--status <status>', 'how far the work is').choices(statuses).default('partial'),
    )
    .option('--next <text>', 'what is left to do')
    .option('--session <id>', 'the session that the note is of; found by itself inside one')
    .addHelpText(
      'after',
      '\nExample:\n  credence handoff --status blocked --summary "deploy fails at login" --next "ask for a new token"',
    )
    .action((options: HandoffOptions) => handoffAction(context, options));
}
