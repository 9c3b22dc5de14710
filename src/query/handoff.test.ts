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
import type { SignedRecord } from '../record/record.ts';
import { findHandoff, listHandoffs } from './handoff.ts';

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
    const records = [second, offered('a', second, false), offered('b', second, true, bob)];
    expect(findHandoff(snapshotOf(records), idOf(second))).toEqual({
      id: idOf(second),
      session: 's2',
      agent: 'ann-cc',
      repo: 'github.com/acme/web',
      status: 'partial',
      summary: 'The parser is done, the printer is not.',
      next: 'Write the printer.',
      issuedAt: toInstant(T0 + 2_000),
      takenBy: 'b',
      offeredTo: [
        { session: 'a', agent: 'ann-cc' },
        { session: 'b', agent: 'bob-cc' },
      ],
    });
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
      expect.objectContaining({ code: 'handoff.ambiguous' }),
    );
  });
});
