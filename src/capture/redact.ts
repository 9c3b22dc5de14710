import { hashParts } from '../base/hash.ts';
import { defined } from '../base/unknown.ts';
import type { Event, Redaction } from '../runtime/envelope.ts';
import type { RedactionPolicy, TextKind, Withheld } from './redact/policy.ts';
import { type RedactedText, redactParts, rulesOf } from './redact/text.ts';
import { factsOf, type Redacted, redactInput, redactResult } from './redact/tool-input.ts';

export { isDeniedPath } from './redact/path.ts';
export type { RedactionPolicy, TextKind, Withheld } from './redact/policy.ts';
export { commandTouchesDenied } from './redact/shell.ts';
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

/** An event that may be written, and what was held back from it. */
export interface RedactedEvent {
  readonly event: Event;
  readonly redaction: Redaction;
  readonly withheld: readonly Withheld[];
}

/**
 * Redacts every text of an event: content, detail, folder, branch, and of a tool call its name, paths, input (JSON
 * stays JSON) and result. A call that reads or writes a denied path keeps its path and loses its content. Ids,
 * counts and times stay. An `input_hash` that was there is taken again from the redacted input.
 */
export function redactEvent(event: Event, policy: RedactionPolicy): RedactedEvent {
  const values: Withheld[] = [];
  let whole = false;
  const keep = ({ text, values: held, withheld }: Redacted): string => {
    values.push(...held);
    whole ||= withheld;
    return text;
  };
  const prose = (text: string | undefined) =>
    text === undefined ? undefined : keep(redactParts(text, 'prose', policy));
  const { content, detail, cwd, branch, tool } = event;
  const clean: Event = {
    ...event,
    ...defined({
      content: prose(content),
      detail: prose(detail),
      cwd: prose(cwd),
      branch: prose(branch),
    }),
  };
  if (tool !== undefined) {
    const facts = factsOf(tool.input, tool.paths ?? [], cwd, policy);
    const input =
      tool.input === undefined ? undefined : keep(redactInput(tool.input, facts, policy));
    clean.tool = {
      ...tool,
      ...defined({
        name: prose(tool.name),
        paths: tool.paths?.map((path) => keep(redactParts(path, 'prose', policy))),
        input,
        result:
          tool.result === undefined ? undefined : keep(redactResult(tool.result, facts, policy)),
        input_hash:
          tool.input_hash === undefined || input === undefined || input === tool.input
            ? undefined
            : hashParts([input]).slice(0, 32),
      }),
    };
  }
  const status = whole ? 'withheld' : values.length > 0 ? 'redacted' : 'clean';
  return { event: clean, redaction: { status, rules_fired: rulesOf(values) }, withheld: values };
}
