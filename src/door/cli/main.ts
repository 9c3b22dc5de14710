#!/usr/bin/env node
import { Command, CommanderError } from 'commander';
import { exitCodeOf } from '../../base/errors.ts';
import { cliContext } from '../../cli-context.ts';
import { importCommand, maintCommand, syncCommand } from './flow-commands.ts';
import { configCommand, handoffCommand, installCommands } from './local-commands.ts';
import { errorLines, errorValue, processOutput } from './output.ts';
import { briefCommand, handoffsCommand, searchCommand, sessionsCommand } from './read-commands.ts';
import { reposCommand } from './repo-commands.ts';
import { initCommand } from './set-up-commands.ts';
import { doctorCommand, statusCommand } from './status-commands.ts';
import { upCommand } from './up-command.ts';

const COMMANDS = [
  upCommand,
  initCommand,
  installCommands,
  importCommand,
  syncCommand,
  maintCommand,
  briefCommand,
  sessionsCommand,
  handoffsCommand,
  handoffCommand,
  searchCommand,
  reposCommand,
  statusCommand,
  doctorCommand,
  configCommand,
];

/** The value of a global option, wherever it stands. */
function globalOption(argv: readonly string[], name: string): string | undefined {
  const at = argv.findIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at < 0) return undefined;
  return argv[at]?.includes('=') ? argv[at]?.slice(name.length + 1) : argv[at + 1];
}

function buildProgram(argv: readonly string[]): Command {
  const out = processOutput(argv.includes('--json'));
  const flags = { store: globalOption(argv, '--store'), fleet_id: globalOption(argv, '--fleet') };
  const context = cliContext(
    out,
    Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined)),
  );
  const program = new Command('credence')
    .description('Keeps what a fleet of AI coding agents did.')
    .version('0.1.0')
    .showHelpAfterError('(--help shows how)')
    .exitOverride()
    .addHelpText('after', '\nExample:\n  credence up --once');
  program
    .command('hook <event> <runtime>')
    .description('what a runtime’s hook calls; reads a payload from standard input');
  for (const add of COMMANDS) add(program, context);
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap((one) => one.commands),
  ]) {
    command
      .exitOverride()
      .option('--json', 'print one JSON value')
      .option('--store <url>', 'the store, for this call');
  }
  return program;
}

async function main(argv: readonly string[]): Promise<void> {
  if (argv[0] === 'hook') {
    await import('../../hook.ts');
    return;
  }
  try {
    await buildProgram(argv).parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    if (argv.includes('--json'))
      process.stdout.write(`${JSON.stringify(errorValue(error), undefined, 2)}\n`);
    else for (const line of errorLines(error)) process.stderr.write(`${line}\n`);
    process.exitCode = exitCodeOf(error);
  }
}

await main(process.argv.slice(2));
