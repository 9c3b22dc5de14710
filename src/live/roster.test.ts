import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../../test/kit/home.ts';
import { START, spoolLine, spoolText } from '../../test/kit/lake.ts';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import { openMemoryStore } from '../../test/kit/memory-store.ts';
import { toInstant } from '../base/time.ts';
import type { Trouble } from '../base/trouble.ts';
import { INTENT_DETAIL } from '../capture/announced.ts';
import { openFsStore } from '../io/fs-store.ts';
import { parquet } from '../io/parquet.ts';
import { drainAll } from '../lake/drain.ts';
import { agentKey, intentKey } from '../lake/layout.ts';
import type { Spool } from '../lake/port.ts';
import { LiveSession } from './live.ts';
import { intentsOf, isWithin, LIVE_MS, liveSession } from './observe.ts';
import { announce, exchange, liveOf, publishRoster, readRoster } from './roster.ts';

const RUNTIME = 'claude-code';
const MINUTE = 60_000;
const REPO = 'github.com/acme/web';
const at = { repo: REPO, cwd: '/w/src', branch: 'main' };
const prompt = (s: number, content: string) =>
  spoolLine(s, { ...at, event_type: 'prompt', content });
const edit = (s: number, path: string, name = 'Edit') =>
  spoolLine(s, { ...at, event_type: 'tool_call', tool: { name, paths: [path] } });
const item = (id: string) => ({ kind: 'digest' as const, id, source: 's0', observed_by: 'cc-02' });

describe('a running session', () => {
  test('says what it was asked last, where, and what it was shown', () => {
    const lines = [
      spoolLine(0, {
        ...at,
        event_type: 'session_start',
        injected_context: [item('a'), item('b')],
      }),
      prompt(1, 'first'),
      spoolLine(2, {
        ...at,
        event_type: 'prompt',
        content: ' Fix\n<credence-context ids="x">told</credence-context> it ',
        injected_context: [item('a')],
      }),
      edit(3, '/w/a.ts'),
    ];
    expect(liveSession(lines, undefined, START + 4_000)).toEqual({
      session: 's1',
      repo: REPO,
      branch: 'main',
      started_at: toInstant(START),
      last_at: toInstant(START + 3_000),
      asked: 'Fix it',
      // What was put before it again is the latest.
      shown: ['digest:b', 'digest:a'],
    });
  });

  test.each<[string, Parameters<typeof liveSession>[0], number, boolean]>([
    ['without a line', [], START, false],
    ['that ended', [prompt(0, 'a'), spoolLine(1, { event_type: 'session_end' })], START, false],
    [
      'that was resumed after its end',
      [spoolLine(0, { event_type: 'session_end' }), prompt(1, 'a')],
      START,
      true,
    ],
    ['that is still', [prompt(0, 'a')], START + LIVE_MS - 1, true],
    ['that fell silent', [prompt(0, 'a')], START + LIVE_MS, false],
    ['by a clock that is a little ahead', [prompt(60, 'a')], START, true],
    ['by a clock that is far ahead', [prompt(365 * 86_400, 'a')], START, false],
  ])('one %s: %3$j', (_what, lines, now, live) => {
    expect(liveSession(lines, undefined, now) !== undefined).toBe(live);
  });

  test('what it says is bounded', () => {
    const shown = Array.from({ length: 500 }, (_, i) => item(`id${i}`));
    const fields = { ...at, branch: 'b'.repeat(4_000), repo: 'r'.repeat(4_000) };
    const line = spoolLine(0, {
      ...fields,
      event_type: 'prompt',
      content: 'é'.repeat(5_000),
      injected_context: [item('x'.repeat(300)), ...shown],
    });
    const live = liveSession([line], undefined, START);
    expect(LiveSession.safeParse(live).success).toBe(true);
    expect(Buffer.byteLength(live?.asked ?? '')).toBeLessThanOrEqual(160);
    expect(live?.shown).toHaveLength(200);
    expect(live?.shown.at(-1)).toBe('digest:id499');
  });
});

test.each<[number, boolean]>([
  [-10, false],
  [-9, true],
  [0, true],
  [9, true],
  [10, false],
  [Number.NaN, false],
])('a moment %i from now lies within 10: %j', (at, within) => {
  expect(isWithin(10, 1_000 + at, 1_000)).toBe(within);
});

