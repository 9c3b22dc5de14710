import type { Answer } from '../answer.ts';

/** The text that Claude Code reads from a hook's standard output. */
export function formatAnswer(eventName: string, answer: Answer): string {
  switch (answer.kind) {
    case 'none':
      return '{}';
    case 'context':
      return specific(eventName, { additionalContext: answer.text });
    case 'refuse':
      return specific(eventName, {
        permissionDecision: 'deny',
        permissionDecisionReason: answer.reason,
      });
    case 'continue':
      return JSON.stringify({ decision: 'block', reason: answer.reason });
  }
}

function specific(hookEventName: string, fields: object): string {
  return JSON.stringify({ hookSpecificOutput: { hookEventName, ...fields } });
}
