import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimBody } from '../../test/kit/claims.ts';
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
import { seal } from '../record/record.ts';
import { timeline } from './timeline.ts';

const ann = householdOf('ann');
const [speaker] = ann.agents;
const MINUTE = 60_000;
const at = (minute: number) => toInstant(T0 + minute * MINUTE);

type Kind = 'session' | 'handoff' | 'claim';

/** One thing of a kind, dated to a minute; its id is what a timeline calls it. */
function made(kind: Kind, minute: number, words: string, place: number) {
  const instant = at(minute);
  if (kind === 'session') {
    const id = `s${place}`;
    const body = { digest: digestOf({ asked: words }), window: { first: instant, last: instant } };
    return { id, record: sealed(ann, sessionBody(ann, id, body)) };
  }
  if (kind === 'handoff') {
    const record = noted(
      ann,
      handoffBody(ann, `h${place}`, { summary: words, issued_at: instant }),
    );
    return { id: idOf(record), record };
  }
  if (!speaker) throw new Error('a household without an agent');
  const fields = { asserted_at: instant, nonce: String(place).padStart(32, '0') };
  const record = seal('claim', claimBody(ann, words, fields), speaker.signer);
  return { id: idOf(record), record };
}

const anyThing = fc.record({
  kind: fc.constantFrom<Kind>('session', 'handoff', 'claim'),
  minute: fc.nat({ max: 9 }),
  words: fc.constantFrom('redis port', 'redis', 'the port of redis', 'port', 'postgres'),
});

/** Every word of the subject stands there. */
const says = (words: string, subject: string) =>
  subject.split(' ').every((word) => words.split(' ').includes(word));

describe('a timeline', () => {
  test('is all that says each word of the subject, in order of time, the newest where that is too much', () => {
    fc.assert(
      fc.property(
        fc.array(anyThing, { maxLength: 8 }),
        fc.constantFrom('redis', 'redis port', 'postgres', 'oracle'),
        fc.option(fc.nat({ max: 9 }), { nil: undefined }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom<'all' | 'none'>('all', 'none'),
        (things, subject, since, limit, claims) => {
          const all = things.map((one, place) => ({
            ...one,
            ...made(one.kind, one.minute, one.words, place),
          }));
          const sql = snapshotOf(all.map(({ record }) => record));
          const from = since === undefined ? undefined : at(since);
          const found = timeline(sql, subject, { since: from, limit, claims });
          const wanted = all
            .filter(({ words }) => says(words, subject))
            .filter(({ kind }) => kind !== 'claim' || claims === 'all')
            .filter(({ minute }) => since === undefined || minute >= since)
            .map(({ kind, id, minute }) => ({ kind, id, at: at(minute) }));
          expect(found).toHaveLength(Math.min(limit, wanted.length));
          expect(wanted).toEqual(expect.arrayContaining(found));
          const times = found.map((one) => one.at);
          expect(times).toEqual([...times].sort());
          // Nothing that was left out is newer than what was taken.
          const rest = wanted.filter(({ id }) => !found.some((one) => one.id === id));
          const [oldest] = times;
          for (const one of rest) expect(one.at <= (oldest ?? '')).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('of one repo has nothing of another', () => {
    const { record } = made('session', 0, 'redis', 0);
    const sql = snapshotOf([record]);
    const inRepo = (repo: string) => timeline(sql, 'redis', { limit: 9, repo });
    expect(inRepo('github.com/acme/web')).toHaveLength(1);
    expect(inRepo('github.com/acme/api')).toEqual([]);
  });

  test('of a subject without a word is empty', () => {
    const { record } = made('session', 0, 'redis', 0);
    expect(timeline(snapshotOf([record]), ' -- ', { limit: 9 })).toEqual([]);
  });

  test('shows an agent the claims that it may read', () => {
    const { record } = made('claim', 0, 'redis', 0);
    const sql = snapshotOf([record]);
    const seenBy = (agent: string) => timeline(sql, 'redis', { limit: 9, claims: { agent } });
    expect(seenBy(speaker?.id ?? '')).toHaveLength(1);
    expect(seenBy('another')).toEqual([]);
  });
});
