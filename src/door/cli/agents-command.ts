import type { Command } from 'commander';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { type Calibration, calibrations, weeklyRates } from '../../query/calibration.ts';
import { listMembers, type Member, type MemberKey } from '../../query/members.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { quarantineAction, unknownAgent } from './quarantine-command.ts';
import { type Fit, table, terminalWidth } from './table.ts';

/** What tells a key from others, behind the prefix that all have. */
export function shownKey(address: string): string {
  return safeId(address.replace(/^amp:key:/, ''), 8);
}

const ADDRESS = /^amp:key:/;

/** A name as it is shown: a person goes by a key. */
export function shownName(name: string): string {
  return ADDRESS.test(name) ? shownKey(name) : sanitise(name, 60);
}

function keyText({ address, since, revoked }: MemberKey): string {
  const shown = `${shownKey(address)} since ${safeId(since, 10)}`;
  return revoked === null ? shown : `${shown}, ${pc.red(`revoked at ${revoked}`)}`;
}

function rowsOf(member: Member, record: readonly string[]): string[][] {
  const { name, kind, operators, roles, keys, sessions, handoffs, claims } = member;
  const [first, ...more] = keys.map(keyText);
  const numbers = [sessions, handoffs, claims].map((n) => (n === 0 ? pc.dim('0') : String(n)));
  const operator = kind === 'person' ? '' : operators.map(shownKey).join(', ');
  const who = [shownName(name), kind, operator, roles.map((role) => safeId(role)).join(' ')];
  return [
    [...who, ...numbers, ...record, first ?? ''],
    ...more.map((text) => [...[...who, ...numbers, ...record].map(() => ''), text]),
  ];
}

/** `0.12`, with what it is not: a rate of nothing. */
const rateText = (rate: number | undefined) => (rate === undefined ? pc.dim('-') : rate.toFixed(2));

/** How an agent's word was borne out, in the columns of the table. */
function recordOf(known: Calibration | undefined): string[] {
  if (!known) return [pc.dim('-'), pc.dim('-')];
  const rate = rateText(known.contradictionRate);
  return [
    known.isQuarantined ? pc.red('quarantined') : known.trust.toFixed(2),
    known.isWarned ? pc.red(rate) : rate,
  ];
}

const BARS = '▁▂▃▄▅▆▇█';

/** Rates as bars, the oldest first: a dot where there was none. */
function plot(rates: readonly (number | undefined)[]): string {
  return rates
    .map((rate) => (rate === undefined ? '·' : BARS[Math.min(7, Math.floor(rate * 8))]))
    .join('');
}

function listAgents(context: Context): void {
  const { members, records } = context.read('state', (sql) => ({
    members: listMembers(sql),
    records: calibrations(sql),
  }));
  context.out.value(members.map((one) => ({ ...one, calibration: records.get(one.name) ?? null })));
  const head = [
    ...['name', 'kind', 'operator', 'roles', 'sessions', 'handoffs', 'claims'],
    ...['trust', 'contested', 'keys'],
  ];
  const fit: Fit = { width: terminalWidth(), drop: ['operator', 'keys', 'roles'] };
  const rows = members.flatMap((one) => rowsOf(one, recordOf(records.get(one.name))));
  context.out.text(table(head, rows, fit));
}

function showAgent(context: Context, name: string): void {
  const now = context.home().world.now();
  const { known, weeks, isMember } = context.read('state', (sql) => ({
    known: calibrations(sql).get(name),
    weeks: weeklyRates(sql, name, now),
    isMember: listMembers(sql).some((one) => one.name === name),
  }));
  if (!isMember && !known) throw unknownAgent(name);
  context.out.value({ agent: name, ...known, weeks: weeks.map((rate) => rate ?? null) });
  if (!known) {
    context.out.text(`${shownName(name)} has claimed nothing yet`);
    return;
  }
  const { correct, incorrect, expired, score, trust, lowSample, promoted, contested } = known;
  const few = lowSample ? pc.yellow(' (few: it says little yet)') : '';
  const state = known.isQuarantined ? pc.red('  quarantined') : '';
  context.out.text(`${pc.bold(shownName(name))}${state}`);
  context.out.text(
    `predictions  ${correct} correct, ${incorrect} incorrect, ${expired} never answered${few}`,
  );
  context.out.text(`score        ${score.toFixed(3)} (0 always right, 1 always wrong)`);
  context.out.text(`trust        ${trust.toFixed(2)}: what its word weighs where gates decide`);
  context.out.text(
    `contested    ${contested} of ${promoted + contested} (${rateText(known.contradictionRate)}); by week ${plot(weeks)}`,
  );
  if (known.isWarned && !known.isQuarantined)
    context.out.text(
      `${pc.yellow('look at these')}: \`credence claims --status contested --agent ${safeId(name)}\`; \`credence quarantine ${safeId(name)} --reason "…"\` holds it back`,
    );
}

/** `credence agents`. */
export function agentsCommand(program: Command, context: Context): void {
  const agents = program
    .command('agents')
    .description(
      'who is in the fleet: people, hosts and agents, what each did, and how far an agent’s word was borne out',
    )
    .argument('[name]', 'one agent: its predictions, and how often its claims are contested')
    .addHelpText('after', '\nExample:\n  credence agents --json\n  credence agents cc-03')
    .action((name: string | undefined) =>
      name === undefined ? listAgents(context) : showAgent(context, name),
    );
  agents
    .command('quarantine <agent>')
    .description('hold back what an agent claims')
    .requiredOption('--reason <text>', 'why')
    .action((agent: string, { reason }: { readonly reason: string }) =>
      quarantineAction(context, agent, { reason }),
    );
  agents
    .command('release <agent>')
    .description('let what it claims be promoted again')
    .requiredOption('--reason <text>', 'why')
    .action((agent: string, { reason }: { readonly reason: string }) =>
      quarantineAction(context, agent, { release: true, reason }),
    );
}
