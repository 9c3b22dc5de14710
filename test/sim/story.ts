import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodePathPart } from '../../src/base/path-part.ts';
import { toInstant } from '../../src/base/time.ts';
import { briefPath } from '../../src/capture/paths.ts';
import type { Home } from '../../src/home/home.ts';
import { openOutbox } from '../../src/io/outbox.ts';
import { openSpool } from '../../src/io/spool-folder.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { openForReading } from '../../src/node/snapshots.ts';
import { callHook, hookSettings, place } from '../kit/home.ts';

/** Noon of a day that is over when the story is synced. */
export const NOON = Date.UTC(2026, 2, 5, 12);
/** When it is synced: two days later. */
export const SYNCED = NOON + 2 * 86_400_000;
const AGENT = 'cc-01';

function transcript(session: string, cwd: string): string {
  const at = (minute: number) => toInstant(NOON + minute * 60_000);
  const common = { sessionId: session, cwd, version: '2.1.0', gitBranch: 'main' };
  const lines = [
    {
      ...common,
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      timestamp: at(1),
      message: { role: 'user', content: 'mend the pump' },
    },
    {
      ...common,
      type: 'assistant',
      uuid: 'u2',
      parentUuid: 'u1',
      timestamp: at(2),
      message: {
        id: 'm1',
        model: 'model-a',
        content: [{ type: 'text', text: 'I look at it.' }],
        usage: { input_tokens: 5, output_tokens: 7 },
      },
    },
    {
      ...common,
      type: 'assistant',
      uuid: 'u3',
      parentUuid: 'u2',
      timestamp: at(3),
      message: {
        id: 'm1',
        model: 'model-a',
        content: [
          { type: 'tool_use', id: 'missed', name: 'Read', input: { file_path: `${cwd}/pump.ts` } },
        ],
      },
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/**
 * What happened on one home before it is synced: a session that ended, one that fell silent, a subagent, one that
 * still runs, a secret, and a handoff. `folder` holds the home.
 */
export function happen(
  home: Home & { readonly world: { set(ms: number): void } },
  folder: string,
): void {
  const { world } = home;
  const cwd = join(folder, 'work');
  place(
    join(cwd, '.git', 'config'),
    '[remote "origin"]\n\turl = git@example.com:water/works.git\n',
  );
  place(join(folder, '.claude', 'projects', '-work', 'ended.jsonl'), transcript('ended', cwd));
  const settings = hookSettings(home, { 'claude-code': AGENT });
  const say = (minute: number, session: string, event: string, more: object = {}) => {
    world.set(NOON + minute * 60_000);
    const transcript_path = join(folder, '.claude', 'projects', '-work', `${session}.jsonl`);
    callHook(home, settings, event, { session_id: session, cwd, transcript_path, ...more });
  };
  const tool = (id: string, command: string) => ({
    tool_use_id: id,
    tool_name: 'Bash',
    tool_input: { command },
  });
  say(0, 'ended', 'SessionStart', { source: 'startup' });
  say(1, 'ended', 'UserPromptSubmit', { prompt: 'mend the pump' });
  say(4, 'ended', 'PreToolUse', tool('t1', 'npm test'));
  say(5, 'ended', 'PostToolUse', {
    ...tool('t1', 'npm test'),
    tool_response: { stdout: 'ok', stderr: '' },
  });
  say(6, 'ended', 'PostToolUse', {
    ...tool('t2', 'ls'),
    agent_id: 'sub1',
    tool_response: { stdout: 'a', stderr: '' },
  });
  say(7, 'ended', 'Stop', { last_assistant_message: 'mended' });
  say(8, 'ended', 'SessionEnd', { reason: 'exit' });
  say(10, 'silent', 'SessionStart', { source: 'startup' });
  say(11, 'silent', 'UserPromptSubmit', {
    prompt: `the address is postgres://tide:${'not-a-real'}-one@db/x`,
  });
  say(12, 'silent', 'PostToolUseFailure', { ...tool('t3', 'just up'), error: 'Exit code 2\nno' });
  const now = SYNCED / 60_000 - NOON / 60_000;
  say(now - 5, 'running', 'SessionStart', { source: 'startup' });
  say(now - 4, 'running', 'UserPromptSubmit', { prompt: 'paint the fence' });
  openOutbox(home.folders.home).add('01NOTE', {
    version: 1,
    session: 'ended',
    agent: AGENT,
    runtime: 'claude-code',
    repo: 'example.com/water/works',
    status: 'partial',
    summary: 'the pump runs; the valve leaks',
    written_at: toInstant(NOON + 8 * 60_000),
  });
  world.set(SYNCED);
}

/** Everything that two homes have in common when they came to the same end: no salts, no positions. */
export async function outcome(home: Home, store: ObjectStore): Promise<object> {
  const objects: Record<string, string> = {};
  for await (const key of store.list('')) {
    if (key.startsWith('ledger/') || key.startsWith('live/leases/') || key === 'fleet.json')
      continue;
    const text = Buffer.from((await store.get(key)) ?? []).toString('latin1');
    // A sign of life says how far the ledger was followed then: maintenance adds to it after that.
    const same = key.startsWith('live/') ? text.replaceAll(/"position":\d+/g, '') : text;
    objects[key] = createHash('sha256').update(same, 'latin1').digest('hex');
  }
  const state = openForReading(home, 'state');
  const rows = (sql: string) => state.all(sql);
  const tables = {
    sessions: rows('SELECT key, record, revision, repo, parts, digest FROM sessions ORDER BY key'),
    lineage: rows('SELECT key, source, observed_by FROM lineage ORDER BY key'),
    handoffs: rows('SELECT key, repo, status, summary, taken_by FROM handoffs ORDER BY key'),
    principals: rows('SELECT key, principal, kind, roles FROM principals ORDER BY key'),
    entries: rows('SELECT context, count(*) AS n FROM decided GROUP BY context ORDER BY context'),
    unusable: rows('SELECT * FROM unusable'),
    documents: rows('SELECT kind, key, repo FROM documents ORDER BY kind, key'),
  };
  state.close();
  const spool = openSpool(home.folders.home);
  const brief = JSON.parse(
    readFileSync(join(home.folders.home, briefPath(AGENT, 'example.com/water/works')), 'utf8'),
  ) as { lines: readonly { text: string }[] };
  return {
    objects,
    tables,
    spool: spool
      .sessions()
      .map((session) => [session.stem, session.files.map((file) => file.state)]),
    manifests: ['ended', 'silent', 'ended:sub1'].map((session) => {
      const manifest = spool.manifest('claude-code', encodePathPart(session));
      return [session, manifest?.revision, manifest?.parts.length, manifest?.sealed_parts];
    }),
    unsealed: spool.unsealed().length,
    outbox: openOutbox(home.folders.home).list().length,
    brief: brief.lines.map((line) => line.text),
  };
}
