import { type Command, InvalidArgumentError } from 'commander';
import { CredenceError, messageOf } from '../../base/errors.ts';
import { defined } from '../../base/unknown.ts';
import { hasNamesake } from '../../query/principal.ts';
import { assertAgentId, isSetUp, type SetUp } from '../../set-up.ts';
import type { Flags } from '../../settings.ts';
import { settle } from '../../snapshot/settle.ts';
import { errorPc, pc } from './colour.ts';
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

/** The options by which a command that sets up says where. */
export interface PlaceOptions {
  readonly store?: string;
  readonly fleet?: string;
}

/** Adds `--store` and `--fleet` to a command that can set up. */
export function placeOptions(command: Command): Command {
  return command
    .option('--store <url>', 'the store to found or join a fleet on, such as file:///srv/credence')
    .option('--fleet <id>', 'the fleet’s id');
}

/** What those options set over the settings file. */
export function placeFlags({ store, fleet }: PlaceOptions): Flags {
  return defined({ store, fleet_id: fleet });
}

function setUpLines(done: SetUp, { green, bold }: typeof pc): string[] {
  const lines: string[] = [];
  if (done.founded)
    lines.push(
      `${green('founded')} fleet ${bold(done.fleetId)}; this home's person is its first admin`,
    );
  if (done.joined) lines.push(`${green('joined')} fleet ${bold(done.fleetId)}`);
  for (const [runtime, id] of Object.entries(done.minted))
    lines.push(`agent ${bold(id)} for ${runtime}`);
  return lines;
}

/** Sets up where it was not done, or where a place is named, as `init` does; and says so. */
export async function ensureSetUp(
  context: Context,
  runtimes: readonly string[],
  { store, fleet }: PlaceOptions = {},
): Promise<void> {
  const home = context.home();
  const isNamed = (store ?? fleet) !== undefined;
  const isDone =
    isSetUp(home) && runtimes.every((runtime) => home.settings.agents[runtime] !== undefined);
  if (isDone && !isNamed) return;
  const done = await context.setUp({ runtimes, ...(isNamed ? { leave: context.leaveFleet } : {}) });
  for (const line of setUpLines(done, errorPc)) context.out.note(line);
  context.reload();
}

function agentIdOf(text: string): string {
  try {
    assertAgentId(text);
  } catch (error) {
    throw new InvalidArgumentError(
      `${messageOf(error)}: ${error instanceof CredenceError ? error.next : ''}`,
    );
  }
  return text;
}

/** Agent ids that another home of the fleet goes by too: what either does is shown as of one agent. */
async function sharedIds(context: Context, ids: readonly string[]): Promise<readonly string[]> {
  const done = await context.withParts(async (parts) => {
    const { identity, state } = parts;
    await settle({ ...parts, ...identity });
    return ids.filter((id) => hasNamesake(state, id, identity.signerOfAgent(id).address));
  });
  return done?.value ?? [];
}

interface InitOptions extends PlaceOptions {
  readonly agentId?: string;
  readonly runtime: string;
}

async function initAction(context: Context, options: InitOptions): Promise<void> {
  const { runtime, agentId } = options;
  assertRuntime(runtime);
  // Over the file, so that what is wrong there can be put right by it.
  context.reload(defined({ ...placeFlags(options), [`agents.${runtime}`]: agentId }));
  const agentIds = agentId === undefined ? {} : { [runtime]: agentId };
  const done = await context.setUp({
    runtimes: [runtime],
    agentIds,
    leave: context.leaveFleet,
  });
  const shared = agentId === undefined ? [] : await sharedIds(context, [agentId]);
  const { settings, configPath } = context.home();
  context.out.value({ ...done, shared, store: settings.store, config: configPath });
  const lines = setUpLines(done, pc);
  context.out.text(
    lines.length > 0 ? lines.join('\n') : `fleet ${pc.bold(done.fleetId)} is set up already`,
  );
  for (const id of shared)
    context.out.note(
      `${errorPc.yellow('warning')} the fleet has another agent ${id}, of another home: what the two do is told as one agent's; give this one another id with --agent-id`,
    );
  context.out.text(`store ${settings.store}`);
  context.out.text(
    pc.dim('Every member of a fleet can read its store: a fleet is the boundary of secrecy.'),
  );
  context.out.text(
    `next: ${pc.bold('credence install claude-code')} captures sessions, ${pc.bold('credence import')} brings in the history`,
  );
}

/** `credence init`. */
export function initCommand(program: Command, context: Context): void {
  placeOptions(program.command('init'))
    .description('found a fleet on the store, or join the one that it holds')
    .option('--agent-id <id>', 'the agent id of the runtime', agentIdOf)
    .option('--runtime <name>', 'the runtime that the agent id is for', 'claude-code')
    .addHelpText(
      'after',
      '\nExample:\n  credence init --store file:///srv/credence --fleet myteam --agent-id cc-01',
    )
    .action((options: InitOptions) => initAction(context, options));
}
