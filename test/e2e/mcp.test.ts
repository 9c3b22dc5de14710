import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { readIfThere } from '../../src/io/small-file.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { filledFolder, tempFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, machine, placeHistory } from './machine.ts';
import { checkout, connect, REVISIONS, speak } from './mcp-client.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const REPO = 'github.com/example/tidepool';
const SESSION = 'a1f0c9d2-0000-4000-8000-000000000001';
const SECRET = ['AKIA', 'QWERTYUIOPASDFGH'].join('');

const begun = filledFolder('mcp', (folder) => {
  const one = machine(folder);
  placeHistory(folder);
  one.run('init', '--agent-id', 'cc-01');
  one.run('import');
  one.run('repos', 'map', HISTORY_FOLDER, REPO);
  one.run('sync', '--once');
  const cwd = checkout(one, REPO);
  one.hook('SessionStart', { session_id: SESSION, source: 'startup', cwd });
  one.hook('PostToolUse', {
    session_id: SESSION,
    cwd,
    tool_use_id: 'toolu_1',
    tool_name: 'Bash',
    tool_input: { command: 'just test' },
    tool_response: { stdout: 'dial tcp 127.0.0.1:6380: connection refused', stderr: '' },
  });
});

/** A machine with sessions, on which another one is at work, and what that one's spool says that it was shown. */
async function atWork() {
  const one = machine(await begun());
  const spool = join(one.folder, '.credence', 'spool', 'claude-code', `${SESSION}.ndjson`);
  const shownBy = (tool: string) =>
    parseSpool(readIfThere(spool) ?? '')
      .lines.filter(({ envelope }) => envelope.detail === `mcp ${tool}`)
      .map(({ envelope }) =>
        (envelope.injected_context ?? []).map(({ kind, id }) => `${kind}:${id}`),
      );
  return { ...one, cwd: join(one.folder, 'work'), shownBy };
}

/** As a session looks to the server that no hook announced to it. */
function forget(folder: string): void {
  rmSync(join(folder, '.credence', 'run', 'claude-code'), { recursive: true });
}

const TOOLS = [
  'fleet_status',
  'fleet_intent',
  'fleet_history',
  'fleet_handoff',
  'memory_search',
  'memory_timeline',
  'memory_propose',
  'memory_endorse',
];

describe.each(REVISIONS)('in revision %s', (revision, mode) => {
  test('a client is told of the tools, and calls one', async () => {
    const one = await atWork();
    const { client, call } = await connect(one, { mode });
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools, ...list } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(TOOLS);
    for (const { name, inputSchema, outputSchema, annotations } of tools) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object' });
      expect(annotations, name).toMatchObject({
        readOnlyHint: expect.any(Boolean),
        destructiveHint: false,
        idempotentHint: expect.any(Boolean),
      });
    }
    const hint = { ttlMs: 3_600_000, cacheScope: 'public' };
    if (revision === '2026-07-28') expect(list).toMatchObject(hint);
    else expect(list).not.toHaveProperty('ttlMs');
    const { text, value, isError } = await call('memory_search', { query: 'upload' });
    expect(isError).toBe(false);
    expect(text).toContain(String(value['context']));
    expect(value).toMatchObject({ recorded: true, as_of: { position: expect.any(Number) } });
  });
});

test('the list of tools takes little of a context', async () => {
  const { client } = await connect(await atWork());
  const { tools } = await client.listTools();
  const asked = tools.map(({ name, description, inputSchema }) => [name, description, inputSchema]);
  expect(Buffer.byteLength(JSON.stringify(asked))).toBeLessThan(8_000);
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThan(16_000);
});

test('a profile that reads has no tool that says anything', async () => {
  const { client } = await connect(await atWork(), { args: ['--profile', 'read'] });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'fleet_status',
    'fleet_history',
    'memory_search',
    'memory_timeline',
  ]);
  expect(tools.every(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
});

