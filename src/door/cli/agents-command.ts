import type { Command } from 'commander';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { listMembers, type Member, type MemberKey } from '../../query/members.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
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

function rowsOf(member: Member): string[][] {
  const { name, kind, operators, roles, keys, sessions, handoffs, claims } = member;
  const [first, ...more] = keys.map(keyText);
  const numbers = [sessions, handoffs, claims].map((n) => (n === 0 ? pc.dim('0') : String(n)));
  const operator = kind === 'person' ? '' : operators.map(shownKey).join(', ');
  const who = [shownName(name), kind, operator, roles.map((role) => safeId(role)).join(' ')];
  return [
    [...who, ...numbers, first ?? ''],
    ...more.map((text) => [...who.map(() => ''), ...numbers.map(() => ''), text]),
  ];
}

/** `credence agents`. */
export function agentsCommand(program: Command, context: Context): void {
  program
    .command('agents')
    .description('who is in the fleet: people, hosts and agents, their keys, and what each did')
    .addHelpText('after', '\nExample:\n  credence agents --json')
    .action(() => {
      const members = context.read('state', listMembers);
      context.out.value(members);
      const head = ['name', 'kind', 'operator', 'roles', 'sessions', 'handoffs', 'claims', 'keys'];
      const fit: Fit = { width: terminalWidth(), drop: ['operator', 'keys'] };
      context.out.text(table(head, members.flatMap(rowsOf), fit));
    });
}
