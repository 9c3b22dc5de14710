import { Command, CommanderError } from 'commander';
import { CredenceError, exitCodeOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { cliContext, packageVersion } from '../../node/cli-context.ts';
import { agentsCommand } from './agents-command.ts';
import { briefCommand } from './brief-command.ts';
import { exportCommand, importBundleCommand } from './bundle-commands.ts';
import { bundlesCommand } from './bundles-command.ts';
import { claimCommands } from './claim-commands.ts';
import { claimsCommand } from './claims-command.ts';
import { configCommand } from './config-command.ts';
import type { Context } from './context.ts';
import { conventionsCommand } from './conventions-command.ts';
import { eraseCommand } from './erase-command.ts';
import { errorLines, errorValue } from './error-text.ts';
import { fleetCommands } from './fleet-commands.ts';
import { syncCommand } from './flow-commands.ts';
import { handoffCommand } from './handoff-command.ts';
import { importCommand } from './import-command.ts';
import { installCommands } from './install-commands.ts';
import { invalidateCommand } from './invalidate-command.ts';
import { keysCommand } from './keys-command.ts';
import { proveCommand, verifyCommand } from './ledger-commands.ts';
import { maintCommand } from './maint-command.ts';
import { processOutput } from './output.ts';
import { quarantineCommand } from './quarantine-command.ts';
import { handoffsCommand, sessionsCommand } from './read-commands.ts';
import { reposCommand } from './repo-commands.ts';
import { reviewCommand } from './review-command.ts';
import { searchCommand } from './search-command.ts';
import { initCommand, joinCommand } from './set-up-commands.ts';
import { doctorCommand, statusCommand } from './status-commands.ts';
import { upCommand } from './up-command.ts';
import { whyCommand } from './why-command.ts';

const COMMANDS = [
  upCommand,
  initCommand,
  joinCommand,
  fleetCommands,
  installCommands,
  importCommand,
  conventionsCommand,
  syncCommand,
  maintCommand,
  briefCommand,
  sessionsCommand,
  handoffsCommand,
  handoffCommand,
  claimsCommand,
  whyCommand,
  claimCommands,
  reviewCommand,
  quarantineCommand,
  invalidateCommand,
  searchCommand,
  agentsCommand,
  reposCommand,
  statusCommand,
  doctorCommand,
  verifyCommand,
  proveCommand,
  exportCommand,
  importBundleCommand,
  bundlesCommand,
  keysCommand,
  eraseCommand,
  configCommand,
  hookCommand,
  mcpCommand,
];

/** `credence hook`, where something stands before it: the hook reads the words behind itself. */
function hookCommand(program: Command): void {
  program
    .command('hook')
    .description('what a runtime’s hook calls; reads a payload from standard input')
    .argument('<event>')
    .argument('<runtime>')
    .addHelpText('after', '\nExample:\n  credence hook Stop claude-code < payload.json')
    .action(async () => {
      await import('../../hook.ts');
    });
}

/** `credence mcp`, where something stands before it: `main.ts` starts its bundle, which holds what no command needs. */
function mcpCommand(program: Command): void {
  program
    .command('mcp')
    .description('serve agents by MCP over standard input and output; `install` registers it')
    .option('--profile <name>', 'default: all tools; read: only those that read', 'default')
    .addHelpText('after', '\nExample:\n  credence mcp --profile read')
    .action(() => {
      throw new CredenceError('usage', 'usage', '`mcp` has to be the first word', {
        next: 'credence mcp [--profile <name>]',
      });
    });
}

function buildProgram(context: Context, onJson: () => void): Command {
  const program = new Command('credence')
    .description('Keeps what a fleet of AI coding agents did.')
    .version(packageVersion())
    .enablePositionalOptions()
    .showHelpAfterError('(--help shows how)')
    .exitOverride()
    .addHelpText('after', '\nExample:\n  credence up --once');
  for (const add of COMMANDS) add(program, context);
  const nested = program.commands.flatMap((command) => command.commands);
  for (const command of [program, ...program.commands, ...nested])
    command.option('--json', 'print one JSON value').on('option:json', onJson);
  return program;
}

/** A call that is not understood, as an error of ours: commander has told people already. */
function usageError(error: CommanderError): CredenceError {
  const isEmpty = error.code === 'commander.help';
  const message = isEmpty ? 'no command was given' : error.message.replace(/^error: /, '');
  return new CredenceError('usage', 'usage', message, { next: '--help shows how' });
}

/** Runs the command of these words to its end. */
export async function main(argv: readonly string[]): Promise<void> {
  const asksForHelp = argv.includes('--help') || argv.includes('-h');
  if (argv[0] === 'hook' && !asksForHelp) {
    await import('../../hook.ts');
    return;
  }
  let json = false;
  const context = cliContext(processOutput(() => json));
  const program = buildProgram(context, () => {
    json = true;
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
  } catch (thrown) {
    const isUsage = thrown instanceof CommanderError;
    if (isUsage && thrown.exitCode === 0) return;
    const error = isUsage ? usageError(thrown) : explained(thrown);
    // Parsing stops at the first word that does not fit, which may stand before this one.
    const end = argv.indexOf('--');
    json ||= isUsage && argv.slice(0, end < 0 ? undefined : end).includes('--json');
    context.out.value(errorValue(error));
    if (!json && !isUsage) for (const line of errorLines(error)) context.out.note(line);
    process.exitCode = exitCodeOf(error);
  }
}
