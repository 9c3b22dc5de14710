import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  handoffBody,
  householdOf,
  keyOf,
  noted,
  repoMapBody,
  sealed,
  sessionBody,
  T0,
  worldAt,
} from '../../test/kit/fleet.ts';
import { canonical, type Json } from '../base/canonical.ts';
import { verifyHere } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import { open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { type Commit, GENESIS, type Head, propose, readCommit } from './commit.ts';
import { commitmentOf, type EntryWithText, type OpenedEntry, openEntries } from './entry.ts';
import { append, EMPTY, leafHash, root } from './tree.ts';

const ann = householdOf('ann');

/** The one entry, opened. */
async function openEntry(entry: EntryWithText): Promise<OpenedEntry> {
  const [opened] = await openEntries([entry], verifyHere);
  if (!opened) throw new Error('an entry is opened, or at fault');
  return opened;
}
const bob = householdOf('bob');

function proposed(
  head: Head,
  records: readonly SignedRecord[],
  by: { fleetId?: string; now?: number; home?: typeof ann } = {},
): Buffer {
  const { fleetId = 'fleet', now = T0, home = ann } = by;
  return Buffer.from(
    propose(head, records, { fleetId, signer: home.host, world: worldAt(now), now }),
  );
}

const records = [
  sealed(ann, sessionBody(ann, 's1')),
  noted(ann, handoffBody(ann, 's1', { summary: 'naïve 語 🦊 \ufffd' })),
  seal('repo-map', repoMapBody(ann.host, '/srv/**', 'github.com/acme/web'), ann.host),
];
const first = readCommit(proposed(GENESIS, records.slice(0, 1)), GENESIS, 'fleet');
const bytes = proposed(first.head, records.slice(1));

const failing = (code: string, n = 2) =>
  expect.objectContaining({ category: 'incorrect', code: `ledger.${code}`, data: { n } });

/** The lines of the commit without their ends, changed and put together again. */
function edited(change: (lines: string[]) => readonly string[]): Buffer {
  return Buffer.from(
    change(bytes.toString().split('\n').slice(0, -1))
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** The commit with another checkpoint: its own with some fields changed, signed again. */
function resigned(fields: { readonly [name: string]: Json }, by = ann.host): Buffer {
  return edited(([line = '', ...rest]) => {
    const body = { ...open(JSON.parse(line)).body, ...fields, author: by.address, spec: SPEC };
    return [canonical(seal('checkpoint', body, by)), ...rest];
  });
}

/** An entry's line with something changed in it. */
function changedEntry(change: (entry: { [name: string]: Json }) => Json): Buffer {
  return edited(([line = '', entry = '', ...rest]) => [
    line,
    canonical(change(JSON.parse(entry) as { [name: string]: Json })),
    ...rest,
  ]);
}

describe('a commit that was proposed can be read', () => {
  test('with its records in order, positions from 1 and a salt each', () => {
    const second = readCommit(bytes, first.head, 'fleet');
    const entries = [...first.entries, ...second.entries];
    expect(entries.flatMap((entry) => ('record' in entry ? [entry.record] : []))).toEqual(records);
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3]);
    expect(new Set(second.entries.map((entry) => 'salt' in entry && entry.salt)).size).toBe(2);
    expect(second.checkpoint).toEqual({
      spec: SPEC,
      author: ann.host.address,
      issued_at: toInstant(T0),
      fleet_id: 'fleet',
      n: 2,
      first_seq: 2,
      size: 3,
      root: root(second.head.frontier).toString('hex'),
      recorded_at: toInstant(T0),
    });
    expect(second.head).toMatchObject({ n: 2, recordedAt: toInstant(T0) });
  });

  test('whatever fleet it is of, where none is asked for', () => {
    expect(readCommit(bytes, first.head, undefined).checkpoint.fleet_id).toBe('fleet');
  });

  test('whoever signed it: whether they may is asked by the one who folds it', () => {
    const other = proposed(first.head, records.slice(1), { home: bob });
    expect(readCommit(other, first.head, 'fleet').checkpoint.author).toBe(bob.host.address);
  });

  test('the root is that of the tree over all entries so far', () => {
    const { entries } = readCommit(bytes, first.head, 'fleet');
    let frontier = EMPTY;
    for (const entry of [...first.entries, ...entries])
      frontier = append(frontier, leafHash(commitmentOf(entry)));
    expect(readCommit(bytes, first.head, 'fleet').head.frontier).toEqual(frontier);
  });

  test('time never goes back, and may stand still', () => {
    const at = (now: number) => {
      const commit = readCommit(proposed(first.head, records, { now }), first.head, 'fleet');
      return commit.checkpoint.recorded_at;
    };
    expect(at(T0 - 86_400_000)).toBe(toInstant(T0));
    expect(at(T0)).toBe(toInstant(T0));
    expect(at(T0 + 1)).toBe(toInstant(T0 + 1));
  });

  test('any number of commits of any size gives the head of one commit with all of it', () => {
    const many = Array.from({ length: 12 }, (_, i) => sealed(ann, sessionBody(ann, `s${i}`)));
    const frontierOf = (sizes: readonly number[]) => {
      let head = GENESIS;
      let at = 0;
      const commits: Commit[] = [];
      for (const size of sizes) {
        const by = { fleetId: 'fleet', signer: ann.host, world: { now: () => T0, random: zeros } };
        const next = propose(head, many.slice(at, at + size), { ...by, now: T0 });
        commits.push(readCommit(next, head, 'fleet'));
        head = commits.at(-1)?.head ?? head;
        at += size;
      }
      expect(commits.flatMap(({ entries }) => entries.map(({ seq }) => seq))).toEqual(
        many.map((_, i) => i + 1),
      );
      return root(head.frontier).toString('hex');
    };
    const zeros = (length: number) => new Uint8Array(length);
    const whole = frontierOf([12]);
    const anySizes = fc
      .array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 6 })
      .map((sizes) => {
        const kept = sizes.filter((_, i) => sizes.slice(0, i + 1).reduce((a, b) => a + b) < 12);
        return [...kept, 12 - kept.reduce((a, b) => a + b, 0)];
      });
    fc.assert(
      fc.property(anySizes, (sizes) => {
        expect(frontierOf(sizes)).toBe(whole);
      }),
      { numRuns: 15 },
    );
  });
});

