import { expect, test } from 'vitest';
import { fence } from '../../capture/fence.ts';
import type { Answer } from '../answer.ts';
import { formatAnswer } from './answer.ts';

test.each<[string, Answer, object]>([
  ['Stop', { kind: 'none' }, {}],
  [
    'SessionStart',
    { kind: 'context', text: 'a "b"\n\ud800' },
    { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'a "b"\n\ud800' } },
  ],
  [
    'PreToolUse',
    { kind: 'refuse', reason: 'no' },
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason: 'no',
      },
    },
  ],
  ['Stop', { kind: 'continue', reason: 'one more' }, { decision: 'block', reason: 'one more' }],
])('%s: %j', (event, answer, expected) => {
  expect(JSON.parse(formatAnswer(event, answer))).toEqual(expected);
});

test.each(['"', '\\', '\t', 'é', '\ud800', 'a'])(
  'a briefing that is full of %j stays under what the runtime shows whole',
  (char) => {
    const text = char.repeat(90);
    const lines = Array.from({ length: 200 }, (_, i) => ({
      text,
      bytes: Buffer.byteLength(text) + 1,
      items: [{ kind: 'digest' as const, id: `id${i}`, source: 's', observed_by: 'cc-01' }],
    }));
    const output = formatAnswer('UserPromptSubmit', {
      kind: 'context',
      text: fence(lines, 0)?.text ?? '',
    });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(9_500);
    expect(Buffer.byteLength(output)).toBeGreaterThan(8_500);
  },
);
