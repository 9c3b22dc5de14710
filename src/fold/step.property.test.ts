import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  entryOf,
  fleetRows,
  fleetState,
  foldOnto,
  householdOf,
  keyOf,
  sessionBody,
  T0,
} from '../../test/kit/fleet.ts';
import { newSql } from '../../test/kit/member.ts';
import {
  anyCuts,
  anyStory,
  anyStoryOnce,
  cutInto,
  POSITIONS,
  type Scene,
} from '../../test/kit/story.ts';
import { toInstant } from '../base/time.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import { SPEC } from '../record/record.ts';
import { applyChanges, readerOf } from '../snapshot/database.ts';
import { MapState } from './map-state.ts';
import { COLUMNS, type Reader, type TableName } from './state.ts';
import { step } from './step.ts';

const TABLES = Object.keys(COLUMNS) as TableName[];

const entriesOf = (scenes: readonly Scene[], first = 1): OpenedEntry[] =>
  scenes.map(({ context, body }, i) => entryOf(first + i, context, body));

/** Every row of every table, in the order in which the reader gives them. */
function dump(reader: Reader): Record<string, unknown[]> {
  return Object.fromEntries(TABLES.map((table) => [table, reader.where(table)]));
}

/** Every answer that a lookup by column gives for values that are there, and for null. */
function lookups(reader: Reader): unknown {
  return TABLES.map((table) =>
    COLUMNS[table].indexed.map((column) => {
      const rows = reader.where(table) as unknown as Record<string, string | null>[];
      const values = [...new Set([null, ...rows.map((row) => row[column] ?? null)])].sort();
      return values.map((value) => reader.where(table, column as never, value));
    }),
  );
}