describe('what is read', () => {
  test('is in the spool of the session that asks, and the same as the fence names', async () => {
    const one = await atWork();
    const { call } = await connect(one);
    for (const [tool, given] of [
      ['memory_search', { query: 'upload' }],
      ['memory_timeline', { subject: 'upload' }],
      ['fleet_history', { repo: REPO }],
    ] as const) {
      const { value } = await call(tool, given);
      const [, names = ''] =
        /^<credence-context ids="([^"]*)">/.exec(String(value['context'])) ?? [];
      expect(names, tool).not.toBe('');
      expect(one.shownBy(tool)).toEqual([names.split(' ')]);
    }
  });

  test('without a session is answered, and says that it is not recorded', async () => {
    const one = await atWork();
    forget(one.folder);
    const { call } = await connect(one);
    const { text, value } = await call('memory_search', { query: 'upload' });
    expect(value).toMatchObject({ recorded: false });
    expect(String(value['context'])).toContain('credence-context');
    expect(text).toContain('not recorded');
    expect(one.shownBy('memory_search')).toEqual([]);
  });

  test('while capture is paused is answered, not recorded, and says so', async () => {
    const one = await atWork();
    writeFileSync(join(one.cwd, 'credence.toml'), 'pause = true\n');
    const { call } = await connect(one);
    expect((await call('memory_search', { query: 'upload' })).value).toMatchObject({
      recorded: false,
    });
    expect(one.shownBy('memory_search')).toEqual([]);
    expect((await call('fleet_intent', { paths: ['work/a.ts'], reason: 'x' })).code).toBe(
      'capture.paused',
    );
  });

  test('is not shown where it can’t be recorded', async () => {
    const one = await atWork();
    const spools = join(one.folder, '.credence', 'spool', 'claude-code');
    rmSync(spools, { recursive: true });
    writeFileSync(spools, '');
    const { call } = await connect(one);
    const { isError, text } = await call('memory_search', { query: 'upload' });
    expect(isError).toBe(true);
    expect(text).not.toContain('credence-context');
  });

  test('of claims is what a person switched on, also while the server runs', async () => {
    const one = await atWork();
    const sessions = one.json('sessions') as unknown as { session: string }[];
    const session = sessions[0]?.session ?? '';
    const { events } = one.json('sessions', session) as unknown as {
      events: { message_id?: string; content?: string }[];
    };
    const message = events.find((event) => event.message_id && event.content)?.message_id ?? '';
    forget(one.folder);
    const cited = ['--session', session, '--message', message, '--type', 'environment'];
    one.run('claim', 'propose', 'Zebrafish listens on port 6380.', ...cited);
    one.run('maint', '--once');
    const resume = () =>
      one.hook('SessionStart', { session_id: SESSION, source: 'resume', cwd: one.cwd });
    /** A person does it: an agent inside its session is refused. */
    const setMode = (mode: string) => {
      forget(one.folder);
      expect(one.run('config', 'set', 'summarize.mode', mode).status).toBe(0);
      resume();
    };
    resume();
    const { call } = await connect(one);
    const search = async () => (await call('memory_search', { query: 'zebrafish' })).text;
    const before = await search();
    expect(before).not.toContain('6380');
    expect(before).toMatch(/claims are not read here: summarize.mode is agent/);
    expect(
      (await call('memory_endorse', { claim_id: 'abcd', verdict: 'contradict', basis: 'x' })).code,
    ).toBe('claim.missing');
    setMode('live');
    expect(await search()).toMatch(
      /- \[cc-01, \d{4}-\d{2}-\d{2}, repo scope, 1 session, conf 0\.67, environment[^\]]*\] \([0-9a-f]{12}\) Zebrafish listens on port 6380\./,
    );
    expect((await call('memory_timeline', { subject: 'zebrafish' })).text).toContain('6380');
    setMode('agent');
    expect(await search()).not.toContain('6380');
  });

  test('where nothing was followed yet is nothing, and says so', async () => {
    const one = machine(tempFolder('mcp-new'));
    const { call } = await connect(one);
    for (const [tool, given] of [
      ['memory_search', { query: 'upload' }],
      ['fleet_status', {}],
      ['fleet_history', {}],
    ] as const) {
      const { isError, text, value } = await call(tool, given);
      expect([isError, value['items']]).toEqual([false, []]);
      expect(text).toContain('nothing was followed on this machine yet');
    }
  });

  test('of the session itself is its messages, by the ids that citations name', async () => {
    const one = await atWork();
    const { call } = await connect(one);
    const { text, value } = await call('fleet_history', { session: 'current' });
    expect(value['messages']).toMatchObject([{ message_id: 'toolu_1', what: 'Bash, exit 0' }]);
    expect(text).toContain('(toolu_1) {"command":"just test"} → dial tcp 127.0.0.1:6380');
    // What was sent is still there.
    one.run('sync', '--once');
    expect((await call('fleet_history', { session: 'current' })).value['messages']).toHaveLength(1);
  });
});

