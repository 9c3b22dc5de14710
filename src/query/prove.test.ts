import { describe, expect, test } from 'vitest';
import {
  handoffBody,
  householdOf,
  idOf,
  noted,
  sealed,
  sessionBody,
} from '../../test/kit/fleet.ts';
import { followOn, foundOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import type { WholeEntry } from '../ledger/entry.ts';
import {
  checkEntryProof,
  checkGrowthProof,
  type EntryProof,
  openHead,
} from '../ledger/entry-proof.ts';
import { readHead } from '../ledger/find.ts';
import type { SignedRecord } from '../record/record.ts';
import { positionMeant, proveEntry, proveGrowth } from './prove.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const note = (id: string) => noted(ann, handoffBody(ann, id));

/** A ledger of a founding and two commits, followed. */
async function ledger(first = 'a') {
  const store = openMemoryStore();
  await foundOn(store, ann, 'open');
  const state = newSql();
  let head = await followOn(store, state, 'fleet');
  const founding = head.frontier.size;
  const session = sealed(ann, sessionBody(ann, 'session-one'));
  head = await putCommit(store, head, [note(first), session, note('b')], { home: ann });
  head = await putCommit(store, head, [note('c')], { home: ann });
  await followOn(store, state, 'fleet');
  return { store, state, founding, size: head.frontier.size, session };
}

/** A proof with one thing in it changed. */
function changed<T extends object>(proof: T, edit: (copy: T) => unknown): T {
  const copy = structuredClone(proof);
  edit(copy);
  return copy;
}

/** The entry of a proof, of which nothing was erased. */
function wholeOf({ entry }: EntryProof): WholeEntry {
  if (!('record' in entry)) throw new Error(`entry ${entry.seq} was erased`);
  return entry;
}

const asWhole = (proof: EntryProof) => ({ ...proof, entry: wholeOf(proof) });

describe('a proof of an entry', () => {
  test('says of every entry what it is, to whoever has nothing else', async () => {
    const { store, state, size } = await ledger();
    for (let seq = 1; seq <= size; seq++) {
      const proof = await proveEntry(state, store, seq);
      const proven = checkEntryProof(JSON.parse(JSON.stringify(proof)));
      expect(proven).toMatchObject({ seq, size, n: 3, fleetId: 'fleet' });
      expect(proven).toMatchObject({ id: idOf(wholeOf(proof).record) });
      expect(proven.committer).toBe(ann.host.address);
    }
  });

  test('of anything that was altered is refused', async () => {
    const { store, state, founding } = await ledger();
    const proof = asWhole(await proveEntry(state, store, founding + 1));
    const other = asWhole(await proveEntry(state, store, founding + 2));
    const wrong: [object, RegExp][] = [
      [changed(proof, (copy) => (copy.entry = other.entry)), /proof.wrong/],
      [changed(proof, (copy) => (copy.entry.seq += 1)), /proof.wrong/],
      [changed(proof, (copy) => (copy.entry.salt = '0'.repeat(32))), /proof.wrong/],
      [changed(proof, (copy) => (copy.path[0] = 'f'.repeat(64))), /proof.wrong/],
      [changed(proof, (copy) => copy.path.pop()), /proof.wrong/],
      [changed(proof, (copy) => (copy.entry.record.body.author = bob.host.address)), /record.sig/],
      [changed(proof, (copy) => (copy.checkpoint.signature = other.entry.record.signature)), /sig/],
      [changed(proof, (copy) => (copy.checkpoint = copy.entry.record)), /proof.shape/],
      [{ ...proof, kind: 'growth' }, /proof.shape/],
      [{}, /proof.shape/],
    ];
    for (const [forged, code] of wrong) {
      expect(() => checkEntryProof(forged), JSON.stringify(forged).slice(0, 80)).toThrow(
        expect.objectContaining({ code: expect.stringMatching(code) }),
      );
    }
  });

  test('is asked for by position, record or session', async () => {
    const { state, founding, session } = await ledger();
    expect(positionMeant(state, '1')).toBe(1);
    expect(positionMeant(state, idOf(session))).toBe(founding + 2);
    expect(positionMeant(state, idOf(session).slice(0, 12))).toBe(founding + 2);
    expect(positionMeant(state, 'session-o')).toBe(founding + 2);
    for (const ref of ['', '0', '999', 'ffffffffffff', '%', "'", '12345678901'])
      expect(() => positionMeant(state, ref), ref).toThrow('no entry of the ledger');
    const alike = idOf(session).slice(0, 8);
    state.run(
      "INSERT INTO decided (key, at, context) VALUES (?, 1, 'handoff')",
      `${alike}${'0'.repeat(56)}`,
    );
    expect(() => positionMeant(state, alike)).toThrow(`several records begin with ${alike}`);
  });
});

describe('a proof of growth', () => {
  test('leads from every head to the last one, and from no other', async () => {
    const { store, state } = await ledger();
    const other = await ledger('x');
    const fork = (await readHead(other.store, 2)).checkpoint;
    const heads: SignedRecord[] = [];
    for (const n of [1, 2, 3]) heads.push((await readHead(store, n)).checkpoint);
    for (const head of heads) {
      const proof = await proveGrowth(state, store, head);
      expect(checkGrowthProof(proof)).toMatchObject({ from: openHead(head), to: { n: 3 } });
      const back = { ...proof, from: proof.to, to: proof.from };
      if (head !== heads[2])
        expect(() => checkGrowthProof(back)).toThrow('does not go on from commit 3');
    }
    const forged = await proveGrowth(state, store, fork);
    expect(() => checkGrowthProof(forged)).toThrow('does not go on from commit 2');
  });

  test('is not to be had from a head that was not reached yet, nor from what is none', async () => {
    const { store, state } = await ledger();
    const ahead = await ledger();
    const whole = await followOn(ahead.store, newSql(), 'fleet');
    await putCommit(ahead.store, whole, [note('d')], { home: ann });
    const { checkpoint } = await readHead(ahead.store, 4);
    await expect(proveGrowth(state, store, checkpoint)).rejects.toMatchObject({
      code: 'proof.ahead',
    });
    await expect(proveGrowth(state, store, note('a'))).rejects.toMatchObject({
      code: 'proof.shape',
    });
    await expect(proveGrowth(state, store, 'x')).rejects.toMatchObject({ code: 'record.shape' });
  });
});