describe('intents', () => {
  test('are the files that it edits, each until half an hour after the last time', () => {
    const lines = [
      edit(0, '/w/a.ts'),
      edit(60, '/w/a.ts', 'Write'),
      edit(1, '/w/b.ts'),
      edit(2, '/w/c.ts', 'Read'),
      edit(3, '/wide/d.ts'),
      prompt(4, 'x'),
    ];
    expect(intentsOf(lines, '/w', START + MINUTE)).toEqual([
      { session: 's1', repo: REPO, path: 'a.ts', until: toInstant(START + MINUTE + LIVE_MS) },
      { session: 's1', repo: REPO, path: 'b.ts', until: toInstant(START + 1_000 + LIVE_MS) },
    ]);
  });

  test.each<[string, string | undefined, number]>([
    ['where the top of the checkout is not known', undefined, START],
    ['long after', '/w', START + LIVE_MS],
    ['by a clock that is far ahead', '/w', START - LIVE_MS],
  ])('none %s', (_what, root, now) => {
    expect(intentsOf([edit(0, '/w/a.ts')], root, now)).toEqual([]);
  });
});

describe('announced intents', () => {
  const announced = (second: number, fields: object, detail = INTENT_DETAIL) => {
    const intents = [{ repo: REPO, path: 'src/' }];
    const until = toInstant(START + 10 * MINUTE);
    const content = JSON.stringify({ intents, reason: 'why', until, ...fields });
    return spoolLine(second, { event_type: 'other', detail, content });
  };
  const until = (minutes: number) => toInstant(START + minutes * MINUTE);

  test('hold until they say, with why, whatever the top of the checkout', () => {
    const wanted = [{ session: 's1', repo: REPO, path: 'src/', until: until(10), reason: 'why' }];
    expect(intentsOf([announced(0, {})], undefined, START)).toEqual(wanted);
    expect(intentsOf([announced(0, {})], undefined, START + 10 * MINUTE)).toEqual([]);
  });

  test('and an edit of the same path hold as long as the one that holds longer, with why', () => {
    const intents = [{ repo: REPO, path: 'a.ts' }];
    const lines = [announced(0, { intents }), edit(60, '/w/a.ts')];
    for (const both of [lines, [...lines].reverse()]) {
      expect(intentsOf(both, '/w', START + MINUTE)).toEqual([
        { session: 's1', repo: REPO, path: 'a.ts', until: until(31), reason: 'why' },
      ]);
    }
  });

  test.each<[string, object, string]>([
    ['for longer than anybody believes', { until: toInstant(START + 2 * LIVE_MS) }, INTENT_DETAIL],
    ['until no instant', { until: 'soon' }, INTENT_DETAIL],
    ['of no paths', { intents: 'src/' }, INTENT_DETAIL],
    ['of a path that is none', { intents: [{ repo: REPO, path: 7 }] }, INTENT_DETAIL],
    ['with a reason of any length', { reason: 'r'.repeat(1_000) }, INTENT_DETAIL],
    ['by another event', {}, 'credence brief'],
  ])('none %s', (_what, fields, detail) => {
    expect(intentsOf([announced(0, fields, detail)], '/w', START)).toEqual([]);
  });
});

