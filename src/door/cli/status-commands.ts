import type { Command } from 'commander';
import { exitCodeOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { toMs } from '../../base/time.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { hookState } from '../../home/hook-state.ts';
import { isSetUp } from '../../home/set-up.ts';
import { warnedAgents } from '../../query/calibration.ts';
import { countSessions } from '../../query/session.ts';
import { coverageOf, unusableOf } from '../../query/status.ts';
import { HOOK_EVENTS } from '../../runtime/claude-code/hook.ts';
import { meta } from '../../snapshot/database.ts';
import { positionOf } from '../../snapshot/follow.ts';
import type { Sql } from '../../snapshot/port.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { errorLines, errorValue } from './error-text.ts';
import { troubleLines } from './flow-commands.ts';
import { keyWarnings } from './keys-command.ts';
import { ago, count, size } from './output.ts';
import { recordViews } from './shown-views.ts';
import { extractionLines, extractionOf } from './status-extraction.ts';
import { contestedLines, keyLines, ownKeys, waitLines } from './status-members.ts';

/** Everything that `credence status` tells, each to be asked for by itself. */
function fieldsOf(context: Context) {
  const home = context.home();
  return {
    setUp: () => isSetUp(home),
    fleet: () => home.readPin()?.fleetId ?? null,
    store: () => home.settings.store,
    agents: () => home.settings.agents,
    paused: () => hookState(home).paused,
    hookSettings: () => hookState(home),
    mode: () => home.settings['summarize.mode'],
    hooks: () => context.local.installed('claude-code'),
    queue: () => context.local.queue(),
    outbox: () => context.local.outbox(),
    proposals: () => proposalsOf(context),
    projectFault: () => context.local.projectFault() ?? null,
    dropped: () => {
      const drops = context.local.drops();
      return { count: drops.length, last: drops.at(-1) ?? null };
    },
    keys: () => ({
      sealed: context.keys.list().filter((key) => key.sealed).length,
      warnings: keyWarnings(context, context.keys.list()),
    }),
    lastSync: () => home.lastSync() ?? null,
    waits: () => home.lastSync()?.waits ?? [],
    members: () => ownKeys(context),
    ledger: () => context.tryRead('state', ledgerOf) ?? null,
    extraction: () => extractionOf(context),
    fleetSecret: () => {
      const pin = home.readPin();
      return pin !== undefined && home.keys.fleetSecret(pin.entry) !== undefined;
    },
    live: () =>
      context
        .liveAgents()
        .flatMap((agent) => agent.sessions.map((session) => ({ agent: agent.agent, ...session }))),
    now: () => home.world.now(),
  };
}

function ledgerOf(sql: Sql) {
  return {
    position: positionOf(sql),
    recordedAt: meta(sql, 'recorded_at') ?? '',
    sessions: countSessions(sql),
    coverage: coverageOf(sql),
    unusable: unusableOf(sql),
    contested: warnedAgents(sql),
  };
}

/** What this home's agents proposed and the ledger has not; of those refused, the newest. */
function proposalsOf(context: Context) {
  const { list, refused, unreadable } = context.local.proposals();
  const [last = null] = refused();
  return { queued: list().length, refused: refused().length, last, unreadable: unreadable() };
}

type Fields = ReturnType<typeof fieldsOf>;
type Status = { readonly [K in keyof Fields]: ReturnType<Fields[K]> };

/** Asks for every field. One that can't be read is among the errors, and throws that where it is used after all. */
function collect(fields: Fields): {
  readonly status: Status;
  readonly errors: Readonly<Record<string, unknown>>;
} {
  const status = {};
  const errors: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(fields)) {
    try {
      Object.defineProperty(status, name, { value: read(), enumerable: true });
    } catch (error) {
      errors[name] = error;
      Object.defineProperty(status, name, {
        get: () => {
          throw error;
        },
      });
    }
  }
  return { status: status as Status, errors };
}