describe('for any entries', () => {
  test('a step never throws, whatever the body', () => {
    const home = householdOf('ann');
    const fields = Object.keys(sessionBody(home, 's'));
    const extra = ['roles', 'address', 'pattern', 'remote', 'summary', 'status', 'item', 'code'];
    extra.push(
      'scope',
      'claim_id',
      'promotion_id',
      'attempt',
      'verdict',
      'episodes',
      'mode',
      'uri',
    );
    const anyBody = fc.dictionary(
      fc.constantFrom(...fields, ...extra, '__proto__', 'constructor'),
      fc.oneof(fc.jsonValue(), fc.constantFrom(keyOf('x').address, toInstant(T0), 'open', 'done')),
      { noNullPrototype: true },
    );
    const contexts = ['fleet', 'admission', 'rejection', 'session', 'handoff', 'repo-map', 'x'];
    const ofClaims = ['claim', 'endorsement', 'verdict', 'retirement', 'proposal', 'episode'];
    contexts.push(...ofClaims, 'policy', 'artifact-change');
    contexts.push('finding', 'decision', 'score', 'extraction', 'settlement', 'trust', 'memory');
    const state = foldOnto(fleetState(), [entryOf(1, 'session', sessionBody(home, 's'))]);
    fc.assert(
      fc.property(fc.constantFrom(...contexts), fc.nat(3), anyBody, (context, seq, body) => {
        const entry: OpenedEntry = {
          seq: seq + 1,
          context,
          record: {
            id: 'id',
            context,
            author: 'author',
            body: body as { [key: string]: never },
            signed: { context, body: { spec: SPEC, author: 'author' }, signature: '' },
          },
        };
        const changes = step(state, entry);
        expect(changes.length).toBeGreaterThan(0);
        expect(changes.every(({ row }) => row.at === seq + 1)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('the state is the same, however the entries are cut into batches', () => {
    fc.assert(
      fc.property(anyStory, anyCuts, (scenes, cuts) => {
        const entries = entriesOf(scenes);
        const whole = dump(foldOnto(fleetState(), entries));
        let state = fleetState();
        // Each batch is laid over those before it, as a batch of the committer is over the state.
        for (const batch of cutInto(entries, cuts)) state = foldOnto(new MapState(state), batch);
        expect(dump(state)).toEqual(whole);
        expect(lookups(state)).toEqual(lookups(foldOnto(fleetState(), entries)));
      }),
      { numRuns: 150 },
    );
  });

  test('SQLite has the rows of the map, in their order, after each batch', () => {
    fc.assert(
      fc.property(anyStory, anyCuts, (scenes, cuts) => {
        const sql = newSql();
        const reader = readerOf(sql);
        applyChanges(sql, fleetRows());
        const state = fleetState();
        for (const batch of cutInto(entriesOf(scenes), cuts)) {
          foldOnto(state, batch);
          sql.transaction(() => {
            for (const entry of batch) applyChanges(sql, step(reader, entry));
          });
          expect(dump(reader)).toEqual(dump(state));
        }
        expect(lookups(reader)).toEqual(lookups(state));
        // And so has a batch that is laid over SQLite.
        const more = entriesOf(scenes, scenes.length + 1);
        expect(dump(foldOnto(new MapState(reader), more))).toEqual(dump(foldOnto(state, more)));
      }),
      { numRuns: 40 },
    );
  });

  test('an entry that stands twice in a row changes nothing but the position', () => {
    const plain = (reader: Reader) =>
      TABLES.filter((table) => table !== 'unusable' && table !== 'contents').map((table) =>
        reader
          .where(table)
          .map((row) => Object.entries(row).filter(([name]) => !POSITIONS.has(name))),
      );
    fc.assert(
      fc.property(anyStoryOnce, (scenes) => {
        const once = foldOnto(fleetState(), entriesOf(scenes));
        const doubled = scenes.flatMap((scene) => [scene, scene]);
        const twice = foldOnto(fleetState(), entriesOf(doubled));
        expect(plain(twice)).toEqual(plain(once));
        expect(twice.where('unusable').length).toBeGreaterThanOrEqual(
          once.where('unusable').length * 2,
        );
      }),
      { numRuns: 100 },
    );
  });

  test('a change is dated by the entry that made it, and no row is ever lost', () => {
    fc.assert(
      fc.property(anyStory, (scenes) => {
        const state = fleetState();
        for (const entry of entriesOf(scenes)) {
          const before = dump(state);
          foldOnto(state, [entry]);
          for (const table of TABLES) {
            const rows = new Map(state.where(table).map((row) => [row.key, row]));
            for (const old of before[table] as { key: string }[]) {
              const row = rows.get(old.key);
              expect(row).toBeDefined();
              if (row?.at !== entry.seq) expect(row).toEqual(old);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('for any entries, the rules of handoffs and homes hold', () => {
  test('a handoff is taken by a session that had it, did work and did not write it', () => {
    fc.assert(
      fc.property(anyStory, (scenes) => {
        const state = foldOnto(fleetState(), entriesOf(scenes));
        for (const handoff of state.where('handoffs')) {
          const takers = scenes.filter(({ context, body }) => {
            if (context !== 'session' || !('lineage' in body)) return false;
            const { lineage, digest, session } = body as unknown as ReturnType<typeof sessionBody>;
            const had = lineage.some(({ kind, id }) => kind === 'handoff' && id === handoff.key);
            return had && digest.worked && session !== handoff.session;
          });
          const names = takers.map(({ body }) => (body as unknown as { session: string }).session);
          if (handoff.taken_by !== null) expect(names).toContain(handoff.taken_by);
        }
      }),
      { numRuns: 150 },
    );
  });

  test('a session has the repo that it was captured in, else that of a map that fits, else none', () => {
    fc.assert(
      fc.property(anyStory, (scenes) => {
        const state = foldOnto(fleetState(), entriesOf(scenes));
        const remotes = new Set(state.where('repo_maps').map(({ remote }) => remote));
        for (const session of state.where('sessions')) {
          if (session.captured_repo !== null) expect(session.repo).toBe(session.captured_repo);
          else if (session.repo !== null) expect(remotes).toContain(session.repo);
        }
        for (const handoff of state.where('handoffs')) {
          const home = state.get('sessions', handoff.session)?.repo ?? null;
          expect(handoff.repo).toBe(handoff.captured_repo ?? home);
        }
      }),
      { numRuns: 150 },
    );
  });
});