describe('who is at work on this host', () => {
  const from = (spool: Spool, now: number) => ({
    spool,
    now,
    agents: { [RUNTIME]: 'cc-01', cursor: 'cu-01' },
    checkout: (cwd: string) => (cwd.startsWith('/w') ? { repo: REPO, root: '/w' } : undefined),
  });
  const drained = (spool: Spool, now: number) =>
    drainAll({ spool, store: openMemoryStore(), codec: parquet, now, idleMs: 30 * MINUTE }, []);

  test('each agent, with its sessions and the files that they edit', async () => {
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', spoolText([prompt(0, 'Fix it'), edit(1, '/w/a.ts')]));
    spool.append(
      RUNTIME,
      's2',
      spoolText([spoolLine(0, { session_id: 's2', agent_id: 'unconfigured' })]),
    );
    const now = START + MINUTE;
    expect(liveOf(await drained(spool, now), from(spool, now))).toEqual([
      {
        agent: 'cc-01',
        runtime: RUNTIME,
        sessions: [expect.objectContaining({ session: 's1', asked: 'Fix it' })],
        intents: [expect.objectContaining({ path: 'a.ts' })],
      },
      { agent: 'cu-01', runtime: 'cursor', sessions: [], intents: [] },
    ]);
  });

  test('what a command records does not hide which files its session edits', async () => {
    const spool = memorySpool();
    const { cwd: _, ...nowhere } = at;
    const command = spoolLine(2, { ...nowhere, event_type: 'other', detail: 'credence brief' });
    spool.append(RUNTIME, 's1', spoolText([edit(0, '/w/a.ts'), command]));
    const now = START + MINUTE;
    expect(liveOf(await drained(spool, now), from(spool, now))[0]).toMatchObject({
      sessions: [{ session: 's1' }],
      intents: [{ path: 'a.ts' }],
    });
  });

  test('a session stays at work when a part of it is cut', async () => {
    const spool = memorySpool();
    const lines = [prompt(0, 'Fix it'), edit(14 * 60, '/w/a.ts')];
    spool.append(RUNTIME, 's1', spoolText(lines), START + 14 * MINUTE);
    const now = START + 15 * MINUTE;
    const all = await drained(spool, now);
    expect([...spool.files.keys()]).toEqual(['claude-code/s1.1.sent']);
    expect(liveOf(all, from(spool, now))[0]).toMatchObject({
      sessions: [{ session: 's1', last_at: toInstant(START + 14 * MINUTE), asked: 'Fix it' }],
      intents: [{ path: 'a.ts' }],
    });
    // And when the next ones are cut, since when, what it was shown, and what it edited in the last half hour.
    spool.append(
      RUNTIME,
      's1',
      spoolText([
        spoolLine(16 * 60, { ...at, event_type: 'turn_end', injected_context: [item('a')] }),
        edit(31 * 60, '/w/b.ts'),
      ]),
      START + 31 * MINUTE,
    );
    const second = START + 32 * MINUTE;
    expect(liveOf(await drained(spool, second), from(spool, second))[0]).toMatchObject({
      sessions: [{ started_at: toInstant(START), asked: 'Fix it', shown: ['digest:a'] }],
      intents: [{ path: 'a.ts' }, { path: 'b.ts' }],
    });
    spool.append(RUNTIME, 's1', spoolText([edit(47 * 60, '/w/c.ts')]), START + 47 * MINUTE);
    const third = START + 60 * MINUTE;
    expect(liveOf(await drained(spool, third), from(spool, third))[0]).toMatchObject({
      sessions: [{ started_at: toInstant(START), asked: 'Fix it', shown: ['digest:a'] }],
      intents: [{ path: 'b.ts' }, { path: 'c.ts' }],
    });
    spool.append(RUNTIME, 's1', spoolText([prompt(61 * 60, 'And that')]));
    const last = START + 62 * MINUTE;
    expect(liveOf(await drained(spool, last), from(spool, last))[0]?.sessions).toMatchObject([
      { started_at: toInstant(START), asked: 'And that' },
    ]);
  });

  test('a file that went meanwhile hides nobody', async () => {
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', spoolText([prompt(0, 'a')]));
    await drained(spool, START + 15 * MINUTE);
    spool.append(RUNTIME, 's1', spoolText([prompt(16 * 60, 'b')]));
    const now = START + 17 * MINUTE;
    const all = await drained(spool, now);
    const [session] = spool.sessions();
    const sent = session?.files.find((file) => file.state === 'sent');
    if (session && sent) spool.remove(session, sent);
    expect(liveOf(all, from(spool, now))[0]?.sessions).toMatchObject([{ asked: 'b' }]);
  });

  test('is said in one key an agent, and read by every other', async () => {
    const store = openMemoryStore();
    const spool = memorySpool();
    spool.append(RUNTIME, 's1', spoolText([prompt(0, 'Fix it'), edit(1, '/w/a.ts')]));
    const now = START + MINUTE;
    const all = await drained(spool, now);
    await announce(
      store,
      'other',
      [{ agent: 'cc-09', runtime: RUNTIME, sessions: [], intents: [] }],
      { now, position: 7 },
    );
    const roster = await exchange(all, { ...from(spool, now), store, hostId: 'mine' }, []);
    expect(roster.agents.map(({ host, agent }) => `${host} ${agent}`)).toEqual([
      'mine cc-01',
      'mine cu-01',
      'other cc-09',
    ]);
    expect(roster.agents.map(({ position }) => position)).toEqual([undefined, undefined, 7]);
    expect(roster.intents.flatMap(({ intents }) => intents)).toHaveLength(1);
    await publishRoster(store, roster);
    expect(
      JSON.parse(Buffer.from((await store.get('live/roster.json')) ?? []).toString()),
    ).toMatchObject({ version: 1, agents: roster.agents });
    // Half an hour on they have all fallen silent.
    expect(
      (await readRoster(store, now + LIVE_MS, [])).agents.flatMap(({ sessions }) => sessions),
    ).toEqual([]);
  });

  test('of more than one object may hold the newest is said, so that nobody is hidden', async () => {
    const store = openMemoryStore();
    const until = (i: number) => toInstant(START + LIVE_MS - i * 1_000);
    const sessions = Array.from({ length: 201 }, (_, i) => {
      const last_at = toInstant(START - i * 1_000);
      return { session: `s${i}`, started_at: last_at, last_at, shown: [] };
    });
    const intents = Array.from({ length: 1_001 }, (_, i) => ({
      session: 's',
      repo: REPO,
      path: `f${i}`,
      until: until(i),
    }));
    const broken = { session: 'x'.repeat(600), started_at: 'now', last_at: 'now', shown: [] };
    const work = {
      agent: 'a'.repeat(200),
      runtime: 'r'.repeat(100),
      sessions: [broken, ...sessions.toReversed()],
      intents: [{ session: 's', repo: REPO, path: 'p'.repeat(5_000), until: until(0) }, ...intents],
    };
    await announce(store, 'h', [work], { now: START });
    const roster = await readRoster(store, START, []);
    const [agent] = roster.agents;
    expect(agent?.sessions.map(({ session }) => session)).toEqual(
      Array.from({ length: 200 }, (_, i) => `s${199 - i}`),
    );
    expect(roster.intents[0]?.intents.map(({ path }) => path)).toEqual(
      Array.from({ length: 1_000 }, (_, i) => `f${i}`),
    );
  });

  test('what a clock far ahead says is not believed', async () => {
    const store = openMemoryStore();
    const year = START + 365 * 86_400_000;
    const last_at = toInstant(year);
    const sessions = [{ session: 's', started_at: last_at, last_at, shown: [] }];
    const intents = [
      { session: 's', repo: REPO, path: 'a.ts', until: toInstant(year + LIVE_MS) },
      { session: 's', repo: REPO, path: 'b.ts', until: toInstant(START + LIVE_MS) },
    ];
    await announce(store, 'h', [{ agent: 'a', runtime: RUNTIME, sessions, intents }], {
      now: year,
    });
    const roster = await readRoster(store, START, []);
    expect(roster.agents.map((agent) => agent.sessions)).toEqual([[]]);
    expect(roster.intents.flatMap((host) => host.intents)).toMatchObject([{ path: 'b.ts' }]);
  });

  test('what is too large to be read is noted, and the rest is read', async () => {
    const root = tempFolder('live');
    const store = openFsStore(root);
    const work = { agent: 'a', runtime: RUNTIME, sessions: [], intents: [] };
    for (const host of ['g', 'h', 'i']) await announce(store, host, [work], { now: START });
    const large = [agentKey('h', 'a'), intentKey('g', 'a')];
    for (const key of large) truncateSync(join(root, key), 3 * 1024 ** 3);
    const troubles: Trouble[] = [];
    const roster = await readRoster(store, START, troubles);
    expect(roster.agents.map(({ host }) => host)).toEqual(['g', 'i']);
    expect(roster.intents.map(({ host }) => host)).toEqual(['h', 'i']);
    expect(troubles).toMatchObject(large.map((id) => ({ id, code: 'store.too_large' })));
  });

  test('what cannot be read of others is left out', async () => {
    const store = openMemoryStore();
    for (const [i, text] of [
      '',
      '{',
      'null',
      '{"version":2}',
      JSON.stringify({ version: 1, host: 'h', agent: 'a', runtime: 'r', at: 'now', sessions: [] }),
    ].entries()) {
      await store.put(agentKey(`h${i}`, 'a'), Buffer.from(text));
      await store.put(intentKey(`h${i}`, 'a'), Buffer.from(text));
    }
    expect(await readRoster(store, START, [])).toEqual({ agents: [], intents: [] });
  });
});
