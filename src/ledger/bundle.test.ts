import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BundleFleet, bundleFleet } from '../../test/kit/bundle-fleet.ts';
import { admissionBody, handoffBody, keyOf, T0 } from '../../test/kit/fleet.ts';
import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import { openMemorySqlite } from '../io/sqlite.ts';
import type { SignedRecord } from '../record/record.ts';
import { seal } from '../record/record.ts';
import { prepare } from '../snapshot/database.ts';
import { TABLES } from '../snapshot/schema.ts';
import { verifyBundle } from '../verify.ts';
import { checkBundle } from './bundle.ts';
import { GENESIS, type Head, propose, readCommit } from './commit.ts';
import { commitmentOf } from './entry.ts';
import { inclusionProof, type Nodes } from './proof.ts';
import { leafHash, nodeHash } from './tree.ts';

const [ann, bob, eve] = [keyOf('ann speaks'), keyOf('bob speaks'), keyOf('eve speaks')];
const scope = { space: 'lab', segment: null };

interface Made {
  readonly fleet: BundleFleet;
  readonly bytes: Buffer;
}
let made: Made;

const state = openMemorySqlite();
afterAll(() => state.close());

beforeAll(async () => {
  prepare(state, TABLES);
  const fleet = await bundleFleet('origin', 'open', state);
  const { base } = fleet;
  const seen = { scope, kind: 'outcome', content: 'it took 40 s' } as const;
  const episodes = [await base.observe(seen, ann)];
  const statement = 'The tests take 40 s ✓';
  const { claim } = await base.propose({ scope, kind: 'semantic', statement, episodes }, ann);
  await base.endorse(claim, { verdict: 'contradict', basis: 'no' }, bob);
  await base.retire(claim, 'so it is', ann);
  const { bytes } = await fleet.export({ all: true });
  made = { fleet, bytes: Buffer.from(bytes) };
});

const linesOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8').split('\n').slice(0, -1);
const bytesOf = (lines: readonly string[]) =>
  Buffer.from(lines.map((line) => `${line}\n`).join(''));

/** The code by which bytes are refused; undefined where they are taken. What is thrown is always ours. */
function codeFor(bytes: Uint8Array): string | undefined {
  try {
    checkBundle(bytes);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CredenceError);
    return (error as CredenceError).code;
  }
}

/** The same lines under a first line that an exporter signed for them: who lies is a member. */
function resigned(
  lines: readonly string[],
  change: object = {},
  by: Signer = made.fleet.home.person,
) {
  const [first = '{}'] = linesOf(made.bytes);
  const { body } = JSON.parse(first) as SignedRecord;
  const content = lines.map((line) => `${line}\n`).join('');
  const claimed = { lines: lines.length, content_hash: sha256Hex(content) };
  const signed = seal(
    'bundle',
    { ...body, ...claimed, author: by.address, ...change } as typeof body,
    by,
  );
  return Buffer.from(`${canonical(signed)}\n${content}`);
}

const rest = () => linesOf(made.bytes).slice(1);

test('what a bundle proves is told', () => {
  const { home } = made.fleet;
  const proven = verifyBundle(made.bytes);
  expect(proven).toMatchObject({
    fleetId: 'fleet',
    exporter: { address: home.person.address, principal: home.person.address },
    head: { committer: home.host.address, fleetId: 'fleet' },
  });
  expect(proven.records.map(({ record, speaker }) => [record.context, speaker.address])).toEqual([
    ['episode', ann.address],
    ['claim', ann.address],
    ['endorsement', bob.address],
    ['retirement', ann.address],
  ]);
  const heard: number[] = [];
  checkBundle(made.bytes, (n, of) => heard.push(of - n));
  expect(heard.at(-1)).toBe(0);
});

describe('a bundle that was altered on its way is refused', () => {
  test('by any bit', () => {
    for (let at = 0; at < made.bytes.length; at++) {
      const altered = Buffer.from(made.bytes);
      altered[at] = (altered[at] ?? 0) ^ (1 << (at % 8));
      expect([at, codeFor(altered)]).toEqual([at, expect.stringMatching(/^bundle\./)]);
    }
  }, 120_000);

  test('cut off anywhere, or with anything behind it', () => {
    for (let at = 0; at < made.bytes.length; at += 97)
      expect(codeFor(made.bytes.subarray(0, at))).toMatch(/^bundle\./);
    for (const more of ['\n', '{}\n', '\0\n', ' '])
      expect(codeFor(Buffer.concat([made.bytes, Buffer.from(more)]))).toMatch(/^bundle\./);
  });

  test('with a line that is gone, twice, or elsewhere', () => {
    const lines = linesOf(made.bytes);
    for (let i = 0; i < lines.length; i++) {
      expect(codeFor(bytesOf(lines.toSpliced(i, 1)))).toMatch(/^bundle\./);
      expect(codeFor(bytesOf(lines.toSpliced(i, 0, lines[i] ?? '')))).toMatch(/^bundle\./);
      if (i + 1 < lines.length) {
        const swapped = lines.toSpliced(i, 2, lines[i + 1] ?? '', lines[i] ?? '');
        expect(codeFor(bytesOf(swapped))).toMatch(/^bundle\./);
      }
    }
  });

  test('and whatever bytes come, it is an error of ours', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(codeFor(bytes)).toMatch(/^bundle\./);
      }),
    );
  });
});

