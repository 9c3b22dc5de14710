import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  anyTurns,
  claimOf,
  type Eraser,
  endorsementOf,
  entriesIn,
  episodeOf,
  eraserOn,
  erasureOf,
  foldWithStubs,
  recordOf,
  tablesOf,
} from '../../test/kit/erasing.ts';
import { faultSweep } from '../../test/kit/flaky-store.ts';
import { admissionBody, householdOf, idOf, keyOf, T0 } from '../../test/kit/fleet.ts';
import { followOn, newSql, putCommit } from '../../test/kit/member.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { canonical } from '../base/canonical.ts';
import { verifyHere } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { audit } from '../fold/audit.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { checkEntryProof, checkGrowthProof } from '../ledger/entry-proof.ts';
import { readHead } from '../ledger/find.ts';
import { deposit } from '../ledger/inbox.ts';
import { overwriteErased } from '../ledger/overwrite.ts';
import { proveEntry, proveGrowth } from '../query/prove.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import { readerOf } from './database.ts';
import { headOf } from './follow.ts';
import type { Sql } from './port.ts';
import { doubtStubs } from './stubs.ts';

const auditOf = (store: ObjectStore) =>
  audit({ store, fleetId: 'fleet', verifyAll: verifyHere, witnesses: [], heard: () => {} });

async function bytesOf(store: ObjectStore): Promise<string> {
  const texts: string[] = [];
  for await (const key of store.list('')) {
    texts.push(Buffer.from((await store.get(key)) ?? []).toString('utf8'));
  }
  return texts.join('\n');
}

/** The positions that erasures took, as the state has them. */
function takenIn(state: Sql): Set<number> {
  const rows = readerOf(state).where('erased');
  return new Set(rows.filter(({ erasure }) => erasure !== null).map(({ key }) => Number(key)));
}

async function told(...records: readonly SignedRecord[]): Promise<Eraser> {
  const eraser = await eraserOn(openMemoryStore());
  for (const record of records) await eraser.say(record);
  return eraser;
}

/** Where a record stands. */
const seqOf = ({ state }: Eraser, record: SignedRecord) =>
  readerOf(state).get('decided', idOf(record))?.at ?? 0;

describe('for any story of claims, with erasures at any point', () => {
  test('what is left is what stubs from the start would have given, and nothing else is lost', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurns, async (turns) => {
        const eraser = await eraserOn(openMemoryStore());
        const { store, state } = eraser;
        for (const [n, turn] of turns.entries()) {
          const record = await recordOf(eraser, turn, n);
          if (record) await eraser.say(record);
        }
        const taken = takenIn(state);
        const entries = await entriesIn(store);
        const oracle = foldWithStubs(entries, taken);
        expect(tablesOf(readerOf(state))).toEqual(tablesOf(oracle));
        // What nobody erased is as usable as it was.
        const full = new Set(
          foldWithStubs(entries, new Set())
            .where('unusable')
            .map(({ key }) => key),
        );
        for (const { key } of oracle.where('unusable')) expect(full).toContain(key);
        await eraser.sweep();
        const late = newSql();
        await followOn(store, late, 'fleet');
        expect(tablesOf(readerOf(late))).toEqual(tablesOf(readerOf(state)));
        expect(await entriesIn(store)).toHaveLength(entries.length);
        const { fault, unerased } = await auditOf(store);
        expect([fault, unerased]).toEqual([undefined, []]);
      }),
      { numRuns: 25 },
    );
  }, 240_000);

  test('every proof from before still holds, and every position is proven after', async () => {
    await fc.assert(
      fc.asyncProperty(anyTurns, async (turns) => {
        const eraser = await eraserOn(openMemoryStore());
        const { store, state } = eraser;
        const proofs: unknown[] = [];
        const heads: unknown[] = [];
        for (const [n, turn] of turns.entries()) {
          const record = await recordOf(eraser, turn, n);
          if (!record) continue;
          await eraser.say(record);
          const { n: commit, frontier } = headOf(state);
          heads.push((await readHead(store, commit)).checkpoint);
          proofs.push(await proveEntry(state, store, frontier.size));
          await eraser.sweep();
        }
        for (const proof of proofs) checkEntryProof(proof);
        for (const head of heads) checkGrowthProof(await proveGrowth(state, store, head));
        const taken = takenIn(state);
        for (let seq = 1; seq <= headOf(state).frontier.size; seq++) {
          const proven = checkEntryProof(await proveEntry(state, store, seq));
          expect('commitment' in proven).toBe(taken.has(seq));
        }
      }),
      { numRuns: 12 },
    );
  }, 240_000);
});