describe('each way to be wrong has its own code', () => {
  const text = bytes.toString();
  const [, , last = ''] = text.split('\n');
  test.each<[string, string, () => Uint8Array]>([
    ['nothing', 'torn', () => Buffer.alloc(0)],
    ['the last byte is missing', 'torn', () => bytes.subarray(0, -1)],
    ['it ends inside a line', 'torn', () => bytes.subarray(0, -40)],
    ['bytes come after the last line', 'torn', () => Buffer.concat([bytes, Buffer.from('{')])],
    [
      'a replaced character by a byte that reads the same',
      'torn',
      () => {
        const at = bytes.indexOf(Buffer.from('\ufffd'));
        return Buffer.concat([bytes.subarray(0, at), Buffer.of(0xff), bytes.subarray(at + 3)]);
      },
    ],
    ['an empty line alone', 'checkpoint', () => Buffer.from('\n')],
    ['no checkpoint', 'checkpoint', () => edited((lines) => lines.slice(1))],
    [
      'the checkpoint comes last',
      'checkpoint',
      () => edited(([head = '', ...rest]) => [...rest, head]),
    ],
    [
      'a record of another context in its place',
      'checkpoint',
      () => edited(([, ...rest]) => [canonical(records[0]), ...rest]),
    ],
    [
      'a checkpoint with white space',
      'checkpoint',
      () => edited(([head = '', ...rest]) => [`${head} `, ...rest]),
    ],
    [
      'a checkpoint without a signature',
      'checkpoint',
      () =>
        edited(([head = '', ...rest]) => [
          canonical({ ...JSON.parse(head), signature: '' }),
          ...rest,
        ]),
    ],
    [
      'a checkpoint with the signature of another one',
      'checkpoint',
      () =>
        edited(([head = '', ...rest]) => {
          const other = proposed(first.head, records).toString().split('\n')[0] ?? '';
          return [
            canonical({ ...JSON.parse(head), signature: JSON.parse(other).signature }),
            ...rest,
          ];
        }),
    ],
    [
      'a checkpoint that was signed for another context',
      'checkpoint',
      () =>
        edited(([head = '', ...rest]) => {
          const { body } = open(JSON.parse(head));
          const signed = seal(
            'decision',
            { ...body, spec: SPEC, author: ann.host.address },
            ann.host,
          );
          return [canonical({ ...signed, context: 'checkpoint' }), ...rest];
        }),
    ],
    [
      'the body of a checkpoint, signed as something else and honest about it',
      'checkpoint',
      () =>
        edited(([head = '', ...rest]) => {
          const { body } = open(JSON.parse(head));
          const author = ann.host.address;
          return [canonical(seal('decision', { ...body, spec: SPEC, author }, ann.host)), ...rest];
        }),
    ],
    [
      'a checkpoint of another specification',
      'checkpoint',
      () =>
        edited(([head = '', ...rest]) => {
          const body = {
            ...open(JSON.parse(head)).body,
            spec: 'credence/v2',
            author: ann.host.address,
          };
          return [canonical(seal('checkpoint', body, ann.host)), ...rest];
        }),
    ],
    ['a checkpoint with a field more', 'checkpoint', () => resigned({ note: 'x' })],
    ['a root that is no hash', 'checkpoint', () => resigned({ root: 'x' })],
    ['another fleet', 'fleet', () => resigned({ fleet_id: 'other' })],
    ['the number before', 'number', () => resigned({ n: 1 })],
    ['the number after', 'number', () => resigned({ n: 3 })],
    ['an entry that is no JSON', 'entry', () => edited((lines) => [...lines, '{'])],
    [
      'an entry with white space',
      'entry',
      () => edited((lines) => [...lines.slice(0, 2), ` ${last}`]),
    ],
    [
      'an empty line among the entries',
      'entry',
      () => edited((lines) => [...lines.slice(0, 2), '', last]),
    ],
    [
      'an entry without a salt',
      'entry',
      () => changedEntry(({ seq = 0, record = null }) => ({ seq, record })),
    ],
    [
      'an entry with a short salt',
      'entry',
      () => changedEntry((entry) => ({ ...entry, salt: '00' })),
    ],
    [
      'an entry with a member more',
      'entry',
      () => changedEntry((entry) => ({ ...entry, note: 'x' })),
    ],
    [
      'an entry whose record is none',
      'entry',
      () => changedEntry((entry) => ({ ...entry, record: {} })),
    ],
    ['a position twice', 'seq', () => edited((lines) => [...lines, last])],
    ['a position left out', 'seq', () => edited(([head = '', , ...rest]) => [head, ...rest])],
    [
      'entries in another order',
      'seq',
      () => edited(([head = '', a = '', b = '']) => [head, b, a]),
    ],
    ['an entry less', 'size', () => edited((lines) => lines.slice(0, -1))],
    [
      'an entry more',
      'size',
      () => edited((lines) => [...lines, canonical({ ...JSON.parse(last), seq: 4 })]),
    ],
    ['no entry', 'size', () => edited((lines) => lines.slice(0, 1))],
    ['a checkpoint that begins elsewhere', 'size', () => resigned({ first_seq: 1 })],
    ['a checkpoint that ends elsewhere', 'size', () => resigned({ size: 4 })],
    ['another root', 'root', () => resigned({ root: '0'.repeat(64) })],
    ['another salt', 'root', () => changedEntry((entry) => ({ ...entry, salt: '0'.repeat(32) }))],
    [
      'another record',
      'root',
      () => changedEntry((entry) => ({ ...entry, record: records[0] as unknown as Json })),
    ],
    [
      'a member that objects of JavaScript hide',
      'root',
      () => Buffer.from(text.replace('"agent":', '"__proto__":1,"agent":')),
    ],
    ['dated before the one before it', 'time', () => resigned({ recorded_at: toInstant(T0 - 1) })],
  ])('%s: ledger.%s', (_what, code, make) => {
    expect(() => readCommit(make(), first.head, 'fleet')).toThrow(failing(code));
  });

  test('one that does not follow the head it is read against', () => {
    expect(() => readCommit(bytes, GENESIS, 'fleet')).toThrow(failing('number', 1));
    const fork = readCommit(proposed(GENESIS, records.slice(1, 2)), GENESIS, 'fleet');
    expect(() => readCommit(bytes, fork.head, 'fleet')).toThrow(failing('root'));
    const longer = readCommit(proposed(GENESIS, records.slice(0, 2)), GENESIS, 'fleet');
    expect(() => readCommit(bytes, longer.head, 'fleet')).toThrow(failing('seq'));
  });

  test('what it says to do next', () => {
    expect(() => readCommit(bytes.subarray(1), first.head, 'fleet')).toThrow(
      expect.objectContaining({ message: expect.stringContaining('commit 2') }),
    );
    expect(() => readCommit(bytes.subarray(0, -1), first.head, 'fleet')).toThrow(
      expect.objectContaining({ next: expect.stringContaining('doctor') }),
    );
  });
});