describe('a bundle whose exporter lies is refused', () => {
  test('for any bit of any entry, and of any path', () => {
    const content = Buffer.from(bytesOf(rest()));
    for (let at = 0; at < content.length; at += 11) {
      const altered = Buffer.from(content);
      const byte = altered[at] ?? 0;
      if (byte >= 0x80) continue;
      altered[at] = byte ^ (1 << (at % 7));
      const code = codeFor(resigned(altered.toString('utf8').split('\n').slice(0, -1)));
      expect([at, code]).toEqual([at, expect.stringMatching(/^bundle\./)]);
    }
  }, 120_000);

  const contextOf = (line: string) =>
    (JSON.parse(line) as { entry: { record: SignedRecord } }).entry.record.context;
  const without = (context: string) => rest().filter((line) => contextOf(line) !== context);

  test('where the exporter is nobody, or a member that is not named', () => {
    expect(codeFor(resigned(rest(), {}, eve))).toBe('bundle.exporter');
    expect(codeFor(resigned(rest()))).toBeUndefined();
  });

  test.each<[string, string, () => Uint8Array]>([
    ['nothing', 'bundle.torn', () => Buffer.alloc(0)],
    ['a line of blanks', 'bundle.form', () => Buffer.from('  \n')],
    ['NUL', 'bundle.form', () => Buffer.from('\0\n')],
    ['bytes that are no UTF-8', 'bundle.torn', () => Buffer.from([0xff, 0x0a])],
    [
      'another record first',
      'bundle.first',
      () => bytesOf([canonical(seal('claim', { spec: 'x', author: ann.address }, ann)), ...rest()]),
    ],
    ['no entry', 'bundle.entry', () => resigned([...rest(), '{}'])],
    [
      'white space in a line',
      'bundle.form',
      () => resigned(rest().map((line) => line.replace(':', ': '))),
    ],
    ['a key twice', 'bundle.form', () => resigned(['{"a":1,"a":1}'])],
    ['a float', 'bundle.form', () => resigned(['{"a":1.5}'])],
    [
      'a member called __proto__ beside',
      'bundle.entry',
      () => resigned(rest().map((line) => line.replace('{"entry"', '{"__proto__":{},"entry"'))),
    ],
    [
      'a member called __proto__ in a body',
      'bundle.inclusion',
      () => resigned(rest().map((line) => line.replace('"body":{', '"body":{"__proto__":{},'))),
    ],
    [
      'entries in another order',
      'bundle.order',
      () => resigned([...rest().slice(0, -2), ...rest().slice(-2).reverse()]),
    ],
    ['an entry twice', 'bundle.order', () => resigned([...rest(), rest().at(-1) ?? ''])],
    ['no founding', 'bundle.fleet', () => resigned(without('fleet'))],
    ['no claim', 'bundle.refused', () => resigned(without('claim'))],
    ['no episode', 'bundle.refused', () => resigned(without('episode'))],
    ['no membership', 'bundle.committer', () => resigned(without('admission'))],
    ['fewer lines than it says', 'bundle.lines', () => resigned(rest(), { lines: 99 })],
    ['more lines than it says', 'bundle.lines', () => resigned(rest(), { lines: 2 })],
    [
      'more lines than any may have',
      'bundle.first',
      () => resigned(rest(), { lines: LIMIT.bundle_lines_max + 1 }),
    ],
    ['another hash', 'bundle.hash', () => resigned(rest(), { content_hash: '0'.repeat(64) })],
    [
      'a head that nobody signed',
      'bundle.head',
      () =>
        resigned(rest(), {
          head: { context: 'checkpoint', body: { spec: 'x', author: 'y' }, signature: '' },
        }),
    ],
    ['another fleet than its head’s', 'bundle.head', () => resigned(rest(), { fleet_id: 'other' })],
    [
      'a long line',
      'bundle.line_size',
      () => resigned([...rest(), `"${'x'.repeat(LIMIT.bundle_line_bytes_max)}"`]),
    ],
    [
      'a long first line',
      'bundle.line_size',
      () => Buffer.from(`"${'x'.repeat(LIMIT.bundle_line_bytes_max)}"\n`),
    ],
    [
      'a million lines',
      'bundle.lines',
      () => resigned(Array(1_000_000).fill('1'), { lines: 1 }).subarray(),
    ],
    [
      'more bytes than it may have',
      'bundle.size',
      () => Buffer.alloc(LIMIT.bundle_bytes_max + 1, 0x0a),
    ],
  ])('%s: %s', (_what, code, bytes) => {
    const given = bytes();
    // A line too many is found before it is read where the first line says how many there are.
    if (code === 'bundle.lines' && given.length > 1_500_000)
      expect(['bundle.lines', 'bundle.entry']).toContain(codeFor(given));
    else expect(codeFor(given)).toBe(code);
  });
});

