import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { duration, troubles } from '../../brief/describe.ts';
import { briefFile } from '../../brief/publish.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { fence } from '../../capture/fence.ts';
import { findHandoff, type HandoffView, listHandoffs } from '../../query/handoff.ts';
import { search } from '../../query/search.ts';
import { findSession, listSessions, type SessionView } from '../../query/session.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { table } from './output.ts';
import { sessionLines, timelineLines } from './session-text.ts';

const OUTCOME = { clean: pc.green, error: pc.yellow, abandoned: pc.red } as const;

function limitOf(text: string): number {
  const limit = Number(text);
  if (Number.isSafeInteger(limit) && limit > 0) return limit;
  throw new CredenceError('usage', 'usage.limit', `${text} is not a number of lines`, {
    next: 'such as --limit 20',
  });
}

/** The repo that a command is about: the one that was named, or the folder's. */
function repoFor(context: Context, named: string | undefined): string | undefined {
  return named ?? context.local.repoOf(process.cwd());
}

function sessionRow(view: SessionView): string[] {
  const { digest } = view;
  return [
    safeId(view.session),
    view.lastAt.slice(0, 16).replace('T', ' '),
    sanitise(view.agent, 28),
    OUTCOME[digest.outcome](digest.outcome),
    duration(digest.duration_ms),
    sanitise(digest.asked ?? '', 60),
    pc.dim(sanitise(troubles(digest).join('; '), 60)),
  ];
}

function printSessions(context: Context, views: readonly SessionView[]): void {
  context.out.value(views);
  if (views.length === 0)
    context.out.text('no sealed sessions here yet; `credence sync --once` seals what is over');
  else
    context.out.text(
      table(
        ['id', 'last (UTC)', 'agent', 'outcome', 'for', 'asked', 'trouble'],
        views.map(sessionRow),
      ),
    );
}

/** `credence sessions [id]`. */
export function sessionsCommand(program: Command, context: Context): void {
  program
    .command('sessions')
    .description('the sealed sessions, or one of them whole')
    .argument('[id]', 'a session’s id, or how it begins')
    .option('--repo <id>', 'only this repo, such as github.com/owner/name')
    .option('--agent <id>', 'only this agent')
    .option('--since <instant>', 'only sessions with an event since')
    .option('--limit <n>', 'how many', '20')
    .option('--events', 'with an id: every event, with its content')
    .addHelpText(
      'after',
      '\nExample:\n  credence sessions --repo github.com/owner/name --limit 5\n  credence sessions 1c38adc0',
    )
    .action(
      async (
        id: string | undefined,
        options: { repo?: string; agent?: string; since?: string; limit: string; events?: boolean },
      ) => {
        if (id === undefined) {
          const { repo, agent, since } = options;
          const limit = limitOf(options.limit);
          return printSessions(
            context,
            context.read('state', (sql) => listSessions(sql, { repo, agent, since, limit })),
          );
        }
        const { view, children } = context.read('state', (sql) => {
          const found = findSession(sql, id);
          return { view: found, children: listSessions(sql, { parent: found.session, limit: 50 }) };
        });
        const events = await context.events(view);
        context.out.value({ ...view, children: children.map((child) => child.session), events });
        for (const line of sessionLines(view, children)) context.out.text(line);
        for (const line of timelineLines(events, options.events === true)) context.out.text(line);
      },
    );
}

function handoffLines(view: HandoffView): string[] {
  const offered = [...new Set(view.offeredTo.map((offer) => offer.agent))].join(', ');
  const fate = view.takenBy === undefined ? 'waiting' : `taken by ${safeId(view.takenBy)}`;
  const facts = [
    view.issuedAt.slice(0, 16).replace('T', ' '),
    sanitise(view.agent, 28),
    view.status,
    fate,
  ];
  return [
    `${pc.bold(safeId(view.id))}  ${facts.join('  ')}${offered === '' ? '' : pc.dim(`  offered to ${sanitise(offered, 80)}`)}`,
    `  ${sanitise(view.summary, 2_000)}`,
    ...(view.next === undefined ? [] : [`  ${pc.dim('next:')} ${sanitise(view.next, 1_000)}`]),
  ];
}

