import { describe, expect, test } from 'vitest';
import { eventsIn, START, spoolLine, spoolText } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { LIMIT } from '../base/limits.ts';
import { parquet } from '../io/parquet.ts';
import { drain } from './drain.ts';
import type { ObjectStore } from './objects.ts';
import type { Spool } from './port.ts';

const RUNTIME = 'claude-code';
const MINUTE = 60_000;
const IDLE = 30 * MINUTE;
const newStore = () => openMemoryStore({ immutable: () => true });
const prompt = (s: number, content = `prompt ${s}`) =>
  spoolLine(s, { event_type: 'prompt', content });
const end = (s: number) => spoolLine(s, { event_type: 'session_end', detail: 'x' });

describe('a file that is larger than memory', () => {
  const native = { key: 'tool:t1', counted: false };
  const tool = { name: 'Bash', input: '{}' };
  const copied = prompt(6, 'copied');
  const lines = [
    ...Array.from({ length: 60 }, (_, i) => prompt(i, i % 3 === 0 ? 'again' : `prompt ${i}`)),
    spoolLine(60, { event_type: 'tool_call', tool }, { native }),
    copied,
    spoolLine(61, {}, { recognised: false }),
    ...Array.from({ length: 30 }, (_, i) => prompt(62 + i, 'again')),
    copied,
    spoolLine(95, { event_type: 'tool_call', tool: { ...tool, result: 'ok' } }, { native }),
    end(99),
  ];
  const text = `\n{"torn\n${spoolText(lines)}\n{"torn\n`;
  async function drainBy(batchBytes: number, store: ObjectStore, watch = (spool: Spool) => spool) {
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', text);
    const [session] = spool.sessions();
    if (!session) throw new Error('no session');
    const parts = { spool: watch(spool), store, codec: parquet, now: START, idleMs: IDLE };
    return { ...(await drain(session, { ...parts, batchBytes })), spool };
  }

  test('is the same session in batches as at once', async () => {
    const [whole, other] = [newStore(), newStore()];
    const once = await drainBy(1_000_000, whole);
    const events = await eventsIn(whole, once.manifest);
    const all = await drainBy(1, other);
    expect(once.manifest?.parts).toHaveLength(1);
    expect(all.manifest?.parts.length).toBeGreaterThan(90);
    expect(await eventsIn(other, all.manifest)).toEqual(events);
    const { parts: _, ...rest } = once.manifest ?? {};
    expect(all.manifest).toMatchObject(rest);
    expect(all.manifest).toMatchObject({ torn: 2, unrecognised: 1, drained: 1, ended: true });
    expect([once, all].map(({ spool }) => spool.counted())).toMatchObject([
      { torn: 2, unrecognised: 1 },
      { torn: 2, unrecognised: 1 },
    ]);
  });

  test('is put as it is read, never held as a whole', async () => {
    let [read, cut, most] = [0, 0, 0];
    const watch = (spool: Spool): Spool => ({
      ...spool,
      *lines(session, file) {
        // The open one is small, or it is not read before it is frozen.
        if (file.state === 'open') return yield* spool.lines(session, file);
        for (const group of spool.lines(session, file)) {
          read += group.length;
          most = Math.max(most, read - cut);
          yield group;
        }
      },
    });
    const store = newStore();
    const put = store.put.bind(store);
    store.put = (key, bytes) => {
      cut = read;
      return put(key, bytes);
    };
    await drainBy(5_000, store, watch);
    expect(read).toBeGreaterThan(lines.length);
    expect(most).toBeLessThan(lines.length / 2);
  });

  test('is due for its size alone, and read once', async () => {
    let reads = 0;
    const spool = memorySpool();
    const large = prompt(1, 'x'.repeat(LIMIT.part_bytes_max));
    spool.append(RUNTIME, 's1', spoolText([prompt(0), large]));
    const counting: Spool = {
      ...spool,
      lines(session, file) {
        reads += 1;
        return spool.lines(session, file);
      },
    };
    const [session] = spool.sessions();
    if (!session) throw new Error('no session');
    const parts = { spool: counting, store: newStore(), codec: parquet, idleMs: IDLE };
    const { over, manifest } = await drain(session, { ...parts, now: START + MINUTE });
    expect([reads, over, manifest?.drained]).toEqual([1, false, 1]);
  });
});
