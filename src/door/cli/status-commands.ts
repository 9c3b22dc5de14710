import type { Command } from 'commander';
import { toMs } from '../../base/time.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { hookState } from '../../hook-state.ts';
import { countSessions } from '../../query/session.ts';
import { coverageOf, unusableOf } from '../../query/status.ts';
import { HOOK_EVENTS } from '../../runtime/claude-code/hook.ts';
import { isSetUp } from '../../set-up.ts';
import { meta } from '../../snapshot/database.ts';
import { positionOf } from '../../snapshot/follow.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { troubleLines } from './flow-commands.ts';
import { ago, count, size } from './output.ts';

/** Everything that `credence status` tells; `--json` prints it as it is. */
function collect(context: Context) {
  const home = context.home();
  const now = home.world.now();
  const setUpDone = isSetUp(home);
  const ledger = context.tryRead('state', (sql) => ({
    position: positionOf(sql),
    recordedAt: meta(sql, 'recorded_at') ?? '',
    sessions: countSessions(sql),
    coverage: coverageOf(sql),
    unusable: unusableOf(sql),
  }));
  const drops = context.local.drops();
  const hooks = context.local.installed('claude-code');
  const hookSettings = hookState(home);
  return {
    setUp: setUpDone,
    fleet: home.readPin()?.fleetId ?? null,
    store: home.settings.store,
    agents: home.settings.agents,
    paused: hookSettings.paused,
    hookSettings,
    mode: home.settings['summarize.mode'],
    hooks,
    queue: context.local.queue(),
    outbox: context.local.outbox(),
    projectFault: context.local.projectFault() ?? null,
    dropped: { count: drops.length, last: drops.at(-1) ?? null },
    lastSync: home.lastSync() ?? null,
    ledger: ledger ?? null,
    live: context
      .liveAgents()
      .flatMap((agent) => agent.sessions.map((session) => ({ agent: agent.agent, ...session }))),
    now,
  };
}
type Status = ReturnType<typeof collect>;

function captureLine({ paused, hooks, hookSettings }: Status): string {
  if (paused) return pc.yellow('paused by the settings');
  const missing = HOOK_EVENTS.length - hooks.events.length;
  const next = 'run `credence install claude-code`';
  if (missing > 0)
    return pc.yellow(
      `off: ${missing} of ${HOOK_EVENTS.length} hooks are not in ${hooks.path}; ${next}`,
    );
  if (hooks.fault !== null)
    return pc.yellow(`off: hooks are in ${hooks.path}, but ${hooks.fault}; ${next}`);
  if (!hookSettings.keeps) return pc.yellow(`off: hooks are in ${hooks.path}, but keep nothing`);
  return `${pc.green('on')}: hooks in ${hooks.path}`;
}

function queueLine({ queue, now }: Status): string {
  const { unsealed } = queue;
  const sealing = unsealed > 0 ? `; ${count(unsealed, 'session')} not sealed yet` : '';
  if (queue.sessions === 0) return `${pc.green('nothing waits')} to be sent${sealing}`;
  const oldest =
    queue.oldestAt === undefined ? '' : `, the oldest written ${ago(now - queue.oldestAt)}`;
  return `${count(queue.sessions, 'session')}, ${size(queue.bytes)} queued${oldest}${sealing}`;
}

/** Of what the last pass left out this much is shown. */
const TROUBLES_MAX = 5;

function syncLine({ lastSync, now }: Status): string {
  if (!lastSync) return pc.yellow('never');
  const when = ago(now - toMs(lastSync.at));
  const { troubles = [], passed_over = 0 } = lastSync;
  if (lastSync.ok && passed_over === 0) return `${pc.green('ok')}, ${when}`;
  if (lastSync.ok) {
    const lines = troubleLines(troubles.slice(0, TROUBLES_MAX));
    const more = passed_over - lines.length;
    const all = [...lines, ...(more > 0 ? [`and ${more} more; --json tells of more of them`] : [])];
    const head = pc.yellow(`done ${when}, but not with all that there was:`);
    return [head, ...all].join(`\n${' '.repeat(11)}`);
  }
  return `${pc.red('failed')} ${when}: ${lastSync.message ?? ''} ${pc.dim(`(${lastSync.code ?? ''})`)}${lastSync.next === undefined ? '' : `\n           ${pc.dim('next:')} ${lastSync.next}`}`;
}