/** `credence handoffs [id]`. */
export function handoffsCommand(program: Command, context: Context): void {
  program
    .command('handoffs')
    .description('the notes that agents left for whoever comes next')
    .argument('[id]', 'a handoff’s id, or how it begins')
    .option('--repo <id>', 'only this repo')
    .option('--all', 'also those that were taken up')
    .option('--limit <n>', 'how many', '20')
    .addHelpText('after', '\nExample:\n  credence handoffs --all')
    .action((id: string | undefined, options: { repo?: string; all?: boolean; limit: string }) => {
      const views = context.read('state', (sql) =>
        id === undefined
          ? listHandoffs(sql, {
              repo: options.repo,
              waiting: options.all !== true,
              limit: limitOf(options.limit),
            })
          : [findHandoff(sql, id)],
      );
      context.out.value(views);
      for (const line of views.flatMap(handoffLines)) context.out.text(line);
      if (views.length === 0)
        context.out.text('no handoff is waiting; --all shows those that were taken up');
    });
}

/** `credence search <words>`. */
export function searchCommand(program: Command, context: Context): void {
  program
    .command('search')
    .description('full-text search over sessions and handoffs')
    .argument('<words...>')
    .option('--repo <id>', 'only this repo')
    .option('--limit <n>', 'how many', '10')
    .addHelpText('after', '\nExample:\n  credence search flaky upload test')
    .action((words: string[], options: { repo?: string; limit: string }) => {
      const found = context.read('state', (sql) =>
        search(sql, words.join(' '), { repo: options.repo, limit: limitOf(options.limit) }).map(
          (hit) => ({
            hit,
            view: hit.kind === 'session' ? findSession(sql, hit.id) : findHandoff(sql, hit.id),
          }),
        ),
      );
      context.out.value(found.map(({ hit, view }) => ({ ...hit, ...view })));
      if (found.length === 0) return context.out.text('nothing fits');
      const rows = found.map(({ hit, view }) => [
        safeId(hit.id),
        hit.kind,
        ('lastAt' in view ? view.lastAt : view.issuedAt).slice(0, 10),
        sanitise(view.agent, 28),
        sanitise('digest' in view ? (view.digest.asked ?? '') : view.summary, 80),
      ]);
      context.out.text(table(['id', 'kind', 'day', 'agent', 'about'], rows));
    });
}

/** The briefing that the next session of a repo would get; undefined where there is nothing to say. */
export function nextBriefing(context: Context, repo: string, agent: string): string | undefined {
  const now = context.home().world.now();
  return context.read('agent', (sql) => {
    const file = briefFile(sql, { agent, repo, live: context.liveAgents(), now });
    return fence(file.lines, now)?.text;
  });
}

/** `credence brief`. */
export function briefCommand(program: Command, context: Context): void {
  program
    .command('brief')
    .description('the briefing that the next session in this folder would get')
    .option('--repo <id>', 'of another repo')
    .option('--agent <id>', 'as another agent would get it')
    .addHelpText('after', '\nExample:\n  credence brief --repo github.com/owner/name')
    .action((options: { repo?: string; agent?: string }) => {
      const repo = repoFor(context, options.repo);
      if (repo === undefined) {
        throw new CredenceError(
          'usage',
          'brief.no_repo',
          'this folder does not exist for a session',
          { next: 'name one: --repo <id>; `credence repos` lists them' },
        );
      }
      const agent =
        options.agent ?? context.home().settings.agents['claude-code'] ?? 'unconfigured';
      const text = nextBriefing(context, repo, agent);
      context.out.value({ repo, agent, text: text ?? null, bytes: Buffer.byteLength(text ?? '') });
      context.out.text(text ?? `nothing is recorded about ${repo} yet`);
    });
}
