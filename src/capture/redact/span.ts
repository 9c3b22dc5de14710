import { hmacHex } from '../../base/hash.ts';
import { keyOf, type RedactionPolicy, type Withheld } from './policy.ts';

/** How sure the rule is of what it found: of overlapping spans the highest names the whole. */
export const RANK = { entropy: 0, named: 1, shaped: 2, provider: 3, block: 4 } as const;

/** A stretch of text to hold back; offsets are UTF-16 units, `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  readonly rank: number;
}

const OPENING = '[withheld:';
const PLACEHOLDER = /\[withheld:[a-z0-9-]{1,40} \d{1,12}B [0-9a-f]{8}\]/g;

/** The text without the placeholders in it. */
export function withoutPlaceholders(text: string): string {
  return text.includes(OPENING) ? text.replace(PLACEHOLDER, '') : text;
}

/** True where the text is nothing but placeholders. */
export function isPlaceholder(text: string): boolean {
  return text !== '' && withoutPlaceholders(text) === '';
}

/** True where nothing is left to hold back: letters and digits stand inside placeholders only. */
export function isSpent(text: string): boolean {
  return !/[\p{L}\p{N}]/u.test(withoutPlaceholders(text));
}

/** The text that stands in place of a value: rule, length in UTF-8 bytes, first 8 hex digits of the keyed hash. */
export function placeholderFor({ rule, bytes, hash }: Withheld): string {
  return `${OPENING}${rule} ${bytes}B ${hash.slice(0, 8)}]`;
}

/** What is recorded of a value. */
export function withhold(rule: string, value: string, policy: RedactionPolicy): Withheld {
  return { rule, bytes: Buffer.byteLength(value), hash: hmacHex(keyOf(policy), value) };
}

/** Joins spans that overlap, and entropy spans that only white space parts: the lines of one encoded block. */
function merge(text: string, spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: Span[] = [];
  for (const span of sorted) {
    const last = merged.at(-1);
    const joins =
      last !== undefined &&
      (span.start < last.end ||
        (span.rule === last.rule &&
          span.rank === RANK.entropy &&
          span.start - last.end <= 16 &&
          text.slice(last.end, span.start).trim() === ''));
    if (!joins) {
      merged.push(span);
      continue;
    }
    const { rule, rank } = span.rank > last.rank ? span : last;
    merged[merged.length - 1] = {
      start: last.start,
      end: Math.max(last.end, span.end),
      rule,
      rank,
    };
  }
  return merged;
}

/** Puts placeholders in place of the spans; undefined where none of them holds anything. */
export function replaceSpans(
  text: string,
  spans: readonly Span[],
  policy: RedactionPolicy,
): { readonly text: string; readonly withheld: readonly Withheld[] } | undefined {
  const withheld: Withheld[] = [];
  const parts: string[] = [];
  let from = 0;
  for (const { start, end: given, rule } of merge(text, spans)) {
    // A bounded pattern may end between the halves of a surrogate pair.
    const end = given + ((text.charCodeAt(given) & 0xfc00) === 0xdc00 ? 1 : 0);
    const value = text.slice(start, end);
    if (isSpent(value)) continue;
    const record = withhold(rule, value, policy);
    withheld.push(record);
    parts.push(text.slice(from, start), placeholderFor(record));
    from = end;
  }
  if (withheld.length === 0) return undefined;
  parts.push(text.slice(from));
  return { text: parts.join(''), withheld };
}
