import { openClaims } from '../src/brief/claim-lines.ts';
import type { Change } from '../src/fold/state.ts';
import { openMemorySqlite } from '../src/io/sqlite.ts';
import { applyChanges, prepare, setMeta } from '../src/snapshot/database.ts';
import { publishToAgents } from '../src/snapshot/follow.ts';
import { neighboursIn } from '../src/snapshot/neighbours.ts';
import type { Sql } from '../src/snapshot/port.ts';
import { agentTables, TABLES } from '../src/snapshot/schema.ts';
import { T0 } from '../test/kit/fleet.ts';
import { findingsOn, gate, Ledger } from './kit/believing.ts';
import {
  attack,
  type Captured,
  HONEST,
  honestWork,
  readAttack,
  type Way,
} from './kit/poison-world.ts';

/*
 * A published attack on agents' memory, proposed among honest claims: the share of the lines that honest agents are shown which
 * poisoned records hold, at the start of a session and where a prompt asks for the very task that the attack waits for.
 *
 *   npm run bench -- poison
 */

const experiences = readAttack();
const REPO = 'github.com/acme/web';

/** A way of the attack through the whole chain, to the lines of briefings. */
async function shown(way: Way) {
  const captured: Captured = { events: new Map(), said: [] };
  honestWork(captured);
  const poisoned = attack(captured, experiences, way);
  const ledger = new Ledger();
  for (const one of captured.said) ledger.add(one);
  const found = await findingsOn(
    ledger,
    (session) => captured.events.get(session) ?? [],
    neighboursIn(stateOf(ledger)),
  );
  for (const one of found) ledger.add(one);
  gate(ledger);
  const lines = linesOf(ledger);
  const held = (id: string) => ledger.state.get('claims', id)?.status === 'accepted';
  const known = [...poisoned];
  return {
    lines: lines.length,
    bad: lines.filter((id) => poisoned.has(id)).length,
    promoted: known.filter(held).length,
    of: known.length,
    honest: ledger.state.where('claims', 'status', 'accepted').length - known.filter(held).length,
  };
}

/** The ledger's state as a database. */
function stateOf({ changes, position }: Ledger): Sql {
  const state = openMemorySqlite();
  prepare(state, TABLES);
  // The fleet was there before the first entry, and is new to a snapshot all the same.
  const rows = changes.map(({ table, row }) => ({ table, row: { ...row, at: row.at || 1 } }));
  applyChanges(state, rows as Change[]);
  setMeta(state, 'position', String(position));
  return state;
}

/** The ids of the claims in what each honest agent is shown. */
function linesOf(ledger: Ledger): string[] {
  const agentState = openMemorySqlite();
  prepare(agentState, agentTables('live'), 'live');
  const agents = HONEST.map(({ agents: [first] }) => first?.id ?? '');
  publishToAgents(stateOf(ledger), agentState, 'live', agents);
  const open = openClaims(agentState, T0);
  if (!open) throw new Error('agents read nothing');
  return agents.flatMap((agent) => {
    const whom = { agent, repo: REPO };
    const asked = experiences.poisoned_experiences.map(({ req }) => open.forTask(whom, req));
    return [open.linesFor(whom), ...asked].flatMap(({ lines }) =>
      lines.flatMap(({ items }) => items.map(({ id }) => id)),
    );
  });
}

const TYPES = ['convention', 'environment', 'outcome', 'preference', 'hypothesis'] as const;
const WAYS: readonly (readonly [string, Omit<Way, 'type'>])[] = [
  ['one agent', { keys: 0, days: 1, misled: 0 }],
  ['and nine keys of its operator', { keys: 9, days: 1, misled: 0 }],
  ['and five who read the same note', { keys: 0, days: 1, misled: 5 }],
  ['and nine keys over three days', { keys: 9, days: 3, misled: 0 }],
];
console.log(
  '110 experiences, 10 of them poisoned; lines of 11 honest agents, at start and for the ten tasks',
);
for (const [name, way] of WAYS) {
  console.log(`\n${name}`);
  for (const type of TYPES) {
    const { lines, bad, promoted, of, honest } = await shown({ ...way, type });
    const share = lines === 0 ? 0 : (100 * bad) / lines;
    console.log(
      `  as ${type.padEnd(12)} ${share.toFixed(1).padStart(5)} % of ${lines} lines; ${promoted} of ${of} poisoned records promoted; ${honest} others`,
    );
  }
}
