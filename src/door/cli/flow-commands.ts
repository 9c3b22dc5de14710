import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Trouble } from '../../base/trouble.ts';
import type { Tally } from '../../lake/import.ts';
import { importAll, maintain, type Parts, type SyncReport } from '../../pipeline.ts';
import type { HistoryFile } from '../../runtime/history.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { errorLines } from './output.ts';
import { bytesProgress } from './progress.ts';
import { ensureSetUp } from './set-up-commands.ts';

function troubleLines(troubles: readonly Trouble[]): string[] {
  return troubles.map(
    ({ id, code, message }) =>
      `${pc.yellow('passed over')} ${id}: ${message} ${pc.dim(`(${code})`)}`,
  );
}

/** A sync in one line, and what it passed over. */
export function syncLines(report: SyncReport): string[] {
  const waiting = report.waiting.length > 0 ? `, ${report.waiting.length} records wait` : '';
  return [
    `sealed ${report.sealed} sessions, sent ${report.handoffs} handoffs; the ledger is at ${report.position}${waiting}`,
    ...troubleLines(report.troubles),
  ];
}

/** What importing came to, over all files. */
export interface ImportSummary {
  readonly files: number;
  readonly newFiles: number;
  readonly tally: Tally;
  readonly troubles: readonly Trouble[];
  readonly sync: SyncReport;
}

/** Imports the given transcripts with a progress bar, and syncs. */
export async function importWithProgress(
  context: Context,
  parts: Parts,
  files: readonly HistoryFile[],
): Promise<ImportSummary> {
  const total = files.reduce((sum, file) => sum + file.size, 0);
  const progress = bytesProgress(total, parts.world.now);
  let before = 0;
  let current: HistoryFile | undefined;
  const done = await importAll(parts, files, (file, bytes) => {
    if (current && current !== file) before += current.size;
    current = file;
    if (!context.out.json) progress.advance(before + bytes, file.source.session);
  });
  progress.end();
  const { imported, troubles } = done;
  const tally: Tally = { lines: 0, imported: 0, merged: 0, skipped: {} };
  for (const one of imported) {
    tally.lines += one.tally.lines;
    tally.imported += one.tally.imported;
    tally.merged += one.tally.merged;
    for (const [reason, count] of Object.entries(one.tally.skipped)) {
      tally.skipped[reason] = (tally.skipped[reason] ?? 0) + count;
    }
  }
  return {
    files: files.length,
    newFiles: imported.filter((one) => one.isNew).length,
    tally,
    troubles,
    sync: done.sync,
  };
}

/** Every line accounted for. */
export function importLines(summary: ImportSummary): string[] {
  const { tally } = summary;
  const skipped = Object.entries(tally.skipped).sort(([, a], [, b]) => b - a);
  const sum = skipped.reduce((total, [, count]) => total + count, 0);
  const reasons = skipped.map(([reason, count]) => `${reason} ${count}`).join(', ');
  return [
    `${summary.newFiles} of ${summary.files} transcripts were new`,
    `${tally.lines} lines: ${tally.imported} imported, ${tally.merged} merged into other events, ${sum} skipped`,
    ...(reasons === '' ? [] : [pc.dim(`skipped: ${reasons}`)]),
    ...troubleLines(summary.troubles),
    ...syncLines(summary.sync),
  ];
}

/** `credence import`. */
export function importCommand(program: Command, context: Context): void {
  program
    .command('import')
    .description('bring in the agent history that is on this machine')
    .option('--all', 'everything, however old (the default)')
    .option('--since <instant>', 'only transcripts written since, such as 2026-01-31')
    .addHelpText('after', '\nExample:\n  credence import --since 2026-01-01')
    .action(async (options: { since?: string }) => {
      await ensureSetUp(context, ['claude-code']);
      const since = options.since === undefined ? 0 : Date.parse(options.since);
      const done = await context.withParts(async (parts) => {
        const files = [...parts.history.files()].filter((file) => file.modifiedAt >= since);
        if (files.length === 0) context.out.text(`no transcripts in ${parts.history.folder}`);
        return importWithProgress(context, parts, files);
      });
      if (!done) return busy(context);
      const summary = done.value;
      context.out.value(summary);
      for (const line of importLines(summary)) context.out.text(line);
      if (summary.troubles.length > 0) process.exitCode = 1;
    });
}

function busy(context: Context): void {
  context.out.value({ busy: true });
  context.out.text('another credence process is at work on this machine; it will do this too');
}

/** Passes until SIGINT or SIGTERM, which lets the one that runs end. A failing pass is said, and tried again at the next. */
export async function keepSyncing(
  context: Context,
  everyMs: number,
  report: (value: SyncReport) => void,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  while (!stop.signal.aborted) {
    try {
      const done = await context.syncOnce();
      if (done) report(done);
    } catch (error) {
      for (const line of errorLines(error)) context.out.note(line);
    }
    await setTimeout(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
}

/** `credence sync`. */
export function syncCommand(program: Command, context: Context): void {
  program
    .command('sync')
    .description(
      'send what was captured, seal what is over, follow the ledger, render the briefings',
    )
    .argument('[what]', 'run: keep syncing until stopped', 'once')
    .option('--once', 'one pass (the default)')
    .option('--quiet', 'print nothing: for the hook that starts it')
    .option('--every <seconds>', 'with run: seconds between passes', '60')
    .addHelpText('after', '\nExample:\n  credence sync --once\n  credence sync run --every 30')
    .action(async (what: string, options: { quiet?: boolean; every: string }) => {
      const quiet = options.quiet === true;
      const report = (value: SyncReport) => {
        context.out.value(value);
        if (!quiet) for (const line of syncLines(value)) context.out.text(line);
      };
      if (what !== 'run') {
        const done = await context.syncOnce();
        if (done) report(done);
        else if (!quiet) busy(context);
        return;
      }
      await keepSyncing(context, Number(options.every) * 1_000, report);
    });
}

/** `credence maint`. */
export function maintCommand(program: Command, context: Context): void {
  program
    .command('maint')
    .description(
      'one maintenance pass for the whole fleet: takes the lease, or exits at once where another host has it',
    )
    .option('--once', 'one pass (the default)')
    .addHelpText('after', '\nExample, on a timer:\n  */15 * * * * credence maint --once')
    .action(async () => {
      await ensureSetUp(context, []);
      const done = await context.withParts(maintain);
      if (!done) return busy(context);
      const report = done.value;
      context.out.value(report ?? { lease: 'held by another host' });
      if (!report) return context.out.text('another host holds the maintenance lease');
      for (const line of syncLines(report)) context.out.text(line);
      context.out.text(`compacted ${report.compacted} days`);
    });
}
