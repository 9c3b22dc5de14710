import { describe, expect, test } from 'vitest';
import { keyOf } from '../../test/kit/fleet.ts';
import { START, spoolLine, spoolText } from '../../test/kit/lake.ts';
import { type MemorySpool, memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { CredenceError } from '../base/errors.ts';
import type { Trouble } from '../base/trouble.ts';
import { parquet } from '../io/parquet.ts';
import { drainAll } from '../lake/drain.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { SignedRecord } from '../record/record.ts';
import { SessionBody } from '../record/session.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { KnownRevision } from './known-revision.ts';
import { confirmSeals, type SealAllParts, sealAll } from './seal-all.ts';

const RUNTIME = 'claude-code';
const MINUTE = 60_000;
const IDLE = 30 * MINUTE;
const HOST = '0123456789abcdef';

const stemOf = (session: string) => session.replace(':', '%3A');
function capture(
  spool: MemorySpool,
  session: string,
  events: readonly (readonly [s: number, fields: Partial<Envelope>])[],
): void {
  const lines = events.map(([s, fields]) => spoolLine(s, { session_id: session, ...fields }));
  spool.append(RUNTIME, stemOf(session), spoolText(lines));
}
const prompt = { event_type: 'prompt' as const, content: 'Fix it' };
const end = { event_type: 'session_end' as const };

interface World {
  readonly spool: MemorySpool;
  readonly store: ObjectStore;
  readonly sent: SignedRecord[];
  readonly known: Map<string, KnownRevision>;
}
const newWorld = (): World => ({
  spool: memorySpool(),
  store: openMemoryStore({ immutable: (key) => key.includes('part-') }),
  sent: [],
  known: new Map(),
});

async function seal(
  world: World,
  now: number,
  more: Partial<SealAllParts> = {},
  troubles: Trouble[] = [],
): Promise<number> {
  const { spool, store, sent, known } = world;
  const drained = await drainAll({ spool, store, codec: parquet, now, idleMs: IDLE }, troubles);
  const noLines = { lines: () => [], stat: () => undefined };
  const noHistory = { folder: '', files: () => [], locate: () => undefined };
  const parts: SealAllParts = {
    spool,
    store,
    codec: parquet,
    lines: noLines,
    history: noHistory,
    hostId: HOST,
    host: keyOf('host'),
    relax: () => undefined,
    idleMs: IDLE,
    now,
    circumstance: () => {
      throw new Error('there is no transcript');
    },
    known: (session) => known.get(session),
    send: async (record) => {
      sent.push(record);
      take(world, record);
    },
    ...more,
  };
  const sealed = await sealAll(drained, parts, troubles);
  confirmSeals(parts);
  return sealed;
}
/** What the ledger does with a session's record. */
function take({ known }: World, record: SignedRecord): void {
  const { session, revision, agent, parts } = SessionBody.parse(record.body);
  known.set(session, { revision, agent, parts: JSON.stringify(parts) });
}
const sessionsOf = (sent: readonly SignedRecord[]) =>
  sent.map((record) => [
    SessionBody.parse(record.body).session,
    SessionBody.parse(record.body).revision,
  ]);
const names = (spool: MemorySpool) =>
  [...spool.files.keys()].map((path) => path.split('/')[1]).sort();

describe('what is over is sealed', () => {
  test('a session that ended; its files go, its manifest says so', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    expect(await seal(world, START + MINUTE)).toBe(1);
    expect(sessionsOf(world.sent)).toEqual([['s1', 1]]);
    expect(names(world.spool)).toEqual([]);
    expect(world.spool.manifest(RUNTIME, 's1')).toMatchObject({
      revision: 1,
      sealed_parts: 1,
      drained: 1,
    });
  });

  test.each<[string, number, number]>([
    ['not one that runs', START + MINUTE, 0],
    ['not one whose part was cut and that still runs', START + 16 * MINUTE, 0],
    ['one that fell silent', START + IDLE, 1],
    ['one whose clock was wrong', START - IDLE, 1],
  ])('%s', async (_what, now, sealed) => {
    const world = newWorld();
    capture(world.spool, 's1', [[0, prompt]]);
    expect(await seal(world, now)).toBe(sealed);
    expect(world.sent).toHaveLength(sealed);
  });

  test('subagents with the session that they belong to, and not before', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [[0, prompt]]);
    capture(world.spool, 's1:a', [[0, { ...prompt, parent_session_id: 's1' }]]);
    expect(await seal(world, START + 16 * MINUTE)).toBe(0);
    capture(world.spool, 's1', [[960, end]]);
    expect(await seal(world, START + 17 * MINUTE)).toBe(2);
    expect(sessionsOf(world.sent).sort()).toEqual([
      ['s1', 1],
      ['s1:a', 1],
    ]);
  });

  test('not one that is at work again after a long silence, whatever its manifest says', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [[0, prompt]]);
    await seal(world, START + 16 * MINUTE);
    capture(world.spool, 's1', [[3_600, prompt]]);
    expect(await seal(world, START + 61 * MINUTE)).toBe(0);
    expect(world.sent).toEqual([]);
  });

  test('once: a second run finds nothing to do', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    await seal(world, START);
    expect(await seal(world, START)).toBe(0);
    expect(world.sent).toHaveLength(1);
  });
});

