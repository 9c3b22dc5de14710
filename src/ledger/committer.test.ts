import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  admissionBody,
  foundingOf,
  handoffBody,
  householdOf,
  idOf,
  keyOf,
  noted,
  repoMapBody,
  sealed,
  sessionBody,
  T0,
  worldAt,
} from '../../test/kit/fleet.ts';
import { tempFolder } from '../../test/kit/home.ts';
import {
  auditLedger,
  foundOn,
  inboxOf,
  type Member,
  memberOf,
  rejectionsOf,
} from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { canonical } from '../base/canonical.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { toInstant } from '../base/time.ts';
import { openFsStore } from '../io/fs-store.ts';
import { inboxKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { OPEN_HOST_ROLES } from '../record/fleet.ts';
import { KNOWLEDGE_SPEC } from '../record/knowledge.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import { admissions } from './found.ts';
import { deposit, pending } from './inbox.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const eve = householdOf('eve');
const FOUNDING = foundingOf(ann).length;

const session = (id: string, fields = {}) => sealed(ann, sessionBody(ann, id, fields));
const note = (id: string, fields = {}) => noted(ann, handoffBody(ann, id, fields));
const asked = (home: typeof ann, at = T0) =>
  admissions(home, toInstant(at)).map(({ record }) => record);

/** Puts lines of any kind into the inbox. */
async function depositText(store: ObjectStore, counter: number, text: string): Promise<string> {
  const key = inboxKey(ann.hostId, counter, sha256Hex(text));
  await store.put(key, Buffer.from(text));
  return key;
}

/**
 * A store that refuses to delete an item of the inbox as long as a line of it is neither in the ledger nor
 * rejected there: reading the ledger from its stored bytes, as anybody could.
 */
function guarded(inner: ObjectStore): ObjectStore {
  const store: ObjectStore = {
    name: inner.name,
    get: (key) => inner.get(key),
    put: (key, bytes) => inner.put(key, bytes),
    putIfAbsent: (key, bytes) => inner.putIfAbsent(key, bytes),
    list: (prefix) => inner.list(prefix),
    time: () => inner.time(),
    async delete(key) {
      const bytes = await inner.get(key);
      const { records } = await auditLedger(inner);
      const decided = new Set([
        ...records.map((record) => canonical(record)),
        ...rejectionsOf(records).map(({ of }) => of),
      ]);
      if (decided.has(`${key}#0`)) return inner.delete(key);
      const lines = Buffer.from(bytes ?? [])
        .toString()
        .split('\n')
        .slice(0, -1);
      for (const [i, line] of lines.entries()) {
        const refs = [line, `${key}#${i + 1}`, idIfAny(line)];
        if (line !== '' && !refs.some((ref) => decided.has(ref)))
          throw new Error(`${key} went too early: ${line}`);
      }
      await inner.delete(key);
    },
  };
  return store;
}

function idIfAny(line: string): string {
  try {
    return idOf(JSON.parse(line) as SignedRecord);
  } catch {
    return '';
  }
}

async function founded(
  kind: 'open' | 'closed' = 'open',
): Promise<{ store: ObjectStore; member: Member }> {
  const store = guarded(openMemoryStore({ immutable: (key) => key.startsWith('ledger/') }));
  await foundOn(store, ann, kind);
  return { store, member: memberOf(store, ann, worldAt()) };
}

/** The records after the founding, as the stored ledger has them. */
async function committed(store: ObjectStore): Promise<SignedRecord[]> {
  return (await auditLedger(store)).records.slice(FOUNDING);
}

describe('a pass over the inbox', () => {
  test('an empty one writes nothing', async () => {
    const { store, member } = await founded();
    expect(await member.commit()).toEqual([]);
    expect((await auditLedger(store)).commits).toHaveLength(1);
  });

  test('records go into one commit, in the order of host, counter and hash, and their items go', async () => {
    const { store, member } = await founded();
    const [a, b, c, d] = [session('s1'), session('s2'), note('s1'), note('s2')] as const;
    await deposit(store, ann.hostId, 10, [d]);
    await deposit(store, ann.hostId, 9, [c]);
    await deposit(store, ann.hostId, 2, [a, b]);
    expect(await member.commit()).toEqual([]);
    expect(await committed(store)).toEqual([a, b, c, d]);
    expect((await auditLedger(store)).commits).toHaveLength(2);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('depositing the same records under the same counter is depositing once', async () => {
    const { store } = await founded();
    const key = await deposit(store, ann.hostId, 1, [note('s1')]);
    expect(await deposit(store, ann.hostId, 1, [note('s1')])).toBe(key);
    expect(await pending(store)).toEqual([
      { key, host: ann.hostId, counter: 1, hash: sha256Hex(`${canonical(note('s1'))}\n`) },
    ]);
  });

  test('what is no item of the inbox is passed over', async () => {
    const { store, member } = await founded();
    await store.put('inbox/readme.txt', Buffer.from('hello'));
    await store.put(`inbox/${ann.hostId}/x.ndjson`, Buffer.from('hello'));
    expect(await pending(store)).toEqual([]);
    expect(await member.commit()).toEqual([]);
    expect(await inboxOf(store)).toHaveLength(2);
  });

  test('an item without a line goes', async () => {
    const { store, member } = await founded();
    await depositText(store, 1, '');
    await depositText(store, 2, '\n\n');
    await member.commit();
    expect([await inboxOf(store), await committed(store)]).toEqual([[], []]);
  });

  test('the commit is dated by the store where it knows the time, and by the clock where not', async () => {
    const { store, member } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    const timed: ObjectStore = { ...store, time: async () => T0 + 5_000 };
    await memberOf(timed, ann, worldAt(T0 + 60_000)).commit();
    await deposit(store, ann.hostId, 2, [note('s2')]);
    await memberOf(store, ann, worldAt(T0 + 60_000)).commit();
    await deposit(store, ann.hostId, 3, [note('s3')]);
    await memberOf(store, ann, worldAt(T0)).commit();
    const { commits } = await auditLedger(store);
    expect(commits.slice(1).map(({ checkpoint }) => checkpoint.recorded_at)).toEqual([
      toInstant(T0 + 5_000),
      toInstant(T0 + 60_000),
      toInstant(T0 + 60_000),
    ]);
    expect((await member.follow()).n).toBe(4);
  });
});

describe('nothing twice', () => {
  test('a record in several items, and several times in one', async () => {
    const { store, member } = await founded();
    const [a, b] = [note('s1'), note('s2')] as const;
    await deposit(store, ann.hostId, 1, [a, a]);
    await deposit(store, ann.hostId, 2, [a, b, a]);
    await deposit(store, bob.hostId, 1, [b]);
    await member.commit();
    expect([...(await committed(store))].map(idOf).sort()).toEqual([a, b].map(idOf).sort());
    expect(await inboxOf(store)).toEqual([]);
  });

  test('an item that holds only what is in this very batch stays until the batch can be read', async () => {
    const { store, member } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await deposit(store, ann.hostId, 2, [note('s1'), note('s1', { summary: '' })]);
    const full: ObjectStore = { ...store, putIfAbsent: () => Promise.reject(new Error('full')) };
    await expect(memberOf(full, ann, worldAt()).commit()).rejects.toThrow('full');
    expect(await inboxOf(store)).toHaveLength(2);
    await member.commit();
    expect(await inboxOf(store)).toEqual([]);
  });

  test('an item that comes back goes again, and changes nothing', async () => {
    const { store, member } = await founded();
    const records = [note('s1'), session('s1'), session('s1', { cwd: '/x' })];
    const text = `${records.map((record) => canonical(record)).join('\n')}\nno record\n`;
    await depositText(store, 1, text);
    await member.commit();
    const before = await auditLedger(store);
    expect(rejectionsOf(before.records)).toHaveLength(2);
    await depositText(store, 1, text);
    await memberOf(store, ann, worldAt(T0 + 1_000)).commit();
    expect(await auditLedger(store)).toEqual(before);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('the same record with other white space is another line, and is refused as one', async () => {
    const { store, member } = await founded();
    const key = await depositText(store, 1, `${canonical(note('s1'))} \n`);
    await member.commit();
    expect(rejectionsOf(await committed(store))).toEqual([
      { code: 'canonical.spelling', of: `${key}#1` },
    ]);
  });
});

describe('what is refused is said, once', () => {
  test('lines that are no records, each by its place', async () => {
    const { store, member } = await founded();
    const good = [note('s1'), note('s2')] as const;
    const lines = [
      'no JSON',
      canonical(good[0]),
      '{"b":1,"a":2}',
      canonical({ ...good[1], signature: '' }),
      '\ufffd',
      canonical(good[1]),
      '[]',
    ];
    const key = await depositText(store, 7, lines.map((line) => `${line}\n`).join(''));
    await member.commit();
    const records = await committed(store);
    expect(records.filter(({ context }) => context !== 'rejection')).toEqual(good);
    expect(rejectionsOf(records)).toEqual([
      { code: 'canonical.malformed', of: `${key}#1` },
      { code: 'canonical.order', of: `${key}#3` },
      { code: 'record.signature_form', of: `${key}#4` },
      { code: 'canonical.malformed', of: `${key}#5` },
      { code: 'record.shape', of: `${key}#7` },
    ]);
    expect(await inboxOf(store)).toEqual([]);
    expect(await member.commit()).toEqual([]);
    expect((await auditLedger(store)).commits).toHaveLength(2);
  });

  test('records, by their id', async () => {
    const { store, member } = await founded();
    const bad = [
      seal('fleet', { spec: SPEC, author: ann.person.address }, ann.person),
      session('s2', { issued_at: toInstant(T0 + 25 * 3_600_000) }),
      session('s1', { cwd: '/x' }),
    ] as const;
    await deposit(store, ann.hostId, 1, [session('s1'), ...bad]);
    await member.commit();
    expect(rejectionsOf(await committed(store))).toEqual([
      { code: 'record.context', of: idOf(bad[0]) },
      { code: 'record.future', of: idOf(bad[1]) },
      { code: 'session.revision_taken', of: idOf(bad[2]) },
    ]);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('a record that is refused in two items is refused once', async () => {
    const { store, member } = await founded();
    const bad = noted(ann, handoffBody(ann, 's', { agent: 'another' }));
    await deposit(store, ann.hostId, 1, [bad, bad]);
    await deposit(store, ann.hostId, 2, [bad]);
    await member.commit();
    expect(rejectionsOf(await committed(store))).toEqual([
      { code: 'handoff.agent', of: idOf(bad) },
    ]);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('an item whose bytes are not those that its key names, as a whole; whole again, it is taken', async () => {
    const { store, member } = await founded();
    const text = `${canonical(note('s1'))}\n`;
    const key = await depositText(store, 1, text);
    await store.put(key, Buffer.from(text).subarray(0, 100));
    await deposit(store, ann.hostId, 2, [note('s2')]);
    await member.commit();
    const [rejection, ...rest] = await committed(store);
    expect(rejection?.body).toMatchObject({ item: key, code: 'inbox.hash' });
    expect(rest).toEqual([note('s2')]);
    expect(await inboxOf(store)).toEqual([]);
    await depositText(store, 1, text);
    await member.commit();
    expect(await committed(store)).toEqual([rejection, note('s2'), note('s1')]);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('an item of gigabytes, as a whole; it does not hold up the others', async () => {
    const root = tempFolder('inbox');
    const store = openFsStore(root);
    await foundOn(store, ann, 'open');
    const member = memberOf(store, ann, worldAt());
    const key = await depositText(store, 1, 'x\n');
    truncateSync(join(root, key), 3 * 1024 ** 3);
    await deposit(store, ann.hostId, 2, [note('s2')]);
    expect(await member.commit()).toEqual([]);
    const [rejection, ...rest] = await committed(store);
    expect(rejection?.body).toMatchObject({ item: key, code: 'inbox.size' });
    expect(rest).toEqual([note('s2')]);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('an item that this host may not read waits for one that may, and holds up nobody', async () => {
    const { store, member } = await founded();
    const key = await deposit(store, ann.hostId, 1, [note('s1')]);
    await deposit(store, ann.hostId, 2, [note('s2')]);
    const denied = Object.assign(Object.create(store) as ObjectStore, {
      get: async (wanted: string, bytesMax?: number) => {
        if (wanted === key) throw new CredenceError('unavailable', 'store.denied', 'no');
        return store.get(wanted, bytesMax);
      },
    });
    const other = memberOf(denied, ann, worldAt());
    expect(await other.commit()).toMatchObject([{ item: key, for: 'access' }]);
    expect(await committed(store)).toEqual([note('s2')]);
    expect(await inboxOf(store)).toEqual([key]);
    expect(await member.commit()).toEqual([]);
    expect(await committed(store)).toEqual([note('s2'), note('s1')]);
  });

  test('a commit can be read, however large the items are', async () => {
    const { store, member } = await founded();
    const long = 'x'.repeat(2_048);
    const item = { kind: 'claim' as const, id: long, source: long, observed_by: long };
    const lineage = Array.from({ length: 700 }, () => item);
    for (const n of [1, 2, 3]) await deposit(store, ann.hostId, n, [session(`s${n}`, { lineage })]);
    await member.commit();
    const { commits } = await auditLedger(store);
    expect(commits.slice(1).map(({ entries }) => entries.length)).toEqual([2, 1]);
  });

  test('a hostile item does not hold up the others', async () => {
    const { store, member } = await founded();
    const { address } = ann.host;
    let deep: unknown = [];
    for (let i = 0; i < 60; i++) deep = [deep];
    const hostile = [
      seal('session', { spec: SPEC, author: address, ...{ deep } }, ann.host),
      seal(
        'session',
        { spec: SPEC, author: address, ...JSON.parse('{"__proto__":{"x":1}}') },
        ann.host,
      ),
      seal('constructor', { spec: SPEC, author: address }, ann.host),
    ];
    await depositText(
      store,
      1,
      `${hostile.map((one) => canonical(one)).join('\n')}\n${'['.repeat(50_000)}\n`,
    );
    await deposit(store, ann.hostId, 2, [note('s1')]);
    await member.commit();
    const records = await committed(store);
    expect(rejectionsOf(records).map(({ code }) => code)).toEqual([
      'record.body',
      'record.body',
      'record.context',
      'canonical.malformed',
    ]);
    expect(records).toContainEqual(note('s1'));
    expect(await inboxOf(store)).toEqual([]);
  });
});

describe('what cannot be decided waits', () => {
  const later = note('s3', { issued_at: toInstant(T0 + 600_000) });
  const strange = noted(bob, handoffBody(bob, 's'));

  test('where it is, and is reported each time; the rest of its item is committed', async () => {
    const { store, member } = await founded();
    const mixed = await deposit(store, ann.hostId, 1, [note('s1'), later, note('s2')]);
    const stranger = await deposit(store, bob.hostId, 1, [strange]);
    const expected = [
      {
        ...{ item: mixed, id: idOf(later), for: 'date' },
        ...{ author: later.body.author, at: toInstant(T0 + 600_000) },
      },
      {
        ...{ item: stranger, id: idOf(strange), for: 'admission' },
        ...{ author: strange.body.author, at: toInstant(T0) },
      },
    ].sort((a, b) => (a.item < b.item ? -1 : 1));
    for (let i = 0; i < 2; i++) {
      expect(await member.commit()).toEqual(expected);
      expect(await committed(store)).toEqual([note('s1'), note('s2')]);
      expect((await inboxOf(store)).sort()).toEqual([mixed, stranger].sort());
    }
  });

  test('for its date', async () => {
    const { store, member } = await founded();
    await deposit(store, ann.hostId, 1, [later]);
    await member.commit();
    expect(await memberOf(store, ann, worldAt(T0 + 299_999)).commit()).toHaveLength(1);
    expect(await memberOf(store, ann, worldAt(T0 + 300_000)).commit()).toEqual([]);
    expect([await committed(store), await inboxOf(store)]).toEqual([[later], []]);
  });

  test('for what it names, whichever item a list shows first', async () => {
    const { store, member } = await founded();
    const said = { spec: KNOWLEDGE_SPEC, author: keyOf('ann agent cc').address };
    const claim = seal(
      'claim',
      {
        ...said,
        scope: { space: 'shop', segment: null },
        kind: 'semantic',
        statement: 'The till opens at nine.',
        topics: [],
        refs: [],
        episodes: [],
        asserted_at: toInstant(T0),
        supersedes: null,
      } as typeof said,
      keyOf('ann agent cc'),
    );
    const withdrawal = { ...said, claim_id: idOf(claim), reason: 'ten', issued_at: toInstant(T0) };
    const retirement = seal('retirement', withdrawal, keyOf('ann agent cc'));
    const item = await deposit(store, ann.hostId, 1, [retirement]);
    expect(await member.commit()).toMatchObject([{ item, id: idOf(retirement), for: 'reference' }]);
    expect(await committed(store)).toEqual([]);
    await deposit(store, 'z-last', 1, [claim]);
    expect(await member.commit()).toEqual([]);
    expect([await committed(store), await inboxOf(store)]).toEqual([[claim, retirement], []]);
  });

  test('not for ever for what it names', async () => {
    const { store } = await founded();
    const said = { spec: KNOWLEDGE_SPEC, author: keyOf('ann agent cc').address };
    const body = { ...said, claim_id: 'f'.repeat(64), reason: 'x', issued_at: toInstant(T0) };
    await deposit(store, ann.hostId, 1, [seal('retirement', body, keyOf('ann agent cc'))]);
    const commitAfter = (ms: number) => memberOf(store, ann, worldAt(T0 + ms)).commit();
    expect(await commitAfter(60 * 24 * 3_600_000)).toMatchObject([{ for: 'reference' }]);
    expect(await commitAfter(60 * 24 * 3_600_000 + 1)).toEqual([]);
    expect(rejectionsOf(await committed(store)).map(({ code }) => code)).toEqual(['claim.unknown']);
  });

  test('for no date that the ledger is past, however far behind a clock is', async () => {
    const { store, member } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await memberOf(store, ann, worldAt(T0 + 72 * 3_600_000)).commit();
    const fresh = note('s2', { issued_at: toInstant(T0 + 72 * 3_600_000) });
    await deposit(store, ann.hostId, 2, [fresh]);
    expect(await member.commit()).toEqual([]);
    expect(await committed(store)).toEqual([note('s1'), fresh]);
  });

  test('for the admission of its author, which may stand in a later item', async () => {
    const { store, member } = await founded('closed');
    await deposit(store, bob.hostId, 1, [strange]);
    expect(await member.commit()).toMatchObject([{ for: 'admission' }]);
    const body = admissionBody(ann.person, strange.body.author, {
      principal: 'bob-cc',
      roles: ['propose'],
    });
    const admission = seal('admission', body, ann.person);
    await deposit(store, 'z-last', 1, [admission]);
    expect(await member.commit()).toEqual([]);
    expect([await committed(store), await inboxOf(store)]).toEqual([[admission, strange], []]);
  });
});

describe('who may not commit does not', () => {
  /** Nothing was committed, and everybody who follows still can. */
  async function untouched(store: ObjectStore, commits = 1): Promise<void> {
    expect((await auditLedger(store)).commits).toHaveLength(commits);
    expect((await memberOf(store, ann, worldAt()).follow()).n).toBe(commits);
  }

  test('a host that joins an open fleet commits its own admission, and then the rest', async () => {
    const { store, member } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await deposit(store, eve.hostId, 1, asked(eve));
    const joining = memberOf(store, eve, worldAt());
    expect(await joining.commit()).toEqual([]);
    const { commits } = await auditLedger(store);
    expect(commits[1]?.checkpoint.author).toBe(eve.host.address);
    expect(commits[1]?.entries[0]).toMatchObject({ record: asked(eve)[0] });
    expect(await inboxOf(store)).toEqual([]);
    expect((await member.follow()).n).toBe(commits.length);
  });

  test('a host that joins refuses nothing before its own admission: its word would not count', async () => {
    const { store } = await founded();
    const key = inboxKey(eve.hostId, 1, sha256Hex('no record\n'));
    await store.put(key, Buffer.from('no record\n'));
    const large = inboxKey(eve.hostId, 2, sha256Hex('other bytes'));
    await store.put(large, Buffer.from('bytes'));
    await deposit(store, eve.hostId, 3, asked(eve));
    expect(await memberOf(store, eve, worldAt()).commit()).toEqual([]);
    const records = await committed(store);
    expect(records.slice(0, 3)).toEqual(asked(eve));
    expect(rejectionsOf(records)).toEqual([
      { code: 'canonical.malformed', of: `${key}#1` },
      { code: 'inbox.hash', of: `${large}#0` },
    ]);
    expect(await inboxOf(store)).toEqual([]);
  });

  test('even where more is pending before it than one commit holds: the rest makes more commits', async () => {
    const { store } = await founded();
    const records = Array.from({ length: 1_001 }, (_, i) => note(`s${i}`));
    await deposit(store, '0', 1, records);
    await deposit(store, eve.hostId, 1, asked(eve));
    expect(await memberOf(store, eve, worldAt()).commit()).toEqual([]);
    const { commits } = await auditLedger(store);
    expect(commits.map(({ entries }) => entries.length)).toEqual([FOUNDING, 3, 1_000, 1]);
    expect((await committed(store)).slice(3)).toEqual(records);
    expect(await inboxOf(store)).toEqual([]);
    expect((await memberOf(store, bob, worldAt()).follow()).frontier.size).toBe(FOUNDING + 1_004);
  });

  test('a host whose own admission a stale list does not show', async () => {
    const { store } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await memberOf(store, eve, worldAt()).commit();
    await untouched(store);
  });

  test('a host whose own admission waits for its date', async () => {
    const { store } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await deposit(store, eve.hostId, 1, asked(eve, T0 + 600_000));
    const waiting = await memberOf(store, eve, worldAt()).commit();
    expect(waiting.map((one) => one.for)).toEqual(['date', 'date', 'date']);
    await untouched(store);
  });

  test('a stranger in a closed fleet', async () => {
    const { store } = await founded('closed');
    await deposit(store, ann.hostId, 1, [note('s1')]);
    await deposit(store, eve.hostId, 1, asked(eve));
    await memberOf(store, eve, worldAt()).commit();
    await untouched(store);
  });

  test('a host whose admission to a closed fleet nobody has committed yet', async () => {
    const { store, member } = await founded('closed');
    const body = admissionBody(ann.person, eve.host.address, {
      kind: 'host',
      principal: eve.hostId,
      roles: [...OPEN_HOST_ROLES],
    });
    await deposit(store, eve.hostId, 1, [seal('admission', body, ann.person)]);
    const joining = memberOf(store, eve, worldAt());
    await joining.commit();
    await untouched(store);
    await member.commit();
    await deposit(store, eve.hostId, 2, [sealed(eve, sessionBody(eve, 's'))]);
    await joining.commit();
    await untouched(store, 3);
  });

  test('a host that lost the role', async () => {
    const { store, member } = await founded();
    const body = admissionBody(ann.person, ann.host.address, {
      kind: 'host',
      principal: ann.hostId,
    });
    await deposit(store, ann.hostId, 1, [seal('admission', body, ann.person)]);
    await member.commit();
    await deposit(store, ann.hostId, 2, [
      seal('repo-map', repoMapBody(ann.person, '/srv', 'github.com/acme/web'), ann.person),
    ]);
    await member.commit();
    await untouched(store, 2);
  });

  test('a key that is admitted as something else', async () => {
    const { store } = await founded();
    await deposit(store, ann.hostId, 1, [note('s1')]);
    const agent = { ...ann, host: keyOf('ann agent cc') };
    await memberOf(store, agent, worldAt()).commit();
    await untouched(store);
  });
});