/** What was sent, or waits, and is not as it should be. */
function oddLines({ queue, now }: Status): string[] {
  const { torn, unrecognised, oddAt, unreadable } = queue;
  const when = oddAt === undefined ? '' : `, the last found ${ago(now - toMs(oddAt))}`;
  const names = unreadable.map((name) => sanitise(name, 80)).join(', ');
  return [
    ...(torn + unrecognised > 0
      ? [`${count(torn, 'torn line')}, ${count(unrecognised, 'payload')} that did not fit${when}`]
      : []),
    ...(names === '' ? [] : [pc.yellow(`in the outbox, and no note that can be sent: ${names}`)]),
  ];
}

function statusLines(status: Status): string[] {
  const { ledger, dropped } = status;
  const field = (name: string, value: string) => `${pc.dim(name.padEnd(10))} ${value}`;
  const agents = Object.entries(status.agents)
    .map(([runtime, id]) => `${id} (${runtime})`)
    .join(', ');
  const coverage = ledger?.coverage;
  const share =
    coverage && coverage.known > 0
      ? `${((100 * coverage.captured) / coverage.known).toFixed(1)} % of ${count(coverage.known, 'event')} in ${count(coverage.sessions, 'session')}`
      : 'no session was compared with its transcript yet';
  return [
    field(
      'fleet',
      status.setUp
        ? `${status.fleet} in ${status.store}`
        : pc.yellow('not set up: run `credence init`'),
    ),
    field('agents', agents === '' ? pc.yellow('unconfigured: run `credence init`') : agents),
    field('capture', captureLine(status)),
    field('queue', queueLine(status)),
    ...(status.outbox > 0 ? [field('handoffs', `${status.outbox} queued`)] : []),
    field(
      'dropped',
      dropped.count === 0
        ? '0'
        : pc.red(
            `${count(dropped.count, 'event')}, the last ${dropped.last?.at ?? ''} (${dropped.last?.code ?? ''})`,
          ),
    ),
    ...status.hookSettings.faults.map(({ says, next }) =>
      field('hook.json', `${pc.yellow(says)}\n           ${pc.dim('next:')} ${next}`),
    ),
    ...oddLines(status).map((line) => field('odd', line)),
    ...(status.projectFault === null ? [] : [field('paused', pc.yellow(status.projectFault))]),
    field('coverage', share),
    field('last sync', syncLine(status)),
    field(
      'ledger',
      // Prepared, and not followed yet: there is no time of a commit.
      ledger && ledger.position > 0
        ? `at ${ledger.position}, recorded ${ago(status.now - toMs(ledger.recordedAt))}; ${count(ledger.sessions, 'session')}`
        : 'not followed yet',
    ),
    ...(ledger?.unusable ?? []).map((row) =>
      field('unusable', `${row.entries === 1 ? '1 entry' : `${row.entries} entries`}: ${row.code}`),
    ),
    ...status.live.map((one) =>
      field('live', `${sanitise(one.agent, 40)} ${sanitise(one.asked ?? '', 80)}`),
    ),
  ];
}

/** `credence status`. */
export function statusCommand(program: Command, context: Context): void {
  program
    .command('status')
    .description('the truth about capture on this machine')
    .addHelpText('after', '\nExample:\n  credence status --json')
    .action(() => {
      const status = collect(context);
      context.out.value(status);
      for (const line of statusLines(status)) context.out.text(line);
    });
}

/** `credence doctor`. */
export function doctorCommand(program: Command, context: Context): void {
  program
    .command('doctor')
    .description('try every part of the installation, the store’s primitives among them')
    .addHelpText('after', '\nExample:\n  credence doctor')
    .action(async () => {
      const checks = await context.doctor();
      context.out.value({ ok: checks.every((check) => check.ok), checks });
      for (const { name, ok, says, next } of checks) {
        context.out.text(`${ok ? pc.green('ok ') : pc.red('bad')} ${name.padEnd(12)} ${says}`);
        if (!ok && next !== undefined) context.out.text(`    ${pc.dim('next:')} ${next}`);
      }
      if (checks.some((check) => !check.ok)) process.exitCode = 1;
    });
}
