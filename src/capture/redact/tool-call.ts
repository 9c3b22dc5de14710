import { defined } from '../../base/unknown.ts';
import type { ToolCall } from '../../runtime/envelope.ts';
import { type CallFacts, factsOf } from './facts.ts';
import type { RedactionPolicy, Withheld } from './policy.ts';
import { redactParts } from './text.ts';
import { redactInput } from './tool-input.ts';
import type { Redacted } from './tool-json.ts';
import { redactResult } from './tool-result.ts';

interface RedactedTool {
  readonly tool: ToolCall;
  readonly values: readonly Withheld[];
  readonly withheld: boolean;
}

/** Redacts a tool call: its name, paths, input (JSON stays JSON) and result, as its input says what it touches. */
export function redactTool(tool: ToolCall, policy: RedactionPolicy): RedactedTool {
  const facts = factsOf(tool.input, tool.paths ?? [], policy);
  const once = redactAs(facts, tool, policy);
  if (once.values.length === 0) return once;
  // A path can name a denied file only by what was held back in it, and redacting again must find nothing more.
  const { deniedPath, withholdResult } = factsOf(once.tool.input, once.tool.paths ?? [], policy);
  const isMore =
    (deniedPath && !facts.deniedPath) ||
    (withholdResult !== undefined && facts.withholdResult === undefined);
  if (!isMore) return once;
  const settled = {
    ...facts,
    deniedPath: facts.deniedPath || deniedPath,
    withholdResult: facts.withholdResult ?? withholdResult,
  };
  return redactAs(settled, tool, policy);
}

function redactAs(facts: CallFacts, tool: ToolCall, policy: RedactionPolicy): RedactedTool {
  const { name, paths, input, result } = tool;
  const parts: Redacted[] = [];
  const keep = (part: Redacted): string => {
    parts.push(part);
    return part.text;
  };
  const prose = (text: string) => keep(redactParts(text, 'prose', policy));
  const texts = defined({
    name: name === undefined ? undefined : prose(name),
    paths: paths?.map(prose),
    input: input === undefined ? undefined : keep(redactInput(input, facts, policy)),
    result: result === undefined ? undefined : keep(redactResult(result, facts, policy)),
  });
  return {
    tool: { ...tool, ...texts },
    values: parts.flatMap(({ values }) => values),
    withheld: parts.some(({ withheld }) => withheld),
  };
}