describe('no bit of a commit can change unseen', () => {
  const map = repoMapBody(ann.host, '/naïve 語 🦊 \ufffd', 'github.com/acme/web');
  const small = proposed(first.head, [seal('repo-map', map, ann.host)]);

  /** True where the bytes are refused, or an entry of them is found to be at fault. */
  async function isCaught(changed: Uint8Array): Promise<boolean> {
    try {
      const { entries } = readCommit(changed, first.head, 'fleet');
      const opened = await openEntries(entries, verifyHere);
      return opened.some((entry) => 'fault' in entry);
    } catch (error) {
      if (error instanceof CredenceError) return true;
      throw error;
    }
  }

  test('each of its bits, one by one', async () => {
    expect(await isCaught(small)).toBe(false);
    const unseen: string[] = [];
    for (let bit = 0; bit < small.length * 8; bit++) {
      const changed = Buffer.from(small);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      if (!(await isCaught(changed))) unseen.push(`byte ${bit >> 3}, bit ${bit & 7}`);
    }
    expect(unseen).toEqual([]);
  });

  test('nor any bytes be left out, put in or put in the place of others', async () => {
    const anyCut = fc.tuple(
      fc.nat(small.length),
      fc.nat(30),
      fc.oneof(
        fc.uint8Array({ maxLength: 20 }),
        fc.string().map((text) => Buffer.from(text)),
      ),
    );
    await fc.assert(
      fc.asyncProperty(anyCut, async ([at, length, put]) => {
        const changed = Buffer.concat([small.subarray(0, at), put, small.subarray(at + length)]);
        fc.pre(Buffer.compare(changed, small) !== 0);
        expect(await isCaught(changed)).toBe(true);
      }),
      { numRuns: 400 },
    );
  });
});

