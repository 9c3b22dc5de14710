import { expect, test } from 'vitest';
import { transcriptSource } from './history.ts';

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
