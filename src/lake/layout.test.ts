import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyText } from '../../test/kit/envelopes.ts';
import { isKey } from './key.ts';
import * as layout from './layout.ts';

const HASH = '0123456789abcdef'.repeat(4);
const PLACE: layout.SessionPlace = {
  date: '2026-01-02',
  runtime: 'claude-code',
  agent: 'cc-01',
  host: '0123456789abcdef',
  session: 's1:sub/agent',
};
const FOLDER =
  'sessions/dt=2026-01-02/runtime=claude-code/agent=cc-01/host=0123456789abcdef/session=s1%3Asub%2Fagent/';

describe('keys', () => {
  test.each<[string, string]>([
    [layout.partKey(PLACE, 3, HASH), `${FOLDER}part-000003-0123456789abcdef.parquet`],
    [layout.sealKey(FOLDER, 1, 'fedc'), `${FOLDER}seal-000001-fedc.json`],
    [layout.digestKey(FOLDER, 1), `${FOLDER}digest-000001.json`],
    [layout.agentKey('fedc', 'a b'), 'live/agents/fedc.a%20b.json'],
    [layout.intentKey('fedc', 'a.b'), 'live/intents/fedc.a.b.json'],
    [layout.leaseKey(7), 'live/leases/maintenance/000000000007.json'],
    [layout.inboxKey('fedc', 12, HASH), `inbox/fedc/0000000000000012-${HASH}.ndjson`],
    [layout.commitKey(1), 'ledger/000000000/000000000001.ndjson'],
    [layout.commitKey(1_234_567), 'ledger/000001234/000001234567.ndjson'],
    [
      layout.compactedKey('2026-01-02', HASH, 0),
      'compacted/dt=2026-01-02/gen=0123456789abcdef/part-000000.parquet',
    ],
    [layout.withheldKey('cc', '2026-01-02', '01ARZ'), 'withheld/cc/2026-01-02/01ARZ.json'],
  ])('%s', (key, expected) => {
    expect(key).toBe(expected);
  });

  test('are keys for any names, the longest and strangest too', () => {
    const anyName = fc.oneof(anyText, fc.string({ unit: 'binary', maxLength: 3_000 }));
    fc.assert(
      fc.property(anyName, anyName, (one, two) => {
        const place = { date: '2026-01-02', runtime: two, agent: one, host: two, session: one };
        const keys = [
          layout.partKey(place, 999_999, HASH),
          layout.sealKey(layout.sessionFolder(place), 1, two),
          layout.digestKey(layout.sessionFolder(place), 1),
          layout.agentKey(one, two),
          layout.intentKey(one, two),
          layout.inboxKey(one, 1, HASH),
          layout.withheldKey(one, '2026-01-02', two),
        ];
        for (const key of keys) expect(isKey(key)).toBe(true);
      }),
    );
  });

  test.each<[string, (n: number) => string, number]>([
    ['parts', (n) => layout.partKey(PLACE, n, HASH), 999_999],
    ['commits', layout.commitKey, 999_999_999_999],
    ['leases', layout.leaseKey, 999_999_999_999],
    ['inbox items', (n) => layout.inboxKey('h', n, HASH), Number.MAX_SAFE_INTEGER],
    ['digests', (n) => layout.digestKey(FOLDER, n), 999_999],
  ])('of %s come in the order of their numbers', (_, build, max) => {
    fc.assert(
      fc.property(fc.nat(max), fc.nat(max), (a, b) => {
        expect(Math.sign(a - b)).toBe(build(a) < build(b) ? -1 : build(a) > build(b) ? 1 : 0);
      }),
    );
    for (const wrong of [-1, 0.5, Number.NaN, max + 1]) expect(() => build(wrong)).toThrow();
  });

  test.each([
    ['a date', () => layout.partKey({ ...PLACE, date: '2026-02-30' }, 1, HASH)],
    ['a path for a date', () => layout.withheldKey('cc', '..', '01')],
    ['a hash', () => layout.partKey(PLACE, 1, 'abc')],
    ['an upper-case hash', () => layout.inboxKey('h', 1, HASH.toUpperCase())],
  ])('are not built of what is no %s', (_, build) => {
    expect(build).toThrow('invariant');
  });
});

describe('parsing', () => {
  test('a part key gives back what it was built of', () => {
    const anyName = fc.string({ unit: 'binary', minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(anyName, anyName, fc.nat(999_999), (one, two, n) => {
        const place = { date: '2026-01-02', runtime: one, agent: two, host: one, session: two };
        expect(layout.parsePartKey(layout.partKey(place, n, HASH))).toEqual({
          ...place,
          folder: layout.sessionFolder(place),
          n,
          hash: HASH.slice(0, 16),
        });
      }),
    );
  });

  test('a part key with a shortened name is one, without that name', () => {
    const place = { ...PLACE, session: 'x'.repeat(500) };
    const parsed = layout.parsePartKey(layout.partKey(place, 1, HASH));
    expect(parsed).toMatchObject({ agent: 'cc-01', session: undefined, n: 1 });
  });

  const PART = `${FOLDER}part-000003-0123456789abcdef.parquet`;
  test.each([
    ['another prefix', PART.replace('sessions', 'compacted')],
    ['no such day', PART.replace('2026-01-02', '2026-13-02')],
    ['a number without padding', PART.replace('000003', '3')],
    ['an escape of nothing', PART.replace('cc-01', '%ZZ')],
    ['an escape of what needs none', PART.replace('cc-01', '%63c-01')],
    ['a seal', layout.sealKey(FOLDER, 1, 'h')],
    ['something behind', `${PART}.tmp`],
    ['a level more', PART.replace('agent=', 'x/agent=')],
  ])('refuses a part key with %s', (_, key) => {
    expect(layout.parsePartKey(key)).toBeUndefined();
  });

  test('lease and inbox keys give back what they were built of', () => {
    expect(layout.parseLeaseKey(layout.leaseKey(42))).toBe(42);
    expect(layout.parseInboxKey(layout.inboxKey('h:1', 42, HASH))).toEqual({
      host: 'h:1',
      counter: 42,
      hash: HASH,
    });
  });

  test.each([
    ['', undefined],
    ['inbox/h/12-ab.ndjson', undefined],
    [`inbox/h/9999999999999999-${HASH}.ndjson`, undefined],
    [`inbox/%ZZ/0000000000000001-${HASH}.ndjson`, undefined],
    [`inbox/h/x/0000000000000001-${HASH}.ndjson`, undefined],
    ['live/leases/maintenance/1.json', undefined],
  ])('%s is neither', (key, expected) => {
    expect(layout.parseInboxKey(key)).toBe(expected);
    expect(layout.parseLeaseKey(key)).toBe(expected);
  });
});
