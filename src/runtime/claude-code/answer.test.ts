import { expect, test } from 'vitest';
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