/** A ledger of one commit that holds any records, signed by anybody, and a bundle of all of it: what a liar could make. */
function forgedBundle(records: readonly SignedRecord[], by: Signer, exporter: Signer): Buffer {
  const world = { now: () => T0, random: (n: number) => new Uint8Array(n) };
  const commit = propose(GENESIS, records, { fleetId: 'fleet', signer: by, world, now: T0 });
  const [checkpoint = ''] = linesOf(commit);
  const { entries } = readCommit(commit, GENESIS as Head, 'fleet');
  const leaves = entries.map((entry) => leafHash(commitmentOf(entry)));
  const nodes: Nodes = (level, index) =>
    level === 0
      ? (leaves[index] ?? Buffer.alloc(0))
      : nodeHash(nodes(level - 1, index * 2), nodes(level - 1, index * 2 + 1));
  const lines = entries.map((entry) => {
    if (!('record' in entry)) throw new Error('nothing here is erased');
    const { seq, salt, record } = entry;
    const path = inclusionProof(nodes, seq - 1, entries.length).map((hash) => hash.toString('hex'));
    return canonical({ entry: { seq, salt, record }, path });
  });
  return resigned(lines, { head: JSON.parse(checkpoint) }, exporter);
}

describe('a ledger that somebody made up does not make them', () => {
  const founding = () =>
    linesOf(made.bytes)
      .slice(1, 3)
      .map((line) => (JSON.parse(line) as { entry: { record: SignedRecord } }).entry.record);
  const claim = (by: Signer) =>
    seal(
      'claim',
      {
        spec: 'fg-agent-knowledge/v1',
        author: by.address,
        ...{ scope, kind: 'semantic', statement: 'x', topics: [], refs: [], episodes: [] },
        ...{ asserted_at: toInstant(T0), supersedes: null },
      } as { spec: string; author: string },
      by,
    );
  const admits = (by: Signer, address: string, fields: object = {}) =>
    seal('admission', admissionBody(by, address, { roles: ['commit', 'admin'], ...fields }), by);

  test('its committer: a key that admitted itself to commit', () => {
    const { host, person } = made.fleet.home;
    expect(codeFor(forgedBundle([...founding(), claim(ann)], host, person))).toBeUndefined();
    expect(codeFor(forgedBundle([...founding(), claim(ann)], eve, person))).toBe(
      'bundle.committer',
    );
    expect(
      codeFor(forgedBundle([...founding(), admits(eve, eve.address), claim(ann)], eve, person)),
    ).toMatch(/^bundle\.(admission|refused)$/);
    expect(codeFor(forgedBundle([...founding(), admits(ann, eve.address)], eve, person))).toMatch(
      /^bundle\.(admission|refused)$/,
    );
  });

  test('a founder: entry 1 is signed by its own', () => {
    const { host, person } = made.fleet.home;
    const [fleet] = founding();
    const body = { ...fleet?.body, author: eve.address } as SignedRecord['body'];
    const own = seal('fleet', body, eve);
    expect(codeFor(forgedBundle([own, claim(ann)], host, person))).toBe('bundle.exporter');
    expect(codeFor(forgedBundle([...founding(), own], host, person))).toBe('bundle.fleet');
    expect(codeFor(forgedBundle([claim(ann), ...founding()], host, person))).toBe('bundle.fleet');
    const other = seal(
      'fleet',
      { ...fleet?.body, fleet_id: 'other' } as SignedRecord['body'],
      person,
    );
    expect(codeFor(forgedBundle([other], host, person))).toBe('bundle.fleet');
  });

  test('carry what no bundle carries, a record twice, or one that nobody signed', () => {
    const { host, person } = made.fleet.home;
    const by = (...records: SignedRecord[]) =>
      codeFor(forgedBundle([...founding(), ...records], host, person));
    const note = seal(
      'handoff',
      handoffBody(made.fleet.home, 's'),
      made.fleet.home.agents[0]?.signer ?? eve,
    );
    expect(by(note)).toBe('bundle.context');
    expect(by(claim(ann), claim(ann))).toBe('bundle.repeated');
    expect(by({ ...claim(ann), signature: claim(bob).signature })).toBe('bundle.signature');
    expect(by({ ...claim(ann), body: { ...claim(ann).body, spec: 'x/v9' } })).toBe(
      'bundle.signature',
    );
    expect(
      by(seal('claim', { ...claim(ann).body, spec: 'x/v9' } as SignedRecord['body'], ann)),
    ).toBe('bundle.refused');
  });
});
