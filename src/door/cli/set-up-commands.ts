import { type Command, InvalidArgumentError } from 'commander';
import { CredenceError, messageOf } from '../../base/errors.ts';
import { defined } from '../../base/unknown.ts';
import { assertAgentId, isSetUp, type SetUp } from '../../home/set-up.ts';
import type { Flags } from '../../home/settings.ts';
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
  if (done.joined)
    lines.push(
      done.request === undefined
        ? `${green('joined')} fleet ${bold(done.fleetId)}`
        : `${green('asks to join')} fleet ${bold(done.fleetId)}`,
    );
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
  for (const line of [...setUpLines(done, errorPc), ...requestLines(done.request)])
    context.out.note(line);
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

/** Throws `fleet.none` where this home is in no fleet. */
export function assertMember(context: Context): void {
  if (isSetUp(context.home())) return;
  throw new CredenceError('configuration', 'fleet.none', 'this home has not joined a fleet', {
    next: 'run `credence init`, or `credence join` where there is one',
  });
}

interface InitOptions extends PlaceOptions {
  readonly agentId?: string;
  readonly runtime: string;
  readonly closed?: boolean;
}

/** What is to be done with a request, where there is one. */
function requestLines(request: string | undefined): string[] {
  if (request === undefined) return [];
  return [
    'an admin of the fleet has to admit this home: give them this line, for `credence fleet admit`',
    '',
    request,
    '',
    pc.dim('What is captured until then waits; nothing of it is lost.'),
  ];
}

async function initAction(
  context: Context,
  options: InitOptions,
  how: { readonly asks: boolean },
): Promise<void> {
  const { runtime, agentId } = options;
  assertRuntime(runtime);
  // Over the file, so that what is wrong there can be put right by it.
  context.reload(defined({ ...placeFlags(options), [`agents.${runtime}`]: agentId }));
  const agentIds = agentId === undefined ? {} : { [runtime]: agentId };
  const done = await context.setUp({
    runtimes: [runtime],
    agentIds,
    leave: context.leaveFleet,
    closed: options.closed === true,
    ...how,
  });
  const { settings, configPath } = context.home();
  context.out.value({ ...done, store: settings.store, config: configPath });
  const lines = setUpLines(done, pc);
  context.out.text(
    lines.length > 0 ? lines.join('\n') : `fleet ${pc.bold(done.fleetId)} is set up already`,
  );
  context.out.text(`store ${settings.store}`);
  context.out.text(
    pc.dim('Every member of a fleet can read its store: a fleet is the boundary of secrecy.'),
  );
  for (const line of requestLines(done.request)) context.out.text(line);
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
    .option('--closed', 'found a fleet that admits nobody unless an admin does')
    .addHelpText(
      'after',
      '\nExample:\n  credence init --store file:///srv/credence --fleet myteam --agent-id cc-01',
    )
    .action((options: InitOptions) => initAction(context, options, { asks: false }));
}

/** `credence join`. */
export function joinCommand(program: Command, context: Context): void {
  placeOptions(program.command('join'))
    .description('join the fleet that a store holds, and print the request that an admin can admit')
    .option(
      '--agent-id <id>',
      'the agent id of the runtime, also one that somebody else has',
      agentIdOf,
    )
    .option('--runtime <name>', 'the runtime that the agent id is for', 'claude-code')
    .addHelpText('after', '\nExample:\n  credence join --store file:///srv/credence')
    .action((options: InitOptions) => initAction(context, options, { asks: true }));
}
