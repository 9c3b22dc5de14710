import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { writeHookSettings } from '../../home/set-up.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { assertRuntime, ensureSetUp, RUNTIMES } from './set-up-commands.ts';

interface InstallOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  /** False where no server is to be registered. */
  readonly mcp?: boolean;
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

type Edit = 'install' | 'uninstall';

/** What is registered with a runtime, in the order in which it is; each in a file of its own. */
const PARTS = ['hooks', 'server'] as const;
type Part = (typeof PARTS)[number];

const NOUNS: Readonly<Record<Part, string>> = { hooks: 'hooks are', server: 'the MCP server is' };

/** What is to be known of what is a person's, and was left. */
function sharedNote(edit: Edit, part: Part, shared: readonly string[]): string {
  if (part === 'server')
    return pc.yellow(
      'a server named credence is there that is not this program: it was left as it is',
    );
  const line = `a command line of your own runs the hook for ${shared.join(', ')}, and other commands too`;
  return pc.yellow(
    edit === 'install'
      ? `${line}: it was left as it is, and no second hook was put beside it`
      : `${line}: it was left as it is; take the hook out of it by hand`,
  );
}

function editOf({ local }: Context, edit: Edit, runtime: string, part: Part, dryRun: boolean) {
  return part === 'hooks'
    ? local.editSettings(runtime, edit, dryRun)
    : local.editServers(runtime, edit, dryRun);
}

/** Hooks name the tool for handoffs where it is registered, from now on. */
function tellHooks(context: Context): void {
  context.reload();
  const home = context.home();
  const pin = home.readPin();
  if (pin) writeHookSettings(home, pin.fleetId, home.settings.agents);
}

async function editAction(
  context: Context,
  edit: Edit,
  named: string | undefined,
  options: InstallOptions,
): Promise<void> {
  const runtimes = runtimesFor(named, options.all === true);
  const dryRun = options.dryRun === true;
  // An uninstall takes out all of it, whatever was put in.
  const parts = edit === 'install' && options.mcp === false ? (['hooks'] as const) : PARTS;
  const wanted = runtimes.flatMap((runtime) => parts.map((part) => ({ runtime, part })));
  if (!dryRun) {
    // What can't be edited is refused before anything else is done.
    for (const { runtime, part } of wanted) editOf(context, edit, runtime, part, true);
    if (edit === 'install') await ensureSetUp(context, runtimes);
  }
  const edits = wanted.map(({ runtime, part }) => ({
    runtime,
    part,
    ...editOf(context, edit, runtime, part, dryRun),
  }));
  if (!dryRun) tellHooks(context);
  context.out.value({ dryRun, edits });
  for (const { runtime, part, path, changed, diff, backup, shared } of edits) {
    if (!changed) context.out.text(`${runtime}: nothing to change in ${path}`);
    else if (dryRun) context.out.text(`${runtime}: would change ${path}\n${diff}`);
    else {
      const done = `${NOUNS[part]} ${edit === 'install' ? 'in' : 'out of'}`;
      context.out.text(`${runtime}: ${pc.green(done)} ${path}`);
      if (backup !== undefined) context.out.text(pc.dim(`  what was there is in ${backup}`));
    }
    if (shared.length > 0) context.out.text(`  ${sharedNote(edit, part, shared)}`);
  }
  if (edit === 'install' && !dryRun)
    context.out.text('sessions that start from now on are captured; `credence status` shows it');
}

/** `credence install` and `credence uninstall`. */
export function installCommands(program: Command, context: Context): void {
  for (const edit of ['install', 'uninstall'] as const) {
    const command = program
      .command(edit)
      .description(
        edit === 'install'
          ? 'put the capturing hooks into a runtime’s settings, and register the MCP server'
          : 'take both out again, and nothing else',
      )
      .argument('[runtime]')
      .option('--all', 'every runtime that is known')
      .option('--dry-run', 'show the change, and make none')
      .addHelpText('after', `\nExample:\n  credence ${edit} claude-code --dry-run`)
      .action((runtime: string | undefined, options: InstallOptions) =>
        editAction(context, edit, runtime, options),
      );
    if (edit === 'install') command.option('--no-mcp', 'only the hooks');
  }
}
