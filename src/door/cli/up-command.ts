import type { Command } from 'commander';
import { listRepos } from '../../query/session.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { importLines, importWithProgress, keepSyncing, syncLines } from './flow-commands.ts';
import { nextBriefing } from './read-commands.ts';
import { ensureSetUp } from './set-up-commands.ts';

/** The repo to show: this folder's, if anything is known of it, else the one with the newest session. */
function repoToShow(context: Context): string | undefined {
  const repos = context.read('state', listRepos).map((row) => row.repo);
  const here = context.local.repoOf(process.cwd());
  return repos.find((repo) => repo === here) ?? repos[0];
}

function showBriefing(context: Context): void {
  const repo = repoToShow(context);
  const agent = context.home().settings.agents['claude-code'] ?? 'unconfigured';
  const text = repo === undefined ? undefined : nextBriefing(context, repo, agent);
  if (repo === undefined || text === undefined) {
    context.out.text(
      'the sessions are in, but the folders that they ran in are gone; `credence repos` places them',
    );
    return;
  }
  context.out.text(`\n${pc.dim(`what the next session in ${repo} would be told:`)}\n\n${text}\n`);
  context.out.value({ repo, agent, text });
}

/** Runs on the made-up fleet that the package ships, in folders of its own. */
async function runOnSamples(context: Context): Promise<void> {
  context.out.text(
    `${pc.yellow('no agent history')} was found on this machine, so here is a made-up fleet instead (see samples/README.md)`,
  );
  const sample = await context.samples(async (one, machine, last) => {
    await one.withParts(async (parts) => {
      const summary = await importWithProgress(one, parts, [...parts.history.files()]);
      context.out.text(
        pc.dim(`${machine}: ${summary.tally.lines} lines of ${summary.files} transcripts`),
      );
      if (last) await one.mapSampleRepos(parts);
    });
  });
  showBriefing(sample);
}

/** `credence up`. */
export function upCommand(program: Command, context: Context): void {
  program
    .command('up')
    .description(
      'set up, bring in the history of this machine, show the next briefing, and keep in step',
    )
    .option('--once', 'exit after the briefing')
    .addHelpText('after', '\nExample:\n  credence up --once')
    .action(async (options: { once?: boolean }) => {
      await ensureSetUp(context, ['claude-code']);
      const done = await context.withParts(async (parts) => {
        const files = [...parts.history.files()];
        if (files.length === 0) return undefined;
        return importWithProgress(context, parts, files);
      });
      if (done?.value) {
        for (const line of importLines(done.value)) context.out.text(line);
        showBriefing(context);
      } else if (done) await runOnSamples(context);
      else context.out.text('another credence process is at work on this machine');
      if (context.local.installed('claude-code').events.length === 0) {
        context.out.text(
          `next: ${pc.bold('credence install claude-code')} captures the sessions that come`,
        );
      }
      if (options.once === true) return;
      context.out.text(pc.dim('keeping in step; Ctrl-C ends it, and capture goes on without it'));
      await keepSyncing(context, 60_000, (report) => {
        if (report.sealed + report.handoffs > 0)
          for (const line of syncLines(report)) context.out.text(line);
      });
    });
}
