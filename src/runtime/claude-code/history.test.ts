import { expect, test } from 'vitest';
import { transcriptSource } from './history.ts';
import { claudeTranscript } from './transcript.ts';

test.each<[string, object | undefined]>([
  ['-w/s1.jsonl', { session: 's1' }],
  ['-w/agent-a7.jsonl', { session: 'agent-a7' }],
  ['-w/s1/subagents/agent-a7.jsonl', { session: 's1:a7', parent: 's1' }],
  ['-w/s1/subagents/other.jsonl', undefined],
  ['-w/s1/tool-results/agent-a7.jsonl', undefined],
  ['-w/s1/agent-a7.jsonl', undefined],
  ['s1.jsonl', undefined],
  ['-w/s1.json', undefined],
  ['-w/.jsonl', undefined],
  [`-w/${'x'.repeat(201)}.jsonl`, undefined],
  ['', undefined],
])('%s', (path, source) => {
  expect(transcriptSource(path)).toEqual(source);
});

test('long names are the sessions that their lines are in, too', () => {
  const long = 'x'.repeat(190);
  const own = transcriptSource(`-w/${long}.jsonl`);
  const sub = transcriptSource(`-w/${long}/subagents/agent-${long}.jsonl`);
  expect(sub?.parent).toBe(own?.session);
  expect(sub?.session.length).toBeLessThanOrEqual(256);
  for (const source of [own, sub]) {
    if (!source) throw new Error('no source');
    const line = { type: 'user', sessionId: long, message: { content: 'a' } };
    const agent = source === sub ? { agentId: long, isSidechain: true } : {};
    const outcome = claudeTranscript(source).line(JSON.stringify({ ...line, ...agent }));
    expect(outcome).toMatchObject({ events: [{ session_id: source.session }] });
  }
});
