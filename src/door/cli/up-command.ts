import type { Command } from 'commander';
import { listSessions } from '../../query/session.ts';
import { shownId } from '../../query/shown-id.ts';
import { nextBriefing, ownAgent, repoToShow } from './brief-command.ts';
import { errorPc, pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError, errorLines } from './error-text.ts';
import { keepSyncing, syncLines } from './flow-commands.ts';
import { type ImportSummary, importLines, importWithProgress } from './import-command.ts';
import { sessionTable } from './session-table.ts';
import { ensureSetUp, type PlaceOptions, placeFlags, placeOptions } from './set-up-commands.ts';
import { hasOwn } from './shown-context.ts';
import { recordViews } from './shown-views.ts';

interface Briefing {
  readonly repo: string;
  readonly agent: string;
  readonly text: string;
}

function briefingToShow(context: Context): Briefing | undefined {
  const repo = repoToShow(context);
  const agent = ownAgent(context);
  const text = repo === undefined ? undefined : nextBriefing(context, { repo, agent });
  return repo === undefined || text === undefined ? undefined : { repo, agent, text };
}

/** As many sessions as a person looks over at a glance. */
const NEWEST_MAX = 5;

/** Where no repo is known there is no briefing; what came in is to be seen all the same. */
function printNewest(context: Context): void {
  const { views, text } = context.read('state', (sql) => {
    const views = listSessions(sql, { limit: NEWEST_MAX });
    return { views, text: sessionTable(sql, views) };
  });
  if (views.length === 0) {
    context.out.text('no session came of it, so that there is nothing to tell the next one');
    return;
  }
  recordViews(context, 'up', views);
  context.out.text(`\n${pc.dim('the newest sessions:')}\n\n${text}\n`);
  context.out.text(
    `their folders are gone, so nobody can say of which repo they were, and no session is told of them yet:\n${pc.bold('credence repos')} lists the folders, and says how to place them`,
  );
}

function printBriefing(context: Context, briefing: Briefing | undefined): void {
  if (!briefing) {
    printNewest(context);
    return;
  }
  const head = `what the next session in ${briefing.repo} would be told:`;
  context.out.text(`\n${pc.dim(head)}\n\n${briefing.text}\n`);
}

/** Runs on the made-up fleet that the package ships, in folders of its own. */
async function runOnSamples(context: Context): Promise<Briefing | undefined> {
  context.out.text(
    `${pc.yellow('no agent history')} was found on this machine, so here is a made-up fleet instead (see samples/README.md)`,
  );
  const sample = await context.samples(async (one, machine) => {
    const done = await one.withParts((parts) =>
      importWithProgress(one, parts, [...parts.history.files()]),
    );
    if (!done) throw busyError();
    const { files, wholeFiles } = done.value;
    context.out.text(pc.dim(`${machine}: ${wholeFiles.lines} lines of ${files} transcripts`));
  });
  const briefing = briefingToShow(sample);
  printBriefing(context, briefing);
  const newest = sample.read('state', (sql) =>
    listSessions(sql, { limit: 1 }).map(({ session }) => shownId(sql, 'session', session)),
  );
  context.out.text(
    [
      'look around in it, until there is something of your own:',
      `  ${pc.bold('credence sessions')}`,
      `  ${pc.bold(`credence sessions ${newest.join('')}`)}`,
      `  ${pc.bold('credence handoffs --all')}`,
      `  ${pc.bold('credence search flaky upload')}`,
      `  ${pc.bold('credence brief')}`,
    ].join('\n'),
  );
  return briefing;
}

/** Brings in the history of this machine and shows what came of it, or the samples where there is none. */
async function showOnce(context: Context): Promise<void> {
  const done = await context.withParts((parts) =>
    importWithProgress(context, parts, [...parts.history.files()]),
  );
  if (!done) throw busyError();
  const imported: ImportSummary = done.value;
  // Where this machine has no history the fleet that it joined may have one.
  const samples = imported.files === 0 && !hasOwn(context);
  let briefing: Briefing | undefined;
  if (samples) briefing = await runOnSamples(context);
  else {
    for (const line of importLines(imported)) context.out.text(line);
    briefing = briefingToShow(context);
    printBriefing(context, briefing);
  }
  context.out.value({ samples, imported, briefing: briefing ?? null });
}

/** What is wrong with the runtime's settings concerns what will be captured, not what was shown. */
function sayWhatIsNext(context: Context): void {
  try {
    const { events, fault } = context.local.installed('claude-code');
    if (events.length > 0 && fault === null) return;
    if (fault !== null) context.out.text(`${pc.yellow('hooks are installed, but')} ${fault}`);
    context.out.text(
      `next: ${pc.bold('credence install claude-code')} captures the sessions that come`,
    );
  } catch (error) {
    context.out.note(`${errorPc.yellow('nothing is captured yet')}:`);
    for (const line of errorLines(error)) context.out.note(line);
  }
}

/** `credence up`. */
export function upCommand(program: Command, context: Context): void {
  placeOptions(program.command('up'))
    .description(
      'set up, bring in the history of this machine, show the next briefing, and keep in step',
    )
    .option('--once', 'exit after the briefing')
    .addHelpText('after', '\nExample:\n  credence up --once')
    .action(async (options: PlaceOptions & { once?: boolean }) => {
      context.reload(placeFlags(options));
      await ensureSetUp(context, ['claude-code'], options);
      await showOnce(context);
      sayWhatIsNext(context);
      if (options.once === true) return;
      context.out.text(pc.dim('keeping in step; Ctrl-C ends it, and capture goes on without it'));
      await keepSyncing(context, { everyMs: 60_000, maintains: true }, (report) => {
        if (report.sealed + report.handoffs > 0)
          for (const line of syncLines(report)) context.out.text(line);
      });
    });
}
