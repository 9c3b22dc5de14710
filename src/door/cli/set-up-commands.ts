import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { isSetUp, type SetUp, setUp } from '../../set-up.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';

/** The runtimes that have hooks and history here. */
export const RUNTIMES = ['claude-code'] as const;

/** Throws `runtime.unknown`. */
export function assertRuntime(name: string): void {
  if (RUNTIMES.some((known) => known === name)) return;
  throw new CredenceError('usage', 'runtime.unknown', `there is no runtime ${name}`, {
    next: `known: ${RUNTIMES.join(', ')}`,
  });
}

function setUpLines(done: SetUp): string[] {
  const lines: string[] = [];
  if (done.founded)
    lines.push(
      `${pc.green('founded')} fleet ${pc.bold(done.fleetId)}; this home's person is its first admin`,
    );
  if (done.joined) lines.push(`${pc.green('joined')} fleet ${pc.bold(done.fleetId)}`);
  for (const [runtime, id] of Object.entries(done.minted))
    lines.push(`agent ${pc.bold(id)} for ${runtime}`);
  return lines;
}

/** Sets up where it was not done, and says so. */
export async function ensureSetUp(context: Context, runtimes: readonly string[]): Promise<void> {
  const home = context.home();
  if (isSetUp(home) && runtimes.every((runtime) => home.settings.agents[runtime] !== undefined))
    return;
  const done = await setUp(home, { runtimes });
  for (const line of setUpLines(done)) context.out.note(line);
  context.reload();
}

/** `credence init`. */
export function initCommand(program: Command, context: Context): void {
  program
    .command('init')
    .description('found a fleet on the store, or join the one that it holds')
    .option('--fleet <id>', 'the fleet’s id')
    .option('--agent-id <id>', 'the agent id of the runtime')
    .option('--runtime <name>', 'the runtime that the agent id is for', 'claude-code')
    .addHelpText(
      'after',
      '\nExample:\n  credence init --store file:///srv/credence --fleet myteam --agent-id cc-01',
    )
    .action(async (options: { agentId?: string; runtime: string }) => {
      assertRuntime(options.runtime);
      const home = context.home();
      const agentIds = options.agentId === undefined ? {} : { [options.runtime]: options.agentId };
      const done = await setUp(home, { runtimes: [options.runtime], agentIds });
      context.out.value({ ...done, store: home.settings.store, config: home.configPath });
      const lines = setUpLines(done);
      context.out.text(
        lines.length > 0 ? lines.join('\n') : `fleet ${pc.bold(done.fleetId)} is set up already`,
      );
      context.out.text(`store ${home.settings.store}`);
      context.out.text(
        pc.dim('Every member of a fleet can read its store: a fleet is the boundary of secrecy.'),
      );
      context.out.text(
        `next: ${pc.bold('credence install claude-code')} captures sessions, ${pc.bold('credence import')} brings in the history`,
      );
    });
}
