import { setTimeout } from 'node:timers/promises';
import { Argument, type Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import type { Trouble } from '../../base/trouble.ts';
import type { SyncReport } from '../../pipeline.ts';
import { secondsOf } from './arguments.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { errorLines, errorValue } from './error-text.ts';
import { count } from './output.ts';

/** What was passed over, and why. */
export function troubleLines(troubles: readonly Trouble[]): string[] {
  return troubles.map(
    ({ id, code, message }) =>
      `${pc.yellow('passed over')} ${id}: ${message} ${pc.dim(`(${code})`)}`,
  );
}

/** A pass that passed something over has failed in that, for whoever reads its exit code. */
export function failOver(troubles: readonly Trouble[]): void {
  if (troubles.length > 0) process.exitCode = 1;
}

/** A sync in one line, and what it passed over. */
export function syncLines(report: SyncReport): string[] {
  const waits = report.waiting.length;
  const reasons = [...new Set(report.waiting.map((one) => one.for))].sort().join(', ');
  const waiting =
    waits > 0 ? `, ${count(waits, 'record')} ${waits === 1 ? 'waits' : 'wait'}: ${reasons}` : '';
  return [
    `sealed ${count(report.sealed, 'session')}, sent ${count(report.handoffs, 'handoff')}; the ledger is at ${report.position}${waiting}`,
    ...changedLines(report.changed),
    ...troubleLines(report.troubles),
  ];
}

function changedLines(changed: SyncReport['changed']): string[] {
  const { paths = 0, leftOut = 0 } = changed ?? {};
  const more = leftOut > 0 ? `; ${leftOut} more not looked at` : '';
  return paths + leftOut === 0
    ? []
    : [`${count(paths, 'file')} that claims refer to changed${more}`];
}

const STOPPED_TWICE = 130;

/**
 * Passes until SIGINT or SIGTERM, which lets the one that runs end; a second one doesn't wait. A failing pass is said,
 * and tried again at the next.
 */
export async function keepSyncing(
  context: Context,
  { everyMs, maintains }: { readonly everyMs: number; readonly maintains: boolean },
  report: (value: SyncReport) => void,
  failed: (error: unknown) => void = () => {},
): Promise<void> {
  const stop = new AbortController();
  const stopped = () => {
    if (stop.signal.aborted) process.exit(STOPPED_TWICE);
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopped);
  while (!stop.signal.aborted) {
    try {
      const done = await context.syncOnce(maintains);
      if (done) report(done);
    } catch (error) {
      failed(error);
      for (const line of errorLines(error)) context.out.note(line);
    }
    await setTimeout(everyMs, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stopped);
}

interface SyncOptions {
  readonly once?: boolean;
  readonly quiet?: boolean;
  readonly maintain?: boolean;
  readonly every?: number;
}

function assertFits(what: string, { once, every }: SyncOptions): void {
  const isRun = what === 'run';
  const wrong = isRun && once ? '--once' : !isRun && every !== undefined ? '--every' : undefined;
  if (wrong === undefined) return;
  const message = isRun
    ? `sync run goes on until it is stopped: ${wrong} does not fit`
    : `${wrong} is for sync run`;
  throw new CredenceError('usage', 'usage.sync', message, {
    next: '`credence sync --once` does one pass, `credence sync run --every 30` goes on',
  });
}

const EVERY_SECONDS = 60;

async function syncAction(context: Context, what: string, options: SyncOptions): Promise<void> {
  assertFits(what, options);
  const { out } = context;
  const say = (lines: readonly string[]) => {
    if (options.quiet !== true) for (const line of lines) out.text(line);
  };
  if (what === 'run') {
    const every = options.every ?? EVERY_SECONDS;
    await keepSyncing(
      context,
      { everyMs: every * 1_000, maintains: options.maintain === true },
      (report) => {
        out.row(report);
        say(syncLines(report));
      },
      (error) => out.row(errorValue(error)),
    );
    return;
  }
  const done = await context.syncOnce(options.maintain);
  out.value(done ?? { busy: true });
  say(
    done
      ? syncLines(done)
      : ['another credence process is at work on this machine; it will do this too'],
  );
  failOver(done?.troubles ?? []);
}

/** `credence sync`. */
export function syncCommand(program: Command, context: Context): void {
  program
    .command('sync')
    .description(
      'send what was captured, seal what is over, follow the ledger, render the briefings',
    )
    .addArgument(
      new Argument('[what]', 'run: keep syncing until stopped; --json prints one line a pass then')
        .choices(['once', 'run'])
        .default('once'),
    )
    .option('--once', 'one pass (the default)')
    .option('--quiet', 'print nothing: for the hook that starts it')
    .option('--maintain', 'a maintenance pass too, once an hour: for stores without a timer')
    .option('--every <seconds>', `with run: seconds between passes (${EVERY_SECONDS})`, secondsOf)
    .addHelpText('after', '\nExample:\n  credence sync --once\n  credence sync run --every 30')
    .action((what: string, options: SyncOptions) => syncAction(context, what, options));
}
