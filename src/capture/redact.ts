import { defined } from '../base/unknown.ts';
import type { Event, Redaction, ToolCall } from '../runtime/envelope.ts';
import { factsOf } from './redact/facts.ts';
import type { DeniedPaths, RedactionPolicy, TextKind, Withheld } from './redact/policy.ts';
import { type RedactedText, redactParts, rulesOf } from './redact/text.ts';
import { redactTool } from './redact/tool-call.ts';
import type { Redacted } from './redact/tool-json.ts';

export type { RedactionPolicy, TextKind, Withheld } from './redact/policy.ts';
export type { RedactedText } from './redact/text.ts';

/**
 * Replaces each secret of a text by `[withheld:<rule> <bytes>B <first 8 hex digits of the keyed hash>]`. What
 * stands around it stays as it is, and redacting the result again changes nothing. Takes time in proportion to
 * the length, whatever the text; never throws, unless reading the host's key does.
 */
export function redactText(text: string, kind: TextKind, policy: RedactionPolicy): RedactedText {
  const { text: clean, rules, withheld } = redactParts(text, kind, policy);
  return { text: clean, rules, withheld };
}

/**
 * True for a tool call that names a denied path: in its input, under any key that holds paths, or in its listed
 * paths; relative ones start at the `cwd` of the policy. What a shell command touches is not meant: it is seen by
 * its result alone.
 */
export function touchesDeniedPath(call: ToolCall, policy: DeniedPaths): boolean {
  return factsOf(call.input, call.paths ?? [], policy).deniedPath;
}

/** True for a tool call whose result is withheld for a denied path: by its paths, or by what its shell command touches. */
export function readsDenied(call: ToolCall, policy: DeniedPaths): boolean {
  return factsOf(call.input, call.paths ?? [], policy).withholdResult === 'denied-path';
}

/** An event that may be written, and what was held back from it. */
export interface RedactedEvent {
  readonly event: Event;
  readonly redaction: Redaction;
  readonly withheld: readonly Withheld[];
}

/**
 * Redacts every text of an event: content, detail, folder, branch, version, model, and of a tool call its name, paths, input (JSON
 * stays JSON) and result. A call that reads or writes a denied path keeps its path and loses its content. Ids,
 * counts and times stay. Texts of any length are taken whole: what a call touches can stand at the end of its
 * input, and a cut can leave half of a secret, so that cutting comes after.
 */
export function redactEvent(event: Event, given: RedactionPolicy): RedactedEvent {
  const { content, detail, cwd, branch, runtime_version, usage, tool } = event;
  const policy = { ...given, cwd: cwd ?? given.cwd };
  const values: Withheld[] = [];
  let whole = false;
  const keep = ({ text, values: held, withheld }: Redacted): string => {
    for (const value of held) values.push(value);
    whole ||= withheld;
    return text;
  };
  const prose = (text: string | undefined) =>
    text === undefined ? undefined : keep(redactParts(text, 'prose', policy));
  const clean: Event = {
    ...event,
    ...defined({
      content: prose(content),
      detail: prose(detail),
      cwd: prose(cwd),
      branch: prose(branch),
      runtime_version: prose(runtime_version),
    }),
  };
  if (usage !== undefined) clean.usage = { ...usage, ...defined({ model: prose(usage.model) }) };
  if (tool !== undefined) {
    const redacted = redactTool(tool, policy);
    clean.tool = redacted.tool;
    for (const value of redacted.values) values.push(value);
    whole ||= redacted.withheld;
  }
  const status = whole ? 'withheld' : values.length > 0 ? 'redacted' : 'clean';
  return { event: clean, redaction: { status, rules_fired: rulesOf(values) }, withheld: values };
}
