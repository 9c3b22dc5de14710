import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ratio } from './kit/figures.ts';

/*
 * The hook as a runtime calls it, a process of its own, beside `node -e 0` in turns: a tool call, and a session's start that is
 * answered with a briefing of full size. Needs `npm run build`. Rounds: the first argument, 40 unless given.
 */
const ROUNDS = Number(process.argv[2] ?? 40);
const hook = join(process.cwd(), 'dist', 'credence-hook.cjs');
const folder = mkdtempSync(join(tmpdir(), 'credence-hook-'));
const env = {
  ...process.env,
  HOME: folder,
  CREDENCE_HOME: join(folder, '.credence'),
  CREDENCE_CONFIG_HOME: join(folder, '.config'),
};
const main = join(process.cwd(), 'dist', 'door', 'cli', 'main.js');
const work = join(folder, 'work');
spawnSync('git', ['init', '-q', work]);
spawnSync('git', ['-C', work, 'remote', 'add', 'origin', 'git@example.com:a/b.git']);
spawnSync(process.execPath, [main, 'init', '--agent-id', 'cc-01'], { env });
const lines = Array.from({ length: 40 }, (_, i) => {
  const text = `- [cc-02, 2026-03-0${i % 9}] (session-${i}) ${'a line of a briefing '.repeat(9)}`;
  return {
    text,
    bytes: text.length + 1,
    items: [{ kind: 'digest', id: `session-${i}`, source: `session-${i}`, observed_by: 'cc-02' }],
  };
});
spawnSync('mkdir', ['-p', join(env.CREDENCE_HOME, 'brief', 'cc-01')]);
writeFileSync(
  join(env.CREDENCE_HOME, 'brief', 'cc-01', 'example.com%2Fa%2Fb.json'),
  JSON.stringify({
    version: 1,
    position: 1,
    rendered_at: '2026-03-01T00:00:00.000Z',
    lines,
    triggers: [],
  }),
);
const common = { session_id: 's', cwd: work, transcript_path: join(folder, 's.jsonl') };
const payloads = {
  PostToolUse: {
    ...common,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 't',
    tool_input: { command: 'npm test' },
    tool_response: { stdout: 'line of output\n'.repeat(300), stderr: '' },
  },
  SessionStart: { ...common, hook_event_name: 'SessionStart', source: 'startup' },
};

function time(args: readonly string[], input: string): number {
  const start = performance.now();
  spawnSync(process.execPath, args, { env, input });
  return performance.now() - start;
}

const median = (times: number[]) => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
for (const [event, payload] of Object.entries(payloads)) {
  const ours: number[] = [];
  const bare: number[] = [];
  const input = JSON.stringify(payload);
  for (let i = 0; i < ROUNDS; i++) {
    bare.push(time(['-e', '0'], ''));
    ours.push(time([hook, 'hook', event, 'claude-code'], input));
  }
  console.log(
    `${event}: ${median(ours).toFixed(1)} ms, node -e 0: ${median(bare).toFixed(1)} ms; ${ratio(median(ours), median(bare))}`,
  );
}
rmSync(folder, { recursive: true });
