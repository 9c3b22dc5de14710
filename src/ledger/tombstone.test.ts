import { describe, expect, test } from 'vitest';
import { memoryBody, settlementBody } from '../../test/kit/belief.ts';
import { claimBody, positionBody } from '../../test/kit/claims.ts';
import { householdOf, keyOf } from '../../test/kit/fleet.ts';
import type { ClaimBody } from '../record/claim.ts';
import { type OpenedRecord, open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { tombstonesAgainst, tombstonesOf } from './tombstone.ts';

const SECRET = Buffer.alloc(32, 7);
const ann = householdOf('ann');
const agent = ann.agents[0]?.signer ?? ann.host;

const claim = (statement: string, fact?: Partial<NonNullable<ClaimBody['fact']>>) => {
  const base = {
    subject: 'deploy host',
    predicate: 'port',
    value: 4711,
    cardinality: 'one',
  } as const;
  return seal(
    'claim',
    claimBody(ann, statement, fact ? { fact: { ...base, ...fact } } : {}),
    agent,
  );
};

/** A record of an import that carries others. */
function importOf(...records: readonly SignedRecord[]): SignedRecord {
  const by = keyOf('importer');
  const hash = 'a'.repeat(64);
  const body = {
    ...{ spec: SPEC, author: by.address, issued_at: '2026-01-01T00:00:00.000Z' },
    origin: {
      ...{ fleet: hash, fleet_id: 'other', exporter: by.address, committer: by.address },
      ...{ n: 1, size: 9, root: hash },
    },
    records: records.map((record, i) => ({
      ...{ seq: i + 1, principal: 'x', kind: 'agent', operator: by.address, record },
    })),
  };
  return seal('bundle-import', body, by);
}

/** True where a record is known as a copy of what was erased. */
function isKnown(erased: SignedRecord, record: SignedRecord): boolean {
  const left = tombstonesOf(SECRET, open(erased));
  return tombstonesAgainst(SECRET, open(record)).some((mark) => left.includes(mark));
}

describe('a fact that was erased', () => {
  const erased = claim('The gate answers on 4711.', {});
  test.each<[string, SignedRecord, boolean]>([
    ['in other words', claim('Port 4711 it is.', {}), true],
    [
      'in capitals, for another span',
      claim('x', {
        subject: ' Deploy  HOST',
        predicate: 'Port',
        valid_from: '2026-01-01T00:00:00.000Z',
      }),
      true,
    ],
    ['with another value', claim('x', { value: 4712 }), false],
    ['with the value as a text', claim('x', { value: '4711' }), false],
    ['of something else', claim('x', { subject: 'other host' }), false],
  ])('and is said again %s', (_what, again, expected) => {
    expect(isKnown(erased, again)).toBe(expected);
  });

  test('leaves nothing that an absent fact would match', () => {
    expect(isKnown(claim('a'), claim('b'))).toBe(false);
  });
});

describe('what was erased, and is kept as a memory', () => {
  const kept = (text: string, facts: readonly object[] = []) =>
    seal('memory', memoryBody(agent, 'ann-cc', text, { facts: facts as never }), agent);
  const fact = { subject: 'Deploy host', predicate: 'port', value: 4711, cardinality: 'one' };
  test.each<[string, SignedRecord, SignedRecord, boolean]>([
    ['in the same words', claim('The gate code is 4711.'), kept('the gate  code is 4711.'), true],
    ['as one fact of two', claim('x', {}), kept('y', [{ ...fact, value: 1 }, fact]), true],
    ['as another', claim('x', {}), kept('y', [{ ...fact, value: 1 }]), false],
    ['and said by a claim', kept('The gate code is 4711.'), claim('The gate code is 4711.'), true],
  ])('%s', (_what, erased, again, expected) => {
    expect(isKnown(erased, again)).toBe(expected);
  });

  test('is known where a ruling names it', () => {
    const erased = claim('x');
    const ruling = settlementBody(ann.person, ['a'.repeat(64), open(erased).id]);
    expect(isKnown(erased, seal('settlement', ruling, ann.person))).toBe(true);
  });
});

describe('what an import of a bundle carries', () => {
  const erased = claim('The gate code is 4711.');
  const other = claim('Another thing.');
  test('is known where it was erased, among others', () => {
    expect(isKnown(erased, importOf(other, erased))).toBe(true);
    expect(isKnown(erased, importOf(other))).toBe(false);
  });

  test('is known where it names what was erased', () => {
    const position = positionBody(ann, open(erased).id);
    expect(isKnown(erased, importOf(seal('endorsement', position, agent)))).toBe(true);
  });

  test('is known alone once its import was erased', () => {
    expect(isKnown(importOf(other, erased), erased)).toBe(true);
  });

  test('without an id has no tombstone', () => {
    const spec = 'x'.repeat(70_000);
    const nameless: SignedRecord = { ...erased, body: { ...erased.body, spec } };
    const record: OpenedRecord = open(importOf(nameless));
    expect(tombstonesOf(SECRET, record)).toHaveLength(1);
  });
});