function captureLine({ hooks, hookSettings }: Status): string {
  if (hookSettings.paused) return pc.yellow('paused by the settings');
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

function fleetLine({ setUp, fleet, store }: Status): string {
  return setUp ? `${fleet} in ${store}` : pc.yellow('not set up: run `credence init`');
}

function agentsLine({ agents }: Status): string {
  const names = Object.entries(agents).map(([runtime, id]) => `${id} (${runtime})`);
  return names.join(', ') || pc.yellow(`${UNCONFIGURED}: run \`credence init\``);
}

function droppedLine({ dropped: { count: n, last } }: Status): string {
  if (n === 0) return '0';
  return pc.red(`${count(n, 'event')}, the last ${last?.at ?? ''} (${last?.code ?? ''})`);
}

function proposalLines({ proposals: { queued, refused, last, unreadable } }: Status): string[] {
  const names = unreadable.map((name) => sanitise(name, 80)).join(', ');
  const said = last?.draft.kind === 'claim' ? last.draft.statement : (last?.draft.basis ?? '');
  return [
    ...(queued > 0 ? [`${queued} queued`] : []),
    ...(last
      ? [
          pc.yellow(
            `${refused} refused, the last ${last.at}: “${sanitise(said, 80)}”: ${sanitise(last.message, 200)} (${last.code})`,
          ),
        ]
      : []),
    ...(names === '' ? [] : [pc.yellow(`in the queue, and no draft that can be sent: ${names}`)]),
  ];
}

function coverageLine({ ledger }: Status): string {
  const coverage = ledger?.coverage;
  if (!coverage || coverage.known === 0) return 'no session was compared with its transcript yet';
  const percent = ((100 * coverage.captured) / coverage.known).toFixed(1);
  return `${percent} % of ${count(coverage.known, 'event')} in ${count(coverage.sessions, 'session')}`;
}

function ledgerLine({ ledger, now }: Status): string {
  // Prepared, and not followed yet: there is no time of a commit.
  if (!ledger || ledger.position === 0) return 'not followed yet';
  const { position, recordedAt, sessions } = ledger;
  return `at ${position}, recorded ${ago(now - toMs(recordedAt))}; ${count(sessions, 'session')}`;
}

const NO_SECRET =
  'this machine waits for the fleet’s secret: till another seals it to this one, it can’t tell copies of what was erased';

/** The lines in their order: what each is called, and what it tells, which may be nothing or several things. */
const LINES: readonly (readonly [name: string, tell: (status: Status) => readonly string[]])[] = [
  ['fleet', (status) => [fleetLine(status)]],
  ['agents', (status) => [agentsLine(status)]],
  ['members', ({ members }) => keyLines(members)],
  ['capture', (status) => [captureLine(status)]],
  ['queue', (status) => [queueLine(status)]],
  ['handoffs', ({ outbox }) => (outbox > 0 ? [`${outbox} queued`] : [])],
  ['claims', proposalLines],
  ['dropped', (status) => [droppedLine(status)]],
  [
    'hook.json',
    ({ hookSettings: { faults } }) =>
      faults.map(({ says, next }) => `${pc.yellow(says)}\n           ${pc.dim('next:')} ${next}`),
  ],
  ['odd', oddLines],
  ['paused', ({ projectFault }) => (projectFault === null ? [] : [pc.yellow(projectFault)])],
  ['keys', ({ keys }) => keys.warnings.map((line) => pc.yellow(line))],
  ['coverage', (status) => [coverageLine(status)]],
  ['last sync', (status) => [syncLine(status)]],
  ['contested', ({ ledger }) => contestedLines(ledger?.contested ?? [])],
  ['model', ({ extraction }) => extractionLines(extraction)],
  ['inbox', ({ waits, now }) => waitLines(waits, now)],
  ['ledger', (status) => [ledgerLine(status)]],
  ['erasures', ({ setUp, fleetSecret }) => (setUp && !fleetSecret ? [pc.yellow(NO_SECRET)] : [])],
  [
    'unusable',
    ({ ledger }) =>
      (ledger?.unusable ?? []).map(
        (row) => `${row.entries === 1 ? '1 entry' : `${row.entries} entries`}: ${row.code}`,
      ),
  ],
  [
    'live',
    ({ live }) => live.map((one) => `${sanitise(one.agent, 40)} ${sanitise(one.asked ?? '', 80)}`),
  ],
];

/** Each line by itself: one that can't be told says why. What keeps several from being told is said once. */
function statusLines(status: Status, failed: (error: unknown) => void): string[] {
  const said = new Set<string>();
  return LINES.flatMap(([name, tell]) => {
    const field = (value: string) => `${pc.dim(name.padEnd(10))} ${value}`;
    try {
      return tell(status).map(field);
    } catch (error) {
      failed(error);
      const text = errorLines(error, pc).join(`\n${' '.repeat(11)}`);
      if (said.has(text)) return [];
      said.add(text);
      return [field(text)];
    }
  });
}

/** `credence status`. */
export function statusCommand(program: Command, context: Context): void {
  program
    .command('status')
    .description('the truth about capture on this machine')
    .addHelpText('after', '\nExample:\n  credence status --json')
    .action(() => {
      const { status, errors } = collect(fieldsOf(context));
      if (!('live' in errors)) recordViews(context, 'status', status.live);
      const faults = Object.entries(errors).map(([name, error]) => [name, errorValue(error).error]);
      const unread = faults.length === 0 ? {} : { errors: Object.fromEntries(faults) };
      context.out.value({ ...status, ...unread });
      const thrown = Object.values(errors);
      const lines = statusLines(status, (error) => void thrown.push(error));
      for (const line of lines) context.out.text(line);
      if (thrown.length > 0) process.exitCode = exitCodeOf(explained(thrown[0]));
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