describe('an erasure', () => {
  const claim = claimOf(0, 'The gate code is 4711.');
  const named = endorsementOf(1, idOf(claim), 'I saw the gate code.');
  const other = claimOf(1, 'The parser is slow.');

  test('takes the text out of the store and the tables, and keeps the rest', async () => {
    const eraser = await told(claim, named, other);
    await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim)]));
    expect(JSON.stringify(tablesOf(readerOf(eraser.state)))).not.toMatch(/gate code/);
    expect((await auditOf(eraser.store)).unerased).toHaveLength(2);
    await eraser.sweep();
    expect(await bytesOf(eraser.store)).not.toMatch(/gate code/);
    expect(readerOf(eraser.state).get('claims', idOf(other))?.statement).toContain('parser');
    expect(readerOf(eraser.state).get('claims', idOf(claim))).toBeUndefined();
  });

  test('is refused, with its own code, where it may not be', async () => {
    const episode = episodeOf(2, 'I was there.');
    const eraser = await told(claim, named, other, episode);
    const seq = seqOf(eraser, claim);
    const wrong = { seq: seqOf(eraser, other), context: 'claim', commitment: 'f'.repeat(64) };
    const alone = (fields: object) => erasureOf(eraser, [], undefined, fields);
    const whole = readerOf(eraser.state).get('contents', String(seq));
    const entry = { seq, context: 'claim', commitment: whole?.commitment ?? '' };
    const cases: [SignedRecord, string][] = [
      [await alone({ entries: [entry] }), 'erasure.incomplete'],
      [await alone({ entries: [wrong] }), 'erasure.commitment'],
      [await alone({ entries: [{ ...wrong, context: 'episode' }] }), 'erasure.unknown'],
      [await alone({ entries: [{ ...wrong, seq: 999 }] }), 'erasure.unknown'],
      [await alone({ entries: [{ ...wrong, seq: 1, context: 'fleet' }] }), 'erasure.context'],
      [await alone({ entries: [{ ...wrong, context: 'session' }] }), 'erasure.context'],
      [await alone({ entries: [entry, entry] }), 'record.body'],
      [await erasureOf(eraser, [seq], keyOf('speaker two')), 'erasure.role'],
      [await erasureOf(eraser, [seqOf(eraser, episode)], keyOf('speaker one')), 'erasure.role'],
    ];
    for (const [record, code] of cases) {
      await eraser.say(record);
      expect(readerOf(eraser.state).get('decided', idOf(record))?.code).toBe(code);
    }
    expect(takenIn(eraser.state)).toEqual(new Set());
    // Whoever wrote it may, without being an admin; and once.
    const at = seqOf(eraser, episode);
    const own = await erasureOf(eraser, [at], keyOf('speaker three'));
    await eraser.say(own);
    expect(takenIn(eraser.state)).toEqual(new Set([at]));
    const again = await alone({ reason: 'again', entries: (own.body as never)['entries'] });
    await eraser.say(again);
    expect(readerOf(eraser.state).get('decided', idOf(again))?.code).toBe('erasure.repeated');
  });

  test('keeps out copies that come back, and names none of their ids', async () => {
    const eraser = await told(claim, named, other);
    await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim)]));
    const copies = [
      claim,
      named,
      claimOf(2, '  the GATE\tcode  is 4711. '),
      episodeOf(2, 'The gate code is 4711.'),
    ];
    await eraser.say(...copies);
    const rows = readerOf(eraser.state)
      .where('decided')
      .filter(({ code }) => code !== null);
    expect(rows.map(({ code }) => code)).toEqual(copies.map(() => 'content.erased'));
    expect(rows.every(({ key }) => /^inbox\/.*#\d$/.test(key))).toBe(true);
    await eraser.sweep();
    expect(await bytesOf(eraser.store)).not.toContain(idOf(claim));
    for await (const key of eraser.store.list('inbox/')) throw new Error(`${key} is left`);
    await eraser.say(claimOf(2, 'The gate code is 4712.'));
    expect(readerOf(eraser.state).where('claims')).toHaveLength(2);
  });

  test('ends its batch: what comes with it is judged by what is left', async () => {
    const eraser = await told(claim, other);
    const late = endorsementOf(2, idOf(claim), 'Late.');
    const sameItem = endorsementOf(1, idOf(claim), 'With it.');
    await deposit(eraser.store, 'zz', 1, [late]);
    await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim)]), sameItem);
    const refused = readerOf(eraser.state)
      .where('decided')
      .filter(({ code }) => code !== null);
    expect(refused.map(({ code }) => code)).toEqual(['content.erased', 'content.erased']);
    expect(readerOf(eraser.state).where('endorsements')).toEqual([]);
  });

  test('leaves what stood after it, and spoke of it, as it was', async () => {
    const episode = episodeOf(2, 'Seen by who speaks for the first time.');
    const newer = claimOf(0, 'The gate has no code.', { supersedes: idOf(claim) });
    const cites = claimOf(1, 'The gate was seen.', { episodes: [String(episode.body['id'])] });
    const [first, second] = [keyOf('speaker three'), keyOf('speaker three, later')];
    const { address } = first;
    const rotated = admissionBody(first, second.address, {
      principal: address,
      operator: address,
      roles: ['propose'],
    });
    const rotation = seal('admission', rotated, first);
    const eraser = await told(claim, episode, newer, cites, rotation);
    const before = readerOf(eraser.state).get('principals', second.address);
    await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim), seqOf(eraser, episode)]));
    const reader = readerOf(eraser.state);
    expect(reader.where('unusable')).toEqual([]);
    expect(reader.where('claims').map(({ key }) => key)).toEqual([newer, cites].map(idOf).sort());
    expect(before?.principal).toBe(address);
    expect(reader.get('principals', second.address)).toEqual(before);
    // Once all stubs are named, nothing unknown is taken on trust.
    const unknown = claimOf(0, 'Rests on nothing.', { supersedes: idOf(claim) });
    await eraser.say(unknown);
    expect(reader.get('claims', idOf(unknown))).toBeUndefined();
    expect(reader.where('decided').some(({ code }) => code === 'content.erased')).toBe(true);
  });

  test('is done again where a writer that stalled brings bytes back', async () => {
    const eraser = await told(claim, other);
    const before = Buffer.from(
      (await eraser.store.get('ledger/000000000/000000000002.ndjson')) ?? [],
    );
    await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim)]));
    await eraser.sweep();
    await eraser.store.put('ledger/000000000/000000000002.ndjson', before);
    await eraser.sweep();
    expect((await auditOf(eraser.store)).unerased).toHaveLength(1);
    doubtStubs(eraser.state);
    await eraser.sweep();
    expect((await auditOf(eraser.store)).unerased).toEqual([]);
  });

  test('of an author who was revoked before is none, whoever committed it', async () => {
    const own = claimOf(0, 'Its author is revoked.');
    const eraser = await told(own);
    const { person } = householdOf('ann');
    const { author: address } = own.body;
    const end = { spec: SPEC, author: person.address, issued_at: toInstant(T0), address };
    await eraser.say(seal('revocation', end, person));
    const erasure = await erasureOf(eraser, [seqOf(eraser, own)], keyOf('speaker one'));
    const head = headOf(eraser.state);
    await putCommit(eraser.store, head, [erasure], { home: householdOf('ann') });
    await eraser.say();
    expect(takenIn(eraser.state)).toEqual(new Set());
    expect(await auditOf(eraser.store)).toMatchObject({ fault: undefined, unerased: [] });
  });

  test('a stub that no erasure names is told of, and so is one with more in it', async () => {
    const eraser = await told(claim, other);
    const seq = seqOf(eraser, claim);
    const commitment = readerOf(eraser.state).get('contents', String(seq))?.commitment ?? '';
    await overwriteErased(eraser.store, 2, new Map([[seq, commitment]]));
    expect((await auditOf(eraser.store)).fault).toMatchObject({ code: 'ledger.stub', commit: 2 });
    const key = 'ledger/000000000/000000000002.ndjson';
    const text = Buffer.from((await eraser.store.get(key)) ?? []).toString('utf8');
    const more = canonical({ a: 1 }).slice(1, -1);
    await eraser.store.put(
      key,
      Buffer.from(text.replace('{"commitment"', `{${more},"commitment"`)),
    );
    expect((await auditOf(eraser.store)).fault).toMatchObject({ code: 'ledger.entry' });
  });

  test('is completed by the next run, whatever fails', async () => {
    await faultSweep(
      async (store) => {
        const state = newSql();
        const eraser = await eraserOn(store, state);
        await eraser.say();
        const isTaken = takenIn(state).size > 0;
        if (!isTaken && seqOf(eraser, claim) === 0) await eraser.say(claim);
        if (!isTaken) await eraser.say(await erasureOf(eraser, [seqOf(eraser, claim)]));
        await eraser.sweep();
      },
      openMemoryStore,
      async (store) => {
        const state = newSql();
        await followOn(store, state, 'fleet');
        expect(takenIn(state).size).toBe(1);
        expect(await bytesOf(store)).not.toMatch(/gate code/);
        expect((await auditOf(store)).fault).toBeUndefined();
      },
    );
  }, 120_000);
});
