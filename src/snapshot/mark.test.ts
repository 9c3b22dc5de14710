import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handoffBody, householdOf, noted, T0, worldAt } from '../../test/kit/fleet.ts';
import { foundOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { anyCuts, anyStoryOnce, cutInto, signed } from '../../test/kit/story.ts';
import { canonical } from '../base/canonical.ts';
import { type VerifyAll, verifyHere } from '../base/ed25519.ts';
import { CredenceError, codeOf } from '../base/errors.ts';
import { commitKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { GENESIS, type Head, propose, readCommit } from '../ledger/commit.ts';
import { root } from '../ledger/tree.ts';
import type { SignedRecord } from '../record/record.ts';
import { readerOf } from './database.ts';
import { follow, headOf } from './follow.ts';
import { assumedBy, type MarkFile, parseMark, type VerifiedMark } from './mark.ts';
import type { Sql } from './port.ts';
import { TABLES } from './schema.ts';

const ann = householdOf('ann');
const note = (id: string) => noted(ann, handoffBody(ann, id));

/** A machine's mark in memory, as text: what a file would hold. */
function markIn(
  kept: { text?: string | undefined } = {},
): MarkFile & { text?: string | undefined } {
  return Object.assign(kept, {
    read: () => parseMark(kept.text ?? ''),
    write(mark: VerifiedMark) {
      kept.text = JSON.stringify(mark);
    },
    remove() {
      kept.text = undefined;
    },
  });
}

/** Checks signatures here, and counts them. */
function counting(): { verifyAll: VerifyAll; checked: number } {
  const count = {
    checked: 0,
    verifyAll: (checks: Parameters<VerifyAll>[0]) => {
      count.checked += checks.length;
      return verifyHere(checks);
    },
  };
  return count;
}

async function followBy(store: ObjectStore, state: Sql, marks?: MarkFile) {
  const count = counting();
  const { verifyAll } = count;
  const head = await follow({ store, state, fleetId: 'fleet', verifyAll, marks, followed() {} });
  return { head, checked: count.checked };
}

/** As a machine does it: once more from the beginning, where the state turns out to be unproven. */
async function rebuild(
  store: ObjectStore,
  marks: MarkFile,
): Promise<Awaited<ReturnType<typeof followBy>> & { state: Sql; unproven?: unknown }> {
  const state = newSql();
  try {
    return { state, ...(await followBy(store, state, marks)) };
  } catch (unproven) {
    if (codeOf(unproven) !== 'state.unproven') throw unproven;
    const again = newSql();
    return { state: again, ...(await followBy(store, again, marks)), unproven };
  }
}

const rowsOf = (state: Sql) => [
  TABLES.map((table) => readerOf(state).where(table)),
  state.all('SELECT * FROM meta ORDER BY key'),
];

/** A ledger of a few commits, followed once: the store, and the mark that it left. */
async function followed(records: readonly SignedRecord[][]) {
  const store = openMemoryStore();
  await foundOn(store, ann);
  const state = newSql();
  let { head } = await followBy(store, state);
  for (const batch of records) head = await putCommit(store, head, batch, { home: ann });
  const marks = markIn();
  const { checked } = await followBy(store, newSql(), marks);
  return { store, head, marks, checked };
}

/** The same ledger with another record at the first place of commit `n`, every checkpoint from there on signed anew. */
async function rewritten(
  store: ObjectStore,
  n: number,
  record: SignedRecord,
): Promise<ObjectStore> {
  const other = openMemoryStore();
  let head: Head = GENESIS;
  for (let i = 1; ; i++) {
    const bytes = await store.get(commitKey(i));
    if (!bytes) return other;
    const text = Buffer.from(bytes).toString().split('\n').slice(1, -1);
    const records = text.map((line) => (JSON.parse(line) as { record: SignedRecord }).record);
    if (i === n) records[0] = record;
    const by = { fleetId: 'fleet', signer: ann.host, world: worldAt(T0, `commit ${i}`), now: T0 };
    const own = i < n ? bytes : propose(head, records, by);
    await other.put(commitKey(i), own);
    head = readCommit(own, head, 'fleet').head;
  }
}

describe('a state that is built again', () => {
  test('checks no record’s signature up to the mark, and every one beyond it', async () => {
    const { store, head, marks, checked } = await followed([[note('s1')], [note('s2')]]);
    expect(checked).toBe(head.frontier.size);
    expect(parseMark(marks.text ?? '')).toEqual({
      version: 1,
      fleet_id: 'fleet',
      n: head.n,
      size: head.frontier.size,
      root: root(head.frontier).toString('hex'),
      unsigned: [],
    });
    expect(await rebuild(store, marks)).toMatchObject({ head, checked: 0 });
    const later = await putCommit(store, head, [note('s3'), note('s4')], { home: ann });
    const { state, ...again } = await rebuild(store, marks);
    expect(again).toEqual({ head: later, checked: 2 });
    expect(assumedBy(state)).toBeUndefined();
    expect(marks.read()).toMatchObject({ n: later.n });
  });

  test('counts an entry whose signature is wrong as it did when that was checked', async () => {
    const forged = { ...note('s1'), signature: note('s2').signature };
    const { store, head, marks } = await followed([[note('s0'), forged], [note('s3')]]);
    const checkedState = newSql();
    await followBy(store, checkedState);
    const { state, checked } = await rebuild(store, marks);
    expect(checked).toBe(0);
    expect(marks.read()?.unsigned).toEqual([head.frontier.size - 1]);
    expect(rowsOf(state)).toEqual(rowsOf(checkedState));
  });

  test('is the one that checking everything gives, whatever the ledger, and wherever it was cut off', async () => {
    await fc.assert(
      fc.asyncProperty(anyStoryOnce, anyCuts, fc.nat(), async (scenes, cuts, cut) => {
        const { store, marks } = await followed(cutInto(signed(scenes), cuts));
        const whole = newSql();
        const { head } = await followBy(store, whole);
        const state = newSql();
        const stop = 1 + (cut % head.n);
        const failing = getting(store, (n) => {
          if (n > stop) throw new CredenceError('unavailable', 'store.gone', 'gone');
        });
        await expect(followBy(failing, state, marks)).rejects.toThrow('gone');
        const { checked } = await followBy(store, state, marks);
        expect(checked).toBe(0);
        expect(rowsOf(state)).toEqual(rowsOf(whole));
      }),
      { numRuns: 20 },
    );
  });
});

/** A store that is asked before it gives a commit. */
function getting(store: ObjectStore, ask: (n: number) => void): ObjectStore {
  return {
    name: store.name,
    put: (key, bytes) => store.put(key, bytes),
    putIfAbsent: (key, bytes) => store.putIfAbsent(key, bytes),
    list: (prefix) => store.list(prefix),
    delete: (key) => store.delete(key),
    time: () => store.time(),
    async get(key) {
      const n = /(\d{12})\.ndjson$/.exec(key)?.[1];
      if (n !== undefined) ask(Number(n));
      return store.get(key);
    },
  };
}

describe('a mark that the ledger does not bear out', () => {
  const tampered = () => {
    const { body, ...rest } = note('s1');
    return { ...rest, body: { ...body, summary: 'Another one.' } };
  };

  test('an entry below it was changed, and its checkpoints signed anew: it is found, as in a first follow', async () => {
    const { store, head, marks } = await followed([[note('s1')], [note('s2')], [note('s3')]]);
    const other = await rewritten(store, head.n - 2, tampered());
    const { state, unproven, checked } = await rebuild(other, marks);
    expect(unproven).toMatchObject({ code: 'state.unproven' });
    expect(checked).toBe(head.frontier.size);
    const first = newSql();
    await followBy(other, first);
    expect(rowsOf(state)).toEqual(rowsOf(first));
    expect(readerOf(state).where('unusable')).toMatchObject([{ code: 'record.signature' }]);
    // The new one is that of what was checked.
    expect(marks.read()).toMatchObject({ n: head.n, unsigned: [head.frontier.size - 2] });
  });

  test('it is ahead of the ledger', async () => {
    const { store, head, marks } = await followed([[note('s1')], [note('s2')]]);
    await store.delete(commitKey(head.n));
    const { state, unproven, checked } = await rebuild(store, marks);
    expect(unproven).toMatchObject({ code: 'state.unproven' });
    expect(checked).toBe(head.frontier.size - 1);
    expect(headOf(state).n).toBe(head.n - 1);
    expect(marks.read()).toMatchObject({ n: head.n - 1 });
  });

  test('a commit below it is broken: those before it are checked, and stand', async () => {
    const { store, head, marks } = await followed([[note('s1')], [note('s2')]]);
    await store.put(commitKey(head.n - 1), Buffer.from('x'));
    const state = newSql();
    await expect(followBy(store, state, marks)).rejects.toMatchObject({ code: 'state.unproven' });
    expect(marks.text).toBeUndefined();
    const again = newSql();
    await expect(followBy(store, again, marks)).rejects.toMatchObject({ code: 'ledger.torn' });
    expect(headOf(again).n).toBe(head.n - 2);
    expect(assumedBy(again)).toBeUndefined();
  });

  test('a state that was left unproven stays so, whatever becomes of the mark', async () => {
    const { store, head, marks } = await followed([[note('s1')], [note('s2')]]);
    const other = await rewritten(store, head.n - 1, tampered());
    const state = newSql();
    await expect(followBy(other, state, marks)).rejects.toMatchObject({ code: 'state.unproven' });
    expect(assumedBy(state)).toMatchObject({ n: head.n });
    await expect(followBy(other, state, markIn())).rejects.toMatchObject({
      code: 'state.unproven',
    });
    await expect(followBy(other, state)).rejects.toMatchObject({ code: 'state.unproven' });
  });

  test.each<[string, (mark: VerifiedMark) => string]>([
    ['of another fleet', (mark) => JSON.stringify({ ...mark, fleet_id: 'other' })],
    ['torn', (mark) => JSON.stringify(mark).slice(0, -9)],
    ['empty', () => ''],
    ['of another version', (mark) => JSON.stringify({ ...mark, version: 2 })],
    ['with a position that is none', (mark) => JSON.stringify({ ...mark, unsigned: ['x'] })],
  ])('one that is %s counts as none, and is written anew', async (_what, spoil) => {
    const { store, head, marks } = await followed([[note('s1')]]);
    const mark = marks.read() as VerifiedMark;
    marks.text = spoil(mark);
    expect(await rebuild(store, marks)).toMatchObject({ head, checked: head.frontier.size });
    expect(marks.read()).toEqual(mark);
  });

  test('a ledger with more bad signatures than are remembered leaves none', async () => {
    const forged = Array.from({ length: 1_001 }, (_, i) => ({
      ...note(`s${i}`),
      signature: note('s').signature,
    }));
    const { store, marks, head } = await followed([forged]);
    expect(canonical(forged[0])).not.toBe(canonical(note('s0')));
    expect(marks.text).toBeUndefined();
    expect(await rebuild(store, marks)).toMatchObject({ checked: head.frontier.size });
  });
});
