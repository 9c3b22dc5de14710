import { truncateUtf8 } from '../base/text.ts';

/**
 * Characters that a reader does not see, or that turn the direction of what it sees: zero-width, bidi, tags, variation
 * selectors, fillers, controls, private and unassigned ones, line separators, specials.
 */
const UNSEEN =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Co}\p{Cn}\u2028\u2029\ufff0-\uffff]/gu;

/**
 * Text from the lake, made safe to put before an agent or a person: on one line, nothing invisible, no markup
 * that acts, and no way to close the fence. Cut to `bytesMax` with a visible mark.
 */
export function sanitise(text: string, bytesMax: number): string {
  const seen = text
    .toWellFormed()
    .replace(/[\s\u2028\u2029]+/gu, ' ')
    .replace(UNSEEN, '')
    .trim();
  const neutral = seen
    .replaceAll('<', '‹')
    .replaceAll('>', '›')
    .replaceAll('`', "'")
    .replaceAll('](', '] (')
    .replace(/^[#>*+=|\s-]+/u, '');
  return truncateUtf8(neutral, bytesMax);
}

/** A name as one of the facts of a line: it ends neither itself nor what encloses it, so that no name tells more facts. */
export function safeName(name: string, bytesMax: number): string {
  return sanitise(name, bytesMax).replace(/[\s,()[\]]/gu, '?');
}

/** An id as it is printed: any character that ids of ours do not have becomes `?`. */
export function safeId(id: string, length = 12): string {
  return id.replace(/[^A-Za-z0-9._:~-]/g, '?').slice(0, length);
}
