import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { assertRuntime, ensureSetUp, RUNTIMES } from './set-up-commands.ts';

interface InstallOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
}

function runtimesFor(named: string | undefined, all: boolean): readonly string[] {
  if (named === undefined && !all) {
    throw new CredenceError('usage', 'usage.runtime', 'which runtime?', {
      next: `name one (${RUNTIMES.join(', ')}), or --all`,
    });
  }
  if (named !== undefined) assertRuntime(named);
  return named === undefined ? RUNTIMES : [named];
}

/** What is to be known of lines that run our hook and more, and are a person's. */
function sharedNote(edit: 'install' | 'uninstall', events: readonly string[]): string {
  const line = `a command line of your own runs the hook for ${events.join(', ')}, and other commands too`;
  return pc.yellow(
    edit === 'install'
      ? `${line}: it was left as it is, and no second hook was put beside it`
      : `${line}: it was left as it is; take the hook out of it by hand`,
  );
}

async function editAction(
  context: Context,
  edit: 'install' | 'uninstall',
  named: string | undefined,
  options: InstallOptions,
): Promise<void> {
  const runtimes = runtimesFor(named, options.all === true);
  const dryRun = options.dryRun === true;
  if (edit === 'install' && !dryRun) {
    // What can't be edited is refused before anything else is done.
    for (const runtime of runtimes) context.local.editSettings(runtime, edit, true);
    await ensureSetUp(context, runtimes);
  }
  const edits = runtimes.map((runtime) => ({
    runtime,
    ...context.local.editSettings(runtime, edit, dryRun),
  }));
  context.out.value({ dryRun, edits });
  for (const { runtime, path, changed, diff, backup, shared } of edits) {
    if (!changed) context.out.text(`${runtime}: nothing to change in ${path}`);
    else if (dryRun) context.out.text(`${runtime}: would change ${path}\n${diff}`);
    else {
      context.out.text(
        `${runtime}: ${pc.green(edit === 'install' ? 'hooks are in' : 'hooks are out of')} ${path}`,
      );
      if (backup !== undefined) context.out.text(pc.dim(`  what was there is in ${backup}`));
    }
    if (shared.length > 0) context.out.text(`  ${sharedNote(edit, shared)}`);
  }
  if (edit === 'install' && !dryRun)
    context.out.text('sessions that start from now on are captured; `credence status` shows it');
}

/** `credence install` and `credence uninstall`. */
export function installCommands(program: Command, context: Context): void {
  for (const edit of ['install', 'uninstall'] as const) {
    program
      .command(edit)
      .description(
        edit === 'install'
          ? 'put the capturing hooks into a runtime’s settings'
          : 'take them out again, and nothing else',
      )
      .argument('[runtime]')
      .option('--all', 'every runtime that is known')
      .option('--dry-run', 'show the change, and make none')
      .addHelpText('after', `\nExample:\n  credence ${edit} claude-code --dry-run`)
      .action((runtime: string | undefined, options: InstallOptions) =>
        editAction(context, edit, runtime, options),
      );
  }
}