const CLAIM = { claim: 'The tests need redis on port 6380.', type: 'environment' };
const OWN = { session_id: 'current', message_id: 'toolu_1' };

describe('what is said', () => {
  test.each<[string, object[], string]>([
    ['no evidence', [], 'claim.evidence'],
    ['a citation without a session', [{ message_id: 'toolu_1' }], 'citation.form'],
    ['a citation without a message', [{ session_id: 'current' }], 'citation.form'],
    ['one such among others', [OWN, { session_id: 'current' }], 'citation.form'],
    ['words of nothing', [{ session_id: 'current', quote: ' ' }], 'citation.form'],
    [
      'a message that is not there',
      [{ session_id: 'current', message_id: 'x' }],
      'citation.message',
    ],
    ['words that the message does not hold', [{ ...OWN, quote: 'exit 7' }], 'citation.quote'],
    ['a session that nobody knows', [{ session_id: 'zz', quote: 'x' }], 'session.missing'],
  ])('with %s is refused before it is queued', async (_what, evidence, code) => {
    const one = await atWork();
    const { call } = await connect(one);
    const answer = await call('memory_propose', { ...CLAIM, evidence });
    expect(answer).toMatchObject({ isError: true, code });
    expect(answer.text).toMatch(/\nnext: \S/);
    expect(one.json('status')).toMatchObject({ proposals: { queued: 0, refused: 0 } });
  });

  test('without a session is refused, whatever it is', async () => {
    const one = await atWork();
    forget(one.folder);
    const { call } = await connect(one);
    for (const [tool, given] of [
      ['memory_propose', { ...CLAIM, evidence: [OWN] }],
      ['memory_endorse', { claim_id: 'f'.repeat(64), verdict: 'contradict', basis: 'x' }],
      ['fleet_handoff', { summary: 'x', status: 'done' }],
      ['fleet_intent', { paths: ['work/a.ts'], reason: 'x' }],
      ['fleet_history', { session: 'current' }],
    ] as const) {
      const { code, text } = await call(tool, given);
      expect([code, tool]).toEqual(['session.unknown', tool]);
      expect(text).toContain('next: ');
    }
  });

  test('holds no secret on disk', async () => {
    const one = await atWork();
    const { call } = await connect(one, { cwd: one.cwd });
    const said = [
      await call('memory_search', { query: SECRET }),
      await call('fleet_handoff', { summary: `key ${SECRET}`, status: 'partial', next: SECRET }),
      await call('fleet_intent', { paths: [`${SECRET}/`], reason: `key ${SECRET}` }),
      await call('memory_propose', {
        ...CLAIM,
        claim: `The key is ${SECRET}.`,
        subject: [SECRET],
        topics: [SECRET],
        refs: [`https://${SECRET}.example`],
        evidence: [OWN, { session_id: 'current', quote: `the key is ${SECRET}` }],
      }),
      await call('memory_endorse', {
        claim_id: 'f'.repeat(64),
        verdict: 'contradict',
        basis: `the key is ${SECRET}`,
      }),
    ];
    expect(said.map(({ isError }) => isError)).toEqual([false, false, false, false, false]);
    const home = join(one.folder, '.credence');
    const names = readdirSync(home, { recursive: true, withFileTypes: true });
    const files = names.filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(10);
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'latin1').toLowerCase();
      expect(text.includes(SECRET.toLowerCase()), name).toBe(false);
    }
  });

  test('of a path that one is about to work on is told to another, before it edits that', async () => {
    const one = await atWork();
    const { call } = await connect(one, { cwd: one.cwd });
    const paths = ['src/store/', join(one.cwd, 'src', 'new', 'a.ts')];
    const { value } = await call('fleet_intent', { paths, reason: 'split the store' });
    expect(value).toMatchObject({
      state: 'queued',
      paths: [
        { repo: REPO, path: 'src/store/' },
        { repo: REPO, path: 'src/new/a.ts' },
      ],
    });
    expect((await call('fleet_intent', { paths: ['../../etc/'], reason: 'x' })).code).toBe(
      'intent.path',
    );
    one.run('sync', '--once');
    const edit = (session: string, path: string) =>
      one.hook('PreToolUse', {
        session_id: session,
        cwd: one.cwd,
        tool_name: 'Edit',
        tool_use_id: 'toolu_9',
        tool_input: { file_path: join(one.cwd, path) },
      });
    expect(edit('other', 'src/store/read.ts')).toContain('has said that it works on this');
    expect(edit(SESSION, 'src/store/read.ts')).not.toContain('has said');
    expect(edit('other', 'src/main.ts')).not.toContain('has said');
    // To another session of the same machine it is one of the things that others work on.
    one.hook('SessionStart', { session_id: 'other', source: 'startup', cwd: one.cwd });
    const status = await call('fleet_status');
    expect(status.text).toMatch(/src\/store\/ in github.com\/example\/tidepool: “split the store”/);
    const again = await call('fleet_intent', { paths: ['src/store/read.ts'], reason: 'x' });
    expect(again.value['items']).toMatchObject([{ kind: 'digest', id: SESSION }]);
  });
});

