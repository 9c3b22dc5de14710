import { toInstant } from '../src/base/time.ts';
import type { Reader } from '../src/fold/state.ts';
import { decide } from '../src/gate/run.ts';
import { openMemorySqlite } from '../src/io/sqlite.ts';
import { episodeIdOf } from '../src/record/evidence.ts';
import { recordId } from '../src/record/record.ts';
import { applyChanges, prepare, readerOf, setMeta } from '../src/snapshot/database.ts';
import { TABLES } from '../src/snapshot/schema.ts';
import { dueClaims, noteSeen } from '../src/snapshot/touched.ts';
import { decisionBody, excerptBody, exposureBody, pairBody } from '../test/kit/belief.ts';
import { claimBody } from '../test/kit/claims.ts';
import { householdOf, sessionBody, T0 } from '../test/kit/fleet.ts';
import { citedFrom } from '../test/kit/gate.ts';
import { Ledger, type Said } from './kit/believing.ts';
import { coreSecondsOf, print } from './kit/figures.ts';

/*
 * Candidates decided in a second against promoted claims, all findings present: what is due is found, every gate is asked, and what is
 * decided is made. Beside the same rows read from the database, and nothing done with them.
 *
 *   npm run bench -- gate [promoted] [candidates]
 */

const PROMOTED = Number(process.argv[2] ?? 100_000);
const CANDIDATES = Number(process.argv[3] ?? 2_000);
/** As many as a search for neighbours gives. */
const NEIGHBOURS = 16;
/** Claims that one session makes. */
const PER_SESSION = 5;
const keeper = householdOf('keeper');
const homes = Array.from({ length: 20 }, (_, i) => householdOf(`bench-${i}`));

const ids: string[] = [];

/** A claim with its session, and all that is found of it. */
function* madeBy(i: number): Generator<Said> {
  const home = homes[Math.floor(i / PER_SESSION) % homes.length] ?? keeper;
  const session = `s${Math.floor(i / PER_SESSION)}`;
  if (i % PER_SESSION === 0) {
    yield ['session', sessionBody(home, session)];
    const handoffs = Array.from(
      { length: 4 },
      (_, n) => ids[(i * 7 + n * 131) % (ids.length || 1)] ?? '',
    );
    const exposures = handoffs.filter(Boolean).map((id, position) => ({
      ...({ kind: 'claim', channel: 'briefing', matched: 'lineage' } as const),
      ...{ id, position },
    }));
    yield ['finding', exposureBody(keeper.host, session, { exposures })];
  }
  const citation = { ...citedFrom(session), message_id: `m${i}` };
  const subject = [`part-${i % 5_000}`];
  const body = claimBody(home, `Part ${i} waits ${i % 97} s for its queue.`, {
    evidence: [citation],
    subject,
  });
  const id = recordId('claim', body);
  yield ['claim', body];
  const found = {
    episode: episodeIdOf(citation),
    ...{ session, revision: 1, position: 10, excerpt_hash: citation.excerpt_hash },
    state: 'resolved' as const,
  };
  yield ['finding', excerptBody(keeper.host, id, { record_id: id, excerpts: [found] })];
  const near = Array.from(
    { length: Math.min(NEIGHBOURS, ids.length) },
    (_, n) => ids[(i * 31 + n * 7_919) % ids.length] ?? '',
  );
  const pairs = [...new Set(near)].map(
    (claim_id) => ({ claim_id, answer: 'unrelated', reverse: 'unrelated' }) as const,
  );
  yield ['finding', { ...pairBody(keeper.host, id, pairs), searched: 100_000_000 }];
  ids.push(id);
}

const ledger = new Ledger();
for (let i = 0; i < PROMOTED; i++) {
  for (const one of madeBy(i)) ledger.add(one);
  const promoted = { kind: 'promoted', segment: null, basis: ledger.position } as const;
  ledger.add([
    'decision',
    { ...decisionBody(keeper.host, ids[i] ?? '', promoted), basis: ledger.position },
  ]);
}
const before = ledger.position;
for (let i = PROMOTED; i < PROMOTED + CANDIDATES; i++) for (const one of madeBy(i)) ledger.add(one);

const state = openMemorySqlite();
prepare(state, TABLES);
state.transaction(() => applyChanges(state, ledger.changes));
setMeta(state, 'position', String(ledger.position));
noteSeen(state, before, true, T0);
ledger.changes.length = 0;

/** Reads as the gate did, and keeps what it asked for. */
const asked: ((reader: Reader) => unknown)[] = [];
const plain = readerOf(state);
const noting: Reader = {
  get(table, key) {
    asked.push((reader) => reader.get(table, key));
    return plain.get(table, key);
  },
  where(table, column, value) {
    asked.push((reader) => reader.where(table, column, value));
    return plain.where(table, column, value);
  },
};

function pass(reader: Reader): { readonly due: number; readonly promoted: number } {
  const { claims } = dueClaims(state, T0);
  let promoted = 0;
  const parts = {
    reader,
    position: ledger.position,
    now: toInstant(T0),
    author: keeper.host.address,
  };
  decide(
    parts,
    claims.map(({ key }) => key),
    (body, isRepeated) => {
      if (body.kind === 'promoted') promoted += 1;
      return isRepeated ? undefined : body;
    },
  );
  return { due: claims.length, promoted };
}

const seen = pass(noting);
let [due, promoted] = [0, 0];
const gate = await coreSecondsOf(() => ({ due, promoted } = pass(plain)));
const read = await coreSecondsOf(() => {
  for (const ask of asked) ask(plain);
});
if (due !== seen.due) throw new Error('two passes over one state looked at other claims');
print([
  {
    what: `candidates decided beside ${PROMOTED} promoted claims, ${due} due and ${promoted} promoted`,
    value: CANDIDATES / gate,
    unit: '/s of core time',
    target: 'at least 2,000',
    bare: { what: `the same ${asked.length} rows and lists read, /s`, value: CANDIDATES / read },
  },
]);
