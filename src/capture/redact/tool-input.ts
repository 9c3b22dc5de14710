import type { CallFacts } from './facts.ts';
import type { RedactionPolicy, Withheld } from './policy.ts';
import { redactParts, withholdText } from './text.ts';
import { type Redacted, redactJson, withoutContent } from './tool-json.ts';

/** The input of a tool call. JSON stays JSON; anything else is a command or a patch. */
export function redactInput(input: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  const { inputIsJson, deniedPath, cwd } = facts;
  const inside = { ...policy, cwd };
  if (inputIsJson) return redactJson(input, inside, { kind: 'prose', deniedPath });
  if (deniedPath) return withholdText(input, 'denied-path', policy);
  const values: Withheld[] = [];
  const parts = redactParts(withoutContent(input, inside, values), 'command', inside);
  return { ...parts, values: [...values, ...parts.values] };
}