describe('standard output', () => {
  const message = (id: number, method: string, params: object = {}) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const opening = message(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  });
  const call = (id: number, name: string, given: object) =>
    message(id, 'tools/call', { name, arguments: given });

  test('holds frames alone, whatever goes wrong, and the server ends with its input', async () => {
    const one = await atWork();
    writeFileSync(join(one.folder, '.credence', 'agent.sqlite'), 'no database at all');
    rmSync(join(one.folder, '.credence', 'agent.sqlite-wal'), { force: true });
    const { stdout, stderr, status } = await speak(one, [
      opening,
      'not a frame',
      '{"jsonrpc":"2.0"}',
      message(2, 'no/such'),
      call(3, 'memory_search', { query: 'upload' }),
      call(4, 'no_such_tool', {}),
      call(5, 'memory_search', { query: 7, more: SECRET }),
      call(6, 'memory_propose', CLAIM),
      message(7, 'tools/list'),
    ]);
    const frames = stdout
      .trimEnd()
      .split('\n')
      .map(
        (line) =>
          JSON.parse(line) as { jsonrpc: string; id?: number; result?: object; error?: object },
      );
    expect(stdout.endsWith('\n')).toBe(true);
    expect(frames.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
    const byId = new Map(frames.map((frame) => [frame.id, frame]));
    expect([...byId.keys()].sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(byId.get(2)).toHaveProperty('error');
    expect(byId.get(4)).toHaveProperty('error');
    for (const id of [3, 5, 6]) expect(byId.get(id)?.result).toMatchObject({ isError: true });
    expect(byId.get(3)?.result).toMatchObject({
      structuredContent: { error: { code: 'sqlite.sqlite_notadb', next: expect.any(String) } },
    });
    expect(stderr).toContain('sqlite.sqlite_notadb');
    expect(status).toBe(0);
  });

  test('is empty where an option is not understood', async () => {
    const { run } = await atWork();
    for (const args of [['--profile', 'none'], ['--no-such'], ['extra']]) {
      const { stdout, stderr, status } = run('mcp', ...args);
      expect([stdout, status]).toEqual(['', 2]);
      expect(stderr).toContain('(usage)');
    }
    expect(run('mcp', '--help').stdout).toContain('--profile');
  });
});
