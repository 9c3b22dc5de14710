import type { Command } from 'commander';
import { toInstant } from '../../base/time.ts';
import { sanitise } from '../../brief/sanitise.ts';
import {
  agentsOffered,
  countHandoffs,
  findHandoff,
  type HandoffView,
  listHandoffs,
  type Offer,
  offersOf,
} from '../../query/handoff.ts';
import { countSessions, listSessions } from '../../query/session.ts';
import { shownId } from '../../query/shown-id.ts';
import type { Sql } from '../../snapshot/port.ts';
import { limitOf, momentOf, remoteOrId } from './arguments.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { findAnySession, opened } from './opened.ts';
import { sessionTable } from './session-table.ts';
import { runningLines, type ShownId, sessionLines, timelineLines } from './session-text.ts';
import { shownContext } from './shown-context.ts';
import { recordViews } from './shown-views.ts';

function printLeftOut(context: Context, shown: number, all: number): void {
  if (shown < all) context.out.text(pc.dim(`${shown} of ${all}; --limit shows more`));
}

/** What a list was narrowed to, in words; empty where it was not. */
export function narrowed(filter: { repo?: string; agent?: string; since?: number }): string {
  const { repo, agent, since } = filter;
  return [
    ...(agent === undefined ? [] : [` of agent ${sanitise(agent, 60)}`]),
    ...(repo === undefined ? [] : [` in ${sanitise(repo, 200)}`]),
    ...(since === undefined ? [] : [` since ${toInstant(since).slice(0, 16)}Z`]),
  ].join('');
}

interface SessionsOptions {
  readonly repo?: string;
  readonly agent?: string;
  readonly since?: number;
  readonly limit: number;
  readonly events?: boolean;
}

function printSessions(context: Context, options: SessionsOptions): void {
  const { repo, agent, limit } = options;
  const since = options.since === undefined ? undefined : toInstant(options.since);
  const { views, text, all } = context.read('state', (sql) => {
    const found = listSessions(sql, { repo, agent, since, limit });
    const all = countSessions(sql, { repo, agent, since });
    return { views: found, text: sessionTable(sql, found), all };
  });
  recordViews(context, 'sessions', views);
  context.out.value(views);
  const filter = narrowed(options);
  if (views.length === 0) {
    context.out.text(
      filter === ''
        ? 'no sealed sessions here yet; `credence sync --once` seals what is over'
        : `no sealed session${filter}; \`credence sessions\` lists all`,
    );
    return;
  }
  context.out.text(text);
  printLeftOut(context, views.length, all);
}

/** A session whole: its digest, and its events; of one that is not sealed yet what is known. */
async function printSession(context: Context, id: string, whole: boolean): Promise<void> {
  const { view, children } = context.read('state', (sql) => {
    const found = opened(id, (typed) => findAnySession(context, sql, typed));
    return { view: found, children: listSessions(sql, { parent: found.session, limit: 50 }) };
  });
  recordViews(context, 'sessions', [view, ...children]);
  const subagents = children.map((child) => child.session);
  if (!('digest' in view)) {
    context.out.value({ ...view, sealed: false, children: subagents });
    const names = context.read('state', (sql) =>
      subagents.map((key) => shownId(sql, 'session', key)),
    );
    for (const line of runningLines(view, names)) context.out.text(line);
    return;
  }
  const events = await context.events(view);
  context.out.value({ ...view, children: subagents, events });
  const lines = context.read('state', (sql) => {
    const shown: ShownId = (kind, key) => shownId(sql, kind, key);
    return [...sessionLines(view, children, shown), ...timelineLines(events, whole, shown)];
  });
  for (const line of lines) context.out.text(line);
}

/** `credence sessions [id]`. */
export function sessionsCommand(program: Command, context: Context): void {
  program
    .command('sessions')
    .description('the sealed sessions, or one of them whole')
    .argument('[id]', 'a session’s id, or how it begins')
    .option('--repo <id>', 'only this repo, such as github.com/owner/name', remoteOrId)
    .option('--agent <id>', 'only this agent')
    .option(
      '--since <moment>',
      'only those with an event since a day, or so long ago (2d)',
      momentOf,
    )
    .option('--limit <n>', 'how many', limitOf, 20)
    .option('--events', 'with an id: every event, with its content')
    .addHelpText(
      'after',
      '\nExample:\n  credence sessions --repo github.com/owner/name --since 2d\n  credence sessions 1c38adc0',
    )
    .action(async (id: string | undefined, options: SessionsOptions) => {
      const shown = shownContext(context);
      if (id !== undefined) return printSession(shown, id, options.events === true);
      printSessions(shown, options);
    });
}

/** A handoff with what a line of it says beside. */
interface HandoffEntry extends HandoffView {
  readonly offeredTo: readonly Offer[];
}

function handoffLines(entry: HandoffEntry, context: Context, sql: Sql): string[] {
  const offered = agentsOffered(entry.offeredTo, context.liveAgents(), entry.id).join(', ');
  const { takenBy } = entry;
  const fate = takenBy === undefined ? 'waiting' : `taken by ${shownId(sql, 'session', takenBy)}`;
  const facts = [
    entry.issuedAt.slice(0, 16).replace('T', ' '),
    sanitise(entry.agent, 28),
    entry.status,
    fate,
  ];
  return [
    `${pc.bold(shownId(sql, 'handoff', entry.id))}  ${facts.join('  ')}${offered === '' ? '' : pc.dim(`  offered to ${sanitise(offered, 80)}`)}`,
    `  ${sanitise(entry.summary, 2_000)}`,
    ...(entry.next === undefined ? [] : [`  ${pc.dim('next:')} ${sanitise(entry.next, 1_000)}`]),
  ];
}

interface HandoffsOptions {
  readonly repo?: string;
  readonly all?: boolean;
  readonly limit: number;
}

function printHandoffs(context: Context, id: string | undefined, options: HandoffsOptions): void {
  const { repo, limit } = options;
  const waiting = options.all !== true;
  const { entries, lines, all } = context.read('state', (sql) => {
    const views =
      id === undefined
        ? listHandoffs(sql, { repo, waiting, limit })
        : [opened(id, (typed) => findHandoff(sql, typed))];
    const found = views.map((view) => ({ ...view, offeredTo: offersOf(sql, view.id) }));
    return {
      entries: found,
      lines: found.flatMap((one) => handoffLines(one, context, sql)),
      all: id === undefined ? countHandoffs(sql, { repo, waiting }) : 1,
    };
  });
  recordViews(context, 'handoffs', entries);
  context.out.value(entries);
  for (const line of lines) context.out.text(line);
  printLeftOut(context, entries.length, all);
  if (entries.length > 0) return;
  context.out.text(
    waiting
      ? `no handoff is waiting${narrowed(options)}; --all shows those that were taken up`
      : `no handoff was left${narrowed(options)} yet`,
  );
}

/** `credence handoffs [id]`. */
export function handoffsCommand(program: Command, context: Context): void {
  program
    .command('handoffs')
    .description('the notes that agents left for whoever comes next')
    .argument('[id]', 'a handoff’s id, or how it begins')
    .option('--repo <id>', 'only this repo', remoteOrId)
    .option('--all', 'also those that were taken up')
    .option('--limit <n>', 'how many', limitOf, 20)
    .addHelpText('after', '\nExample:\n  credence handoffs --all')
    .action((id: string | undefined, options: HandoffsOptions) =>
      printHandoffs(shownContext(context), id, options),
    );
}
