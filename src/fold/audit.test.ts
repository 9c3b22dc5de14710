import { describe, expect, test } from 'vitest';
import { handoffBody, householdOf, noted, T0 } from '../../test/kit/fleet.ts';
import { followOn, foundOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { type VerifyAll, verifyHere } from '../base/ed25519.ts';
import { hashParts, sha256Hex } from '../base/hash.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { Head } from '../ledger/commit.ts';
import { root } from '../ledger/tree.ts';
import { audit, type Witness } from './audit.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const note = (id: string) => noted(ann, handoffBody(ann, id));

/** Answers as `verifyHere` does, once for each check: what was not altered is asked thousands of times. */
const answers = new Map<string, Promise<readonly boolean[]>>();
const verifyOnce: VerifyAll = (checks) => {
  const name = hashParts(
    checks.flatMap(({ address, input, signature }) => [address, sha256Hex(input), signature]),
  );
  const known = answers.get(name) ?? verifyHere(checks);
  answers.set(name, known);
  return known;
};

const auditOf = (store: ObjectStore, witnesses: readonly Witness[] = []) =>
  audit({ store, verifyAll: verifyOnce, witnesses, heard: () => {} });

/** A store with a founding and commits of two notes each, by their names. */
async function ledgerOf(...names: string[]): Promise<{ store: ObjectStore; head: Head }> {
  const store = openMemoryStore();
  await foundOn(store, ann, 'open');
  let head = await followOn(store, newSql(), 'fleet');
  for (const name of names)
    head = await putCommit(store, head, [note(name), note(`${name}+`)], { home: ann, now: T0 });
  return { store, head };
}

async function read(store: ObjectStore, n: number): Promise<Buffer> {
  return Buffer.from((await store.get(commitKey(n))) ?? '');
}

/** The same ledger with one commit's bytes replaced, or gone. */
async function tampered(
  store: ObjectStore,
  changed: Readonly<Record<number, Uint8Array | undefined>>,
): Promise<ObjectStore> {
  const copy = openMemoryStore();
  for (let n = 1; ; n++) {
    const bytes = n in changed ? changed[n] : await store.get(commitKey(n));
    if (!bytes && !(n in changed)) return copy;
    if (bytes) await copy.put(commitKey(n), bytes);
  }
}

const witness = ({ n, frontier }: Head, by = 'a colleague'): Witness => ({
  n,
  size: frontier.size,
  root: root(frontier).toString('hex'),
  by,
});

describe('a ledger that holds', () => {
  test('is told with its size and its root, and that it holds what was seen', async () => {
    const { store, head } = await ledgerOf('a', 'b');
    const heard: number[] = [];
    const found = await audit({
      store,
      verifyAll: verifyHere,
      witnesses: [witness(head)],
      heard: (n) => heard.push(n),
    });
    expect(found).toEqual({
      fleetId: 'fleet',
      commits: 3,
      entries: head.frontier.size,
      root: root(head.frontier).toString('hex'),
      recordedAt: head.recordedAt,
      fault: undefined,
      unerased: [],
    });
    expect(heard).toEqual([1, 2, 3]);
  });

  test('that is not there has nothing wrong with it', async () => {
    expect(await auditOf(openMemoryStore())).toMatchObject({ commits: 0, entries: 0 });
  });
});

describe('what was altered is named, with its commit', () => {
  test('any bit', { timeout: 240_000 }, async () => {
    const { store } = await ledgerOf('a');
    const missed: string[] = [];
    for (const n of [1, 2]) {
      const bytes = await read(store, n);
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const copy = Buffer.from(bytes);
        copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        const { fault } = await auditOf(await tampered(store, { [n]: copy }));
        if (fault?.commit !== n) missed.push(`bit ${bit} of commit ${n}`);
      }
    }
    expect(missed).toEqual([]);
  });

  test('any end that was cut off', { timeout: 120_000 }, async () => {
    const { store } = await ledgerOf('a');
    const bytes = await read(store, 2);
    for (let end = 0; end < bytes.length; end++) {
      const cut = await tampered(store, { 2: bytes.subarray(0, end) });
      expect((await auditOf(cut)).fault?.commit).toBe(2);
    }
  });

  test.each<[string, (lines: string[]) => string[]]>([
    ['two entries in the other order', ([head = '', a = '', b = '']) => [head, b, a]],
    ['an entry twice', ([head = '', a = '', b = '']) => [head, a, a, b]],
    ['an entry less', ([head = '', a = '']) => [head, a]],
    ['the head alone', ([head = '']) => [head]],
    ['no head', ([, a = '', b = '']) => [a, b]],
  ])('%s', async (_what, edit) => {
    const { store } = await ledgerOf('a', 'b');
    const lines = (await read(store, 2)).toString().slice(0, -1).split('\n');
    const bytes = Buffer.from(
      edit(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
    const { fault, commits } = await auditOf(await tampered(store, { 2: bytes }));
    expect([fault?.commit, commits]).toEqual([2, 1]);
    expect(fault?.code).toMatch(/^ledger\./);
  });

  test.each<[string, number, number[], string]>([
    ['a commit in the place of the one before it', 2, [3], 'ledger.number'],
    ['a commit again', 4, [3], 'ledger.number'],
  ])('%s', async (_what, n, [of = 0], code) => {
    const { store } = await ledgerOf('a', 'b');
    const bytes = await read(store, of);
    expect((await auditOf(await tampered(store, { [n]: bytes }))).fault).toMatchObject({
      code,
      commit: n,
    });
  });

  test('a commit that is gone from the middle', async () => {
    const { store } = await ledgerOf('a', 'b');
    const { fault } = await auditOf(await tampered(store, { 2: undefined }));
    expect(fault).toMatchObject({ code: 'ledger.missing', commit: 2 });
  });

  test('a commit of another ledger, be it of the same fleet', async () => {
    const { store } = await ledgerOf('a', 'b');
    const other = await ledgerOf('x', 'y');
    const { fault } = await auditOf(await tampered(store, { 3: await read(other.store, 3) }));
    expect(fault).toMatchObject({ code: 'ledger.root', commit: 3 });
  });

  test('a commit by a key that may not commit', async () => {
    const { store, head } = await ledgerOf('a');
    await putCommit(store, head, [note('b')], { home: bob, now: T0 });
    expect((await auditOf(store)).fault).toMatchObject({ code: 'ledger.committer', commit: 3 });
  });

  test('a record whose signature is another’s, under a head that covers it', async () => {
    const { store, head } = await ledgerOf('a');
    const forged = { ...note('b'), signature: note('c').signature };
    await putCommit(store, head, [forged], { home: ann, now: T0 });
    expect((await auditOf(store)).fault).toMatchObject({ code: 'ledger.record', commit: 3 });
  });
});

describe('what only a witness can know', () => {
  test('commits that were cut off at the end', async () => {
    const { store, head } = await ledgerOf('a', 'b');
    const cut = await tampered(store, { 3: undefined });
    expect((await auditOf(cut)).fault).toBeUndefined();
    expect((await auditOf(cut, [witness(head)])).fault).toMatchObject({
      code: 'ledger.cut_off',
      message: 'the ledger ends at commit 2, and a colleague saw commit 3',
    });
  });

  test('two histories of one size', async () => {
    const { store } = await ledgerOf('a', 'b');
    const other = await ledgerOf('a', 'c');
    const { fault } = await auditOf(store, [witness(other.head)]);
    expect(fault).toMatchObject({ code: 'ledger.fork', commit: 3 });
    expect((await auditOf(other.store, [witness(other.head)])).fault).toBeUndefined();
  });
});

test('a store that fails is no fault of the ledger', async () => {
  const { store } = await ledgerOf('a');
  const failing: ObjectStore = {
    name: 'failing',
    get: () => Promise.reject(new Error('the network is gone')),
    put: (key, bytes) => store.put(key, bytes),
    putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
    list: (prefix) => store.list(prefix),
    delete: (key) => store.delete(key),
    time: () => store.time(),
  };
  await expect(auditOf(failing)).rejects.toThrow('the network is gone');
});
