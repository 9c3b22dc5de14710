import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { draftHandoff, HandoffDraft } from '../../handoff/handoff.ts';
import { writeHookSettings } from '../../set-up.ts';
import { modeParts, SETTINGS, type SettingName } from '../../settings.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { table } from './output.ts';
import { assertRuntime, ensureSetUp, RUNTIMES } from './set-up-commands.ts';

function runtimesFor(named: string | undefined, all: boolean): readonly string[] {
  if (named === undefined && !all) {
    throw new CredenceError('usage', 'usage.runtime', 'which runtime?', {
      next: `name one (${RUNTIMES.join(', ')}), or --all`,
    });
  }
  if (named !== undefined) assertRuntime(named);
  return named === undefined ? RUNTIMES : [named];
}

/** `credence install` and `credence uninstall`. */
export function installCommands(program: Command, context: Context): void {
  const run = async (
    edit: 'install' | 'uninstall',
    named: string | undefined,
    options: { all?: boolean; dryRun?: boolean },
  ) => {
    const runtimes = runtimesFor(named, options.all === true);
    const dryRun = options.dryRun === true;
    if (edit === 'install' && !dryRun) await ensureSetUp(context, runtimes);
    const edits = runtimes.map((runtime) => ({
      runtime,
      ...context.local.editSettings(runtime, edit, dryRun),
    }));
    context.out.value({ dryRun, edits });
    for (const { runtime, path, changed, diff, backup } of edits) {
      if (!changed) context.out.text(`${runtime}: nothing to change in ${path}`);
      else if (dryRun) context.out.text(`${runtime}: would change ${path}\n${diff}`);
      else {
        context.out.text(
          `${runtime}: ${pc.green(edit === 'install' ? 'hooks are in' : 'hooks are out of')} ${path}`,
        );
        if (backup !== undefined) context.out.text(pc.dim(`  what was there is in ${backup}`));
      }
    }
    if (edit === 'install' && !dryRun)
      context.out.text('sessions that start from now on are captured; `credence status` shows it');
  };
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
      .action((runtime: string | undefined, options: { all?: boolean; dryRun?: boolean }) =>
        run(edit, runtime, options),
      );
  }
}

/** `credence handoff`. */
export function handoffCommand(program: Command, context: Context): void {
  program
    .command('handoff')
    .description('leave a note for whoever works here next')
    .requiredOption('--summary <text>', 'what was done, and what failed')
    .option('--status <status>', 'done | partial | blocked', 'partial')
    .option('--next <text>', 'what is left to do')
    .option('--session <id>', 'the session that the note is of; found by itself inside one')
    .option('--runtime <name>', 'the runtime of that session', 'claude-code')
    .addHelpText(
      'after',
      '\nExample:\n  credence handoff --status blocked --summary "deploy fails at login" --next "ask for a new token"',
    )
    .action(
      (options: {
        summary: string;
        status: string;
        next?: string;
        session?: string;
        runtime: string;
      }) => {
        const calling =
          options.session === undefined
            ? context.local.callingSession()
            : { runtime: options.runtime, session: options.session };
        if (!calling) {
          throw new CredenceError(
            'usage',
            'handoff.no_session',
            'it is not known which session this is',
            {
              next: 'name it: --session <id>; the briefing at its start says it',
            },
          );
        }
        const home = context.home();
        const agent = home.settings.agents[calling.runtime];
        if (agent === undefined) {
          throw new CredenceError(
            'configuration',
            'agent.unconfigured',
            `${calling.runtime} has no agent id here`,
            { next: 'run `credence init`' },
          );
        }
        const status = HandoffDraft.shape.status.safeParse(options.status);
        if (!status.success) {
          throw new CredenceError('usage', 'handoff.status', `${options.status} is not a status`, {
            next: 'one of done, partial, blocked',
          });
        }
        const repo = context.local.repoOf(process.cwd());
        const draft = draftHandoff(
          {
            session: calling.session,
            agent,
            runtime: calling.runtime,
            status: status.data,
            summary: options.summary,
            written_at: toInstant(home.world.now()),
            ...(repo === undefined ? {} : { repo }),
            ...(options.next === undefined ? {} : { next: options.next }),
          },
          { secret: () => home.keys.hostSecret(), deniedPaths: [] },
        );
        const name = context.local.queueHandoff(draft);
        context.out.value({ queued: name, ...draft });
        context.out.text(`queued as ${name}; the next sync signs it and sends it`);
      },
    );
}

function settingRows(
  context: Context,
): { name: string; value: string; source: string; env: string }[] {
  const { settings, sources } = context.home();
  const own = (Object.keys(SETTINGS) as SettingName[]).map((name) => ({
    name,
    value: JSON.stringify(settings[name]),
    source: sources[name] ?? 'default',
    env: SETTINGS[name].env,
  }));
  const agents = Object.entries(settings.agents).map(([runtime, id]) => ({
    name: `agents.${runtime}`,
    value: JSON.stringify(id),
    source: 'file',
    env: '',
  }));
  return [...own, ...agents];
}

function toStored(name: string, value: string): string | boolean | readonly string[] {
  if (name.startsWith('agents.')) return value;
  if (!Object.hasOwn(SETTINGS, name)) {
    throw new CredenceError('configuration', 'settings.unknown', `there is no setting ${name}`, {
      next: '`credence config` prints them',
    });
  }
  const parsed = SETTINGS[name as SettingName].type.safeParse(value);
  if (!parsed.success) {
    throw new CredenceError(
      'configuration',
      'settings.invalid',
      `${name}: ${parsed.error.issues[0]?.message ?? 'not valid'}`,
      { next: SETTINGS[name as SettingName].help },
    );
  }
  return typeof parsed.data === 'number' ? value : parsed.data;
}

/** `credence config [set <name> <value>]`. */
export function configCommand(program: Command, context: Context): void {
  const config = program
    .command('config')
    .description('the settings, resolved, and where each comes from')
    .addHelpText('after', '\nExample:\n  credence config set capture.exclude "/home/me/private/**"')
    .action(() => {
      const rows = settingRows(context);
      const { folders, configPath } = context.home();
      context.out.value({ settings: rows, file: configPath, folders });
      context.out.text(
        table(
          ['setting', 'value', 'from', 'variable'],
          rows.map((row) => [row.name, row.value, row.source, pc.dim(row.env)]),
        ),
      );
      context.out.text(pc.dim(`file ${configPath}; everything else is in ${folders.home}`));
    });
  config
    .command('set')
    .description('set one in the user’s file, and build again what depends on it')
    .argument('<name>')
    .argument('<value>')
    .action(async (name: string, value: string) => {
      const stored = toStored(name, value);
      context.home().save({ [name]: stored });
      context.reload();
      const home = context.home();
      const pin = home.readPin();
      if (pin) {
        writeHookSettings(home, pin.fleetId, home.settings.agents);
        // What agents may read follows the mode before the command returns, not at the next sync.
        if (pin.store === home.settings.store) await context.syncOnce();
      }
      context.out.value({ name, value: stored, mode: modeParts(home.settings['summarize.mode']) });
      context.out.text(`${name} = ${JSON.stringify(stored)}`);
    });
}
