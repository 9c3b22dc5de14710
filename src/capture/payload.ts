import { LIMIT } from '../base/limits.ts';
import { CUT_MARK, cleanText } from '../base/text.ts';
import { objectOf, textOf } from '../base/unknown.ts';

/** What a runtime wrote, as far as it can be read. */
export interface Payload {
  readonly fields: unknown;
  /** False where it is no JSON text, or more than is read. */
  readonly whole: boolean;
  /** What was said, where it breaks off in that; without the last word, of which half may be there. */
  readonly said?: string;
}

/** Of a payload that is too large, its members up to here are looked for. */
const HEAD_BYTES = 64 * 1024;

/** JSON of whatever arrives: bad UTF-8 and NUL bytes are tolerated, a payload that is no JSON gives up what its start shows. */
export function parsePayload(bytes: Uint8Array): Payload {
  const isWhole = bytes.length <= LIMIT.hook_payload_bytes_max;
  const head = isWhole ? bytes : bytes.subarray(0, HEAD_BYTES);
  const text = cleanText(Buffer.from(head).toString('utf8'));
  const fields = isWhole ? tryJson(text) : undefined;
  return fields === undefined ? salvage(text) : { fields, whole: true };
}

function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PLACES = ['session_id', 'agent_id', 'cwd', 'transcript_path'] as const;

/** The members before the place where a payload breaks; and, wherever they stand, the fields that say whose it is. */
function salvage(text: string): Payload {
  const found = PLACES.flatMap((name) => {
    const value = new RegExp(`"${name}"\\s*:\\s*"([^"\\\\]{1,512})"`).exec(text)?.[1];
    return value === undefined ? [] : [[name, value]];
  });
  const end = lastComma(text);
  // A number at the end may have lost a digit, where a text, a list or an object shows that it is whole.
  const isClosed = end >= 0 && /["}\]]/.test(text.trimEnd().at(-1) ?? '');
  const all = isClosed ? tryJson(`${text}}`) : undefined;
  const members = all ?? (end > 0 ? tryJson(`${text.slice(0, end)}}`) : undefined);
  const said = all === undefined ? brokenText(text.slice(end + 1)) : undefined;
  return {
    fields: { ...Object.fromEntries(found), ...objectOf(members) },
    whole: false,
    ...(said === undefined ? {} : { said }),
  };
}

/** Where the last whole member of the outermost object ends; its start where there is none, -1 without an object. */
function lastComma(text: string): number {
  let end = text.indexOf('{');
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
    else if (char === ',' && depth === 1) end = at;
  }
  return end;
}

/** The beginning of a text that has no end. Of no other than these: without what follows, nobody can judge a result. */
function brokenText(member: string): string | undefined {
  const start = /^\s*"(?:prompt|last_assistant_message)"\s*:\s*"/.exec(member)?.[0];
  if (start === undefined) return undefined;
  let end = member.length;
  let text: string | undefined;
  // It can break off in the middle of an escape, of which the longest has six characters.
  for (; text === undefined && end > start.length && end > member.length - 6; end--)
    text = textOf(tryJson(`"${member.slice(start.length, end)}"`));
  return text === undefined ? undefined : `${withoutLastWord(text)}${CUT_MARK}`;
}

function withoutLastWord(text: string): string {
  let end = text.length;
  while (end > 0 && !/\s/.test(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}
