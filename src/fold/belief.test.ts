import { describe, expect, test } from 'vitest';
import {
  decisionBody,
  excerptBody,
  exposureBody,
  extractionBody,
  memoryBody,
  pairBody,
  scoreBody,
  settlementBody,
  trustBody,
} from '../../test/kit/belief.ts';
import { claimBody } from '../../test/kit/claims.ts';
import { foundingOf, householdOf, sealed, sessionBody, stateOf, T0 } from '../../test/kit/fleet.ts';
import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { recordId, type SignedRecord, seal } from '../record/record.ts';
import { totalsOf } from './belief.ts';

const ann = householdOf('ann');
const agent = ann.agents[0]?.signer ?? ann.host;
const idOf = ({ context, body }: SignedRecord) => recordId(context, body);
const by = (signer: Signer, context: string, body: object) =>
  seal(context, body as { spec: string; author: string }, signer);

const claim = by(agent, 'claim', claimBody(ann, 'SSH listens on 2222.'));
const other = by(agent, 'claim', claimBody(ann, 'SSH listens on 22.'));
const guesses = ['one', 'two', 'three'].map((what) =>
  by(agent, 'claim', claimBody(ann, what, { claim_type: 'hypothesis' })),
);
const base = [...foundingOf(ann), sealed(ann, sessionBody(ann, 's')), claim, other, ...guesses];
const after = (...records: SignedRecord[]) => stateOf([...base, ...records]);
const next = base.length + 1;

describe('what was found', () => {
  test.each([
    ['of excerpts', excerptBody(ann.host, idOf(claim)), idOf(claim)],
    ['of exposures', exposureBody(ann.host, 's'), 's'],
    ['of pairs', pairBody(ann.host, idOf(claim)), idOf(claim)],
  ])('%s stands under what it is for', (_what, body, subject) => {
    const record = by(ann.host, 'finding', body);
    const rows = after(record).where('findings', 'subject', subject);
    expect(rows.map(({ key, kind, at }) => [key, kind, at])).toEqual([
      [idOf(record), body.kind, next],
    ]);
  });
});

test('a decision stands with all that it says', () => {
  const body = decisionBody(ann.host, idOf(claim), { kind: 'joined', into: idOf(other) });
  const [row] = after(by(ann.host, 'decision', body)).where('decisions', 'claim', idOf(claim));
  expect(row).toMatchObject({ kind: 'joined', gate_version: '1', policy: null, findings: '[]' });
  expect(JSON.parse(row?.detail ?? '')).toEqual({ into: idOf(other) });
  expect(JSON.parse(row?.gates ?? '')).toEqual(body.gates);
});

test('scores add up, and the newest says all of them', () => {
  const totals = [
    { correct: 0, incorrect: 0, expired: 1 },
    { correct: 1, incorrect: 0, expired: 1 },
    { correct: 1, incorrect: 1, expired: 1 },
  ];
  const results = ['expired', 'correct', 'incorrect'] as const;
  const scores = guesses.map((guess, i) => {
    const result = results[i] ?? 'expired';
    const answered = result === 'expired' ? {} : { outcome_id: idOf(claim) };
    const fields = { result, ...answered, ...(totals[i] ? { totals: totals[i] } : {}) };
    return by(ann.host, 'score', scoreBody(ann.host, 'ann-cc', idOf(guess), fields));
  });
  const state = after(...scores);
  expect(state.where('unusable')).toEqual([]);
  expect(totalsOf(state, 'ann-cc')).toEqual(totals[2]);
  expect(totalsOf(state, 'nobody')).toEqual({ correct: 0, incorrect: 0, expired: 0 });
});

test('what an extraction cost adds up over its tries', () => {
  const tried = (state: 'failed' | 'done', spend_usd_micros: number) =>
    extractionBody(ann.host, 's', {
      state,
      spend_usd_micros,
      ...(state === 'failed' ? { error: '529' } : { drafts: 2 }),
    });
  const state = after(
    by(ann.host, 'extraction', tried('failed', 3)),
    by(ann.host, 'extraction', tried('done', 4)),
  );
  expect(state.where('extractions')).toMatchObject([
    { session: 's', state: 'done', spend_usd_micros: 7, drafts: 2, error: null },
  ]);
});

test('what a day cost is known by who spent it, over all sessions', () => {
  const day = toInstant(T0).slice(0, 10);
  const next = toInstant(T0 + 24 * 3_600_000);
  const spent = (fields: object) =>
    by(
      ann.host,
      'extraction',
      extractionBody(ann.host, 's', { state: 'failed', error: '529', ...fields }),
    );
  const state = after(
    spent({ spend_usd_micros: 3 }),
    spent({ extractor: 'other/1', spend_usd_micros: 4 }),
    spent({ extractor: 'another/1' }),
    spent({ spend_usd_micros: 5, issued_at: next }),
    spent({ spend_usd_micros: Number.MAX_SAFE_INTEGER, issued_at: next }),
  );
  expect(
    state.where('spend').map(({ day, author, usd_micros }) => [day, author, usd_micros]),
  ).toEqual([
    [day, ann.host.address, 7],
    [next.slice(0, 10), ann.host.address, Number.MAX_SAFE_INTEGER],
  ]);
});

test('a ruling stands under each claim that it names, the one that it is about first', () => {
  const ids = [idOf(other), idOf(claim)];
  const record = by(ann.person, 'settlement', settlementBody(ann.person, ids));
  const rows = ids.flatMap((id) => after(record).where('settlements', 'claim', id));
  expect(rows.map(({ claim: id, place, ruling }) => [id, place, ruling])).toEqual([
    [ids[0], 0, 'keep'],
    [ids[1], 1, 'keep'],
  ]);
});

describe('an admin’s word', () => {
  const said = (fields: object, name = 'ann-cc') =>
    by(ann.person, 'trust', trustBody(ann.person, name, fields));
  const rowsAfter = (...words: SignedRecord[]) => after(...words).where('trust');
  test('leaves as it was what it does not say', () => {
    const words = [said({ weight_ppm: 9 }), said({ status: 'quarantined' })];
    expect(rowsAfter(...words)).toMatchObject([{ weight_ppm: 9, quarantined: next + 1 }]);
    expect(rowsAfter(...words, said({ weight_ppm: 8 }))).toMatchObject([
      { weight_ppm: 8, quarantined: next + 1 },
    ]);
    expect(rowsAfter(...words, said({ status: 'active' }))).toMatchObject([
      { weight_ppm: 9, quarantined: null },
    ]);
  });
  test('counts since when it was first said', () => {
    const words = [said({ status: 'quarantined' }), said({ status: 'quarantined', weight_ppm: 1 })];
    expect(rowsAfter(...words)).toMatchObject([{ quarantined: next }]);
  });
  test('may name a key of whom it is for', () => {
    expect(rowsAfter(said({ weight_ppm: 1 }, agent.address))).toMatchObject([{ key: 'ann-cc' }]);
  });
});

test('a memory stands as it was kept', () => {
  const record = by(agent, 'memory', memoryBody(agent, 'ann-cc', 'Likes tea.'));
  expect(after(record).where('memories')).toMatchObject([
    { key: idOf(record), segment: 'agent:ann-cc', content: 'Likes tea.', facts: '[]' },
  ]);
});