describe('an entry', () => {
  const [entry] = first.entries;
  if (!entry || !('record' in entry)) throw new Error('the first commit has an entry');

  test('opens to its record', async () => {
    expect(await openEntry(entry)).toEqual({
      seq: 1,
      context: 'session',
      record: open(entry.record),
    });
  });

  test.each<[string, SignedRecord, string]>([
    ['a signature', { ...entry.record, signature: '' }, 'record.signature'],
    ['a context', { ...entry.record, context: 'handoff' }, 'record.signature'],
    [
      'a number',
      { ...entry.record, body: { ...entry.record.body, revision: 0.5 } },
      'canonical.number',
    ],
    [
      'an author',
      { ...entry.record, body: { ...entry.record.body, author: keyOf('x').address } },
      'record.signature',
    ],
  ])('with a wrong %s is at fault, and named', async (_what, record, fault) => {
    const { seq, salt } = entry;
    const opened = await openEntry({ seq, salt, record });
    expect(opened).toMatchObject({ seq, context: record.context, fault });
  });

  test('read with its text opens as it does without, whatever its record holds', async () => {
    const anyText = fc.string({
      unit: fc.constantFrom('"', '\\', '\n', '\0', '\u2028', 'é', '🦊', '}', ','),
    });
    const anyBody = fc.dictionary(
      anyText,
      fc.oneof(anyText, fc.maxSafeInteger(), fc.constant(null)),
    );
    await fc.assert(
      fc.asyncProperty(anyBody, anyText, fc.boolean(), async (more, signature, isForged) => {
        const body = { ...more, spec: SPEC, author: ann.host.address };
        const signed = seal('later', body, ann.host);
        const record = isForged ? { ...signed, signature } : signed;
        const text = proposed(first.head, [record]);
        const [read] = readCommit(text, first.head, 'fleet').entries;
        if (!read || !('record' in read)) throw new Error('one record is one entry');
        const { recordText, ...plain } = read;
        expect(recordText).toBe(canonical(record));
        const opened = await openEntry(read);
        expect(opened).toEqual(await openEntry(plain));
        expect('fault' in opened).toBe(isForged);
        expect(commitmentOf(read)).toEqual(commitmentOf(plain));
      }),
      { numRuns: 60 },
    );
  });

  test('commits to its salt and to all of its record', () => {
    const { seq, salt, record } = entry;
    const others = [
      { seq, salt: '0'.repeat(32), record },
      { seq, salt, record: { ...record, signature: 'x' } },
      { seq, salt, record: { ...record, context: 'handoff' } },
      { seq, salt, record: { ...record, body: { ...record.body, revision: 2 } } },
    ];
    const all = [entry, ...others].map((one) => commitmentOf(one).toString('hex'));
    expect(new Set(all).size).toBe(5);
    expect(commitmentOf({ seq: 9, salt, record })).toEqual(commitmentOf(entry));
  });
});
