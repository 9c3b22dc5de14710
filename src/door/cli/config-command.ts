import { setTimeout } from 'node:timers/promises';
import type { Command } from 'commander';
import { CredenceError, messageOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { assertAgentId, writeHookSettings } from '../../home/set-up.ts';
import { formatDuration, type Setting } from '../../home/setting-types.ts';
import {
  type Mode,
  modeParts,
  SETTINGS,
  type SettingName,
  shownValue,
} from '../../home/settings.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { assertPerson } from './said.ts';
import { assertRuntime } from './set-up-commands.ts';
import { table, terminalWidth } from './table.ts';

type Value = string | number | boolean | readonly string[];

interface Row {
  readonly name: string;
  readonly value: Value;
  readonly source: string;
  readonly env: string;
}

const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name);

/** A setting as it would be written. */
function written(name: SettingName, value: Value): Value {
  return name === 'capture.idle_seal' ? formatDuration(Number(value)) : value;
}

function envOf(name: SettingName): string {
  const { env = '' }: Setting = SETTINGS[name];
  return env;
}

function settingRows(context: Context): Row[] {
  const { settings, sources } = context.home();
  const own = Object.keys(SETTINGS).filter(isSetting);
  return [
    ...own.map((name) => ({
      name,
      value: written(name, settings[name]),
      source: sources[name] ?? 'default',
      env: envOf(name),
    })),
    ...Object.entries(settings.agents).map(([runtime, id]) => ({
      name: `agents.${runtime}`,
      value: id,
      source: 'file',
      env: '',
    })),
  ];
}

function listAction(context: Context): void {
  const rows = settingRows(context);
  const { folders, configPath } = context.home();
  context.out.value({ settings: rows, file: configPath, folders });
  const shown = (value: Value) => (typeof value === 'string' ? value : JSON.stringify(value));
  context.out.text(
    table(
      ['setting', 'value', 'from', 'variable'],
      rows.map((row) => [row.name, shown(row.value), row.source, pc.dim(row.env)]),
      { width: terminalWidth(), drop: ['variable'], cut: [['value', 12]] },
    ),
  );
  context.out.text(pc.dim(`file ${configPath}; everything else is in ${folders.home}`));
}

/** The value as the file keeps it. Throws `settings.*`, `runtime.unknown`, `agent.id`. */
function toStored(name: string, value: string): Value {
  if (name.startsWith('agents.')) {
    assertRuntime(name.slice('agents.'.length));
    assertAgentId(value);
    return value;
  }
  if (!isSetting(name)) {
    throw new CredenceError('configuration', 'settings.unknown', `there is no setting ${name}`, {
      next: '`credence config` prints them',
    });
  }
  const parsed = SETTINGS[name].type.safeParse(value);
  if (parsed.success) return written(name, parsed.data);
  const form = parsed.error.issues[0]?.message ?? 'something else';
  throw new CredenceError(
    'configuration',
    'settings.invalid',
    `${name} can't be ${shownValue(name, value)}: it has to be ${form}`,
    { next: SETTINGS[name].help },
  );
}

/** A home stays with the fleet that it joined, and where that is: only `init` turns to another. */
function assertSameFleet(context: Context, name: string, value: Value): void {
  const pin = context.readPin();
  const pinned = { store: pin?.store, fleet_id: pin?.fleetId };
  if (!pin || (name !== 'store' && name !== 'fleet_id') || pinned[name] === value) return;
  throw new CredenceError(
    'configuration',
    'fleet.pin',
    `this home follows fleet ${pin.fleetId} in ${pin.store}`,
    { next: '`credence init --store <url> --fleet <id>` turns to another, where that can be done' },
  );
}

/** Builds again what depends on a setting. */
async function follow(context: Context, name: string, value: Value): Promise<void> {
  const home = context.home();
  const pin = home.readPin();
  if (!pin) return;
  const runtime = /^agents\.(.+)$/.exec(name)?.[1];
  // An agent has to be admitted, or what it leaves waits for ever.
  if (runtime !== undefined)
    await context.setUp({ runtimes: [runtime], agentIds: { [runtime]: String(value) } });
  writeHookSettings(home, pin.fleetId, home.settings.agents);
  // It is for the runs that have the variable, and this one need not.
  if (name === 'keys.passphrase_env') return;
  // What agents may read follows the mode before the command returns, not at the next sync.
  if (pin.store === home.settings.store) await syncNow(context);
}

/** How long another process of this machine may take, and how often it is looked for. */
const WAIT_MS = 60_000;
const TRY_MS = 200;

/** A sync by this very process: one that runs already may have read the settings before. Throws `machine.busy`. */
async function syncNow(context: Context): Promise<void> {
  const until = Date.now() + WAIT_MS;
  while ((await context.syncOnce()) === undefined) {
    if (Date.now() > until) throw busyError();
    await setTimeout(TRY_MS);
  }
}

/** What was written stands, whatever goes wrong after it: the error says so. */
function setBut(name: string, thrown: unknown): unknown {
  const error = explained(thrown);
  if (!(error instanceof CredenceError)) return error;
  const { category, code, next, data } = error;
  const more = { data, cause: error, ...(next === undefined ? {} : { next }) };
  return new CredenceError(category, code, `${name} is set, but ${messageOf(error)}`, more);
}

async function setAction(context: Context, name: string, text: string): Promise<void> {
  const value = toStored(name, text);
  assertSameFleet(context, name, value);
  if (name === 'summarize.mode' && modeParts(value as Mode).reads)
    assertPerson(context, 'people let agents read claims');
  context.save({ [name]: value });
  context.reload();
  try {
    await follow(context, name, value);
  } catch (error) {
    throw setBut(name, error);
  }
  const mode = modeParts(context.home().settings['summarize.mode']);
  context.out.value({ name, value, mode });
  context.out.text(`${name} = ${JSON.stringify(value)}`);
}

/** `credence config [set <name> <value>]`. */
export function configCommand(program: Command, context: Context): void {
  const config = program
    .command('config')
    .description('the settings, resolved, and where each comes from')
    .addHelpText('after', '\nExample:\n  credence config set capture.exclude "/home/me/private/**"')
    .action(() => listAction(context));
  config
    .command('set')
    .description('set one in the user’s file, and build again what depends on it')
    .argument('<name>', `one of ${Object.keys(SETTINGS).join(', ')}, agents.<runtime>`)
    .argument('<value>')
    .addHelpText('after', '\nExample:\n  credence config set capture.idle_seal 45m')
    .action((name: string, value: string) => setAction(context, name, value));
}
