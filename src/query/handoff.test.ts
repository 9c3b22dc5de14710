import { describe, expect, test } from 'vitest';
import {
  digestOf,
  handoffBody,
  householdOf,
  idOf,
  noted,
  sealed,
  sessionBody,
  T0,
} from '../../test/kit/fleet.ts';
import { snapshotOf } from '../../test/kit/member.ts';
import { toInstant } from '../base/time.ts';
import type { LiveAgent } from '../live/live.ts';
import type { SignedRecord } from '../record/record.ts';
import type { Sql } from '../snapshot/port.ts';
import { agentsOffered, findHandoff, getHandoff, listHandoffs, offersOf } from './handoff.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');

const note = (of: string, seconds: number, fields = {}) =>
  noted(ann, handoffBody(ann, of, { issued_at: toInstant(T0 + seconds * 1_000), ...fields }));
const offered = (id: string, handoff: SignedRecord, worked: boolean, home = ann) =>
  sealed(
    home,
    sessionBody(home, id, {
      digest: digestOf({ worked }),
      lineage: [{ kind: 'handoff', id: idOf(handoff), source: 'brief', observed_by: 'ann-cc' }],
    }),
  );

const [first, second, other] = [
  note('s1', 1),
  note('s2', 2, { next: 'Write the printer.' }),
  note('s3', 3, { repo: 'github.com/acme/api' }),
];

describe('handoffs', () => {
  test('the newest first, by repo, those that wait, as many as asked for', () => {
    const sql = snapshotOf([first, second, other, offered('a', second, true)]);
    const list = (filter: object) =>
      listHandoffs(sql, { waiting: false, limit: 9, ...filter }).map(({ session }) => session);
    expect(list({})).toEqual(['s3', 's2', 's1']);
    expect(list({ waiting: true })).toEqual(['s3', 's1']);
    expect(list({ repo: 'github.com/acme/web' })).toEqual(['s2', 's1']);
    expect(list({ repo: 'github.com/acme/web', waiting: true, limit: 1 })).toEqual(['s1']);
  });

  test('one is offered to every session that had it, and taken by the first with work', () => {
    const sql = snapshotOf([second, offered('a', second, false), offered('b', second, true, bob)]);
    const view = {
      id: idOf(second),
      session: 's2',
      agent: 'ann-cc',
      repo: 'github.com/acme/web',
      status: 'partial',
      summary: 'The parser is done, the printer is not.',
      next: 'Write the printer.',
      issuedAt: toInstant(T0 + 2_000),
      takenBy: 'b',
    };
    expect(findHandoff(sql, idOf(second))).toEqual(view);
    expect(getHandoff(sql, idOf(second))).toEqual(view);
    expect(getHandoff(sql, idOf(second).slice(0, 12))).toBeUndefined();
    expect(offersOf(sql, idOf(second))).toEqual([
      { session: 'a', agent: 'ann-cc' },
      { session: 'b', agent: 'bob-cc' },
    ]);
  });

  test('of the offers of one that nobody takes the latest are read, and no others', () => {
    const sql = snapshotOf([second]);
    for (let i = 0; i < 300; i++) {
      sql.run(
        "INSERT INTO lineage (key, at, session, kind, id) VALUES (?, ?, ?, 'handoff', ?)",
        `s${i}`,
        i,
        `s${i}`,
        idOf(second),
      );
    }
    const rows: number[] = [];
    const counting: Sql = {
      ...sql,
      all(text, ...params) {
        const plan = sql.all(`EXPLAIN QUERY PLAN ${text}`, ...params);
        // Sorting would read all of them first.
        expect(plan.map((step) => String(step['detail'])).join()).not.toContain('B-TREE');
        const found = sql.all(text, ...params);
        rows.push(found.length);
        return found;
      },
    };
    expect(offersOf(counting, idOf(second)).map((offer) => offer.session)).toEqual(
      Array.from({ length: 100 }, (_, i) => `s${200 + i}`),
    );
    expect(rows).toEqual([100]);
  });

  test('whoever runs and has it before it counts as offered to, each agent once', () => {
    const live = (agent: string, ...shown: string[]): LiveAgent => {
      const at = toInstant(T0);
      const session = { session: agent, started_at: at, last_at: at, shown };
      return { version: 1, host: 'h', agent, runtime: 'r', at, sessions: [session] };
    };
    const offers = ['a', 'b', 'a'].map((agent, i) => ({ session: `s${i}`, agent }));
    const running = [live('c', 'handoff:h1'), live('b', 'handoff:h1'), live('d', 'digest:h1')];
    expect(agentsOffered(offers, running, 'h1')).toEqual(['a', 'b', 'c']);
    expect(agentsOffered([], [live('e', 'handoff:h10')], 'h1')).toEqual([]);
  });

  test('by the beginning of an id', () => {
    const sql = snapshotOf([first, second, other]);
    for (const record of [first, second, other])
      expect(findHandoff(sql, idOf(record).slice(0, 12)).id).toBe(idOf(record));
    for (const id of ['%', '_', 'x', `${idOf(first)}0`])
      expect(() => findHandoff(sql, id)).toThrow(
        expect.objectContaining({ code: 'handoff.missing', data: { id } }),
      );
    expect(() => findHandoff(sql, '')).toThrow(
      expect.objectContaining({
        category: 'incorrect',
        code: 'handoff.ambiguous',
        data: { id: '', candidates: [first, second, other].map(idOf).sort() },
      }),
    );
  });
});