describe('revisions', () => {
  test('what comes after a seal makes the next one, which names all parts', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    await seal(world, START);
    capture(world.spool, 's1', [
      [60, prompt],
      [61, end],
    ]);
    await seal(world, START + MINUTE);
    expect(sessionsOf(world.sent)).toEqual([
      ['s1', 1],
      ['s1', 2],
    ]);
    const [first, second] = world.sent.map((record) => SessionBody.parse(record.body));
    expect(second?.parts).toHaveLength(2);
    expect(second?.parts[0]).toEqual(first?.parts[0]);
    expect(second?.digest.prompts).toBe(2);
  });

  test('one above what the ledger knows of another host', async () => {
    const world = newWorld();
    world.known.set('s1', { revision: 4, agent: 'cc-1', parts: '[]' });
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    await seal(world, START);
    expect(sessionsOf(world.sent)).toEqual([['s1', 5]]);
  });

  test('a sealing that was cut off after its record was committed is only noted', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    const dies = { ...world.spool, writeManifest: world.spool.writeManifest };
    let writes = 0;
    dies.writeManifest = (stem, manifest) => {
      writes += 1;
      // The first write is that of the drain; the second would say that the session is sealed.
      if (writes === 2) throw new CredenceError('unavailable', 'test.died', 'died');
      world.spool.writeManifest(stem, manifest);
    };
    await expect(seal({ ...world, spool: dies }, START)).rejects.toThrow('died');
    expect(sessionsOf(world.sent)).toEqual([['s1', 1]]);
    expect(await seal(world, START)).toBe(0);
    expect(world.sent).toHaveLength(1);
    expect(world.spool.manifest(RUNTIME, 's1')).toMatchObject({ sealed_parts: 1 });
    expect(names(world.spool)).toEqual([]);
  });

  test('one whose record waits is not sent again, and is sealed once the ledger has it', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    const waits = async (record: SignedRecord) => void world.sent.push(record);
    expect(await seal(world, START, { send: waits })).toBe(1);
    expect(await seal(world, START + MINUTE, { send: waits })).toBe(0);
    expect(world.spool.manifest(RUNTIME, 's1')).toMatchObject({ sent_parts: 1, sealed_parts: 0 });
    expect(names(world.spool)).toEqual(['s1.1.sent']);
    for (const record of world.sent) take(world, record);
    expect(await seal(world, START + 2 * MINUTE, { send: waits })).toBe(0);
    expect(sessionsOf(world.sent)).toEqual([['s1', 1]]);
    expect(world.spool.manifest(RUNTIME, 's1')?.sealed_parts).toBe(1);
    expect(names(world.spool)).toEqual([]);
  });

  test('one whose number another host took in between is sent anew, with what the other one had', async () => {
    const world = newWorld();
    const theirs = { ...newWorld(), store: world.store };
    const at = (s: number, content: string) => [s, { ...prompt, content }] as const;
    capture(theirs.spool, 's1', [at(0, 'Theirs'), [1, end]]);
    await seal(theirs, START);
    const [first] = theirs.sent;
    capture(world.spool, 's1', [at(2, 'Ours'), [3, end]]);
    const refused = async (record: SignedRecord) => {
      world.sent.push(record);
      if (first) take(world, first);
    };
    expect(await seal(world, START + MINUTE, { send: refused })).toBe(1);
    expect(world.spool.manifest(RUNTIME, 's1')?.sealed_parts).toBe(0);
    expect(await seal(world, START + MINUTE)).toBe(1);
    expect(sessionsOf(world.sent)).toEqual([
      ['s1', 1],
      ['s1', 2],
    ]);
    const body = SessionBody.parse(world.sent[1]?.body);
    expect(body.digest.prompts).toBe(2);
    expect(body.parts).toHaveLength(2);
    expect(world.spool.manifest(RUNTIME, 's1')).toMatchObject({ sealed_parts: 1 });
    expect(await seal(world, START + MINUTE)).toBe(0);
  });

  test('who ran a session is who its first seal says, whoever seals it later', async () => {
    const world = newWorld();
    world.known.set('s1', { revision: 1, agent: 'cc-first', parts: '[]' });
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    await seal(world, START);
    expect(SessionBody.parse(world.sent[0]?.body).agent).toBe('cc-first');
  });

  test('one that was cut off before that is sent again, byte for byte', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    const lost = async (record: SignedRecord) => {
      world.sent.push(record);
      throw new CredenceError('unavailable', 'test.lost', 'lost');
    };
    await expect(seal(world, START, { send: lost })).rejects.toThrow('lost');
    expect(names(world.spool)).toEqual(['s1.1.sent']);
    await seal(world, START + 5 * MINUTE);
    expect(world.sent[1]).toEqual(world.sent[0]);
    expect(names(world.spool)).toEqual([]);
  });
});

describe('trouble', () => {
  test('of one session is its own', async () => {
    const world = newWorld();
    for (const session of ['bad', 'good'])
      capture(world.spool, session, [
        [0, prompt],
        [1, end],
      ]);
    const troubles: Trouble[] = [];
    const send = async (record: SignedRecord) => {
      if (SessionBody.parse(record.body).session === 'bad')
        throw new CredenceError('incorrect', 'test.bad', 'bad');
      world.sent.push(record);
      take(world, record);
    };
    expect(await seal(world, START, { send }, troubles)).toBe(1);
    expect(troubles).toEqual([{ id: 'bad', code: 'test.bad', message: 'bad' }]);
    // What could not be sealed keeps its files.
    expect(names(world.spool)).toEqual(['bad.1.sent']);
  });

  test('files that an earlier run left behind go, those of what is not sealed stay', async () => {
    const world = newWorld();
    capture(world.spool, 's1', [
      [0, prompt],
      [1, end],
    ]);
    await seal(world, START);
    capture(world.spool, 's1', [[2, prompt]]);
    const [session] = world.spool.sessions();
    const [file] = session?.files ?? [];
    if (!session || !file) throw new Error('no file');
    world.spool.markSent(session, world.spool.freeze(session, file, 1));
    capture(world.spool, 's2', [[0, prompt]]);
    await seal(world, START + 16 * MINUTE);
    expect(names(world.spool)).toEqual(['s2.1.sent']);
  });
});
