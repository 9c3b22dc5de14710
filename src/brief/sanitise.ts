import { truncateUtf8 } from '../base/text.ts';

/**
 * Ranges of characters that a reader does not see, or that turn the direction of what it sees: soft hyphen, fillers,
 * zero-width, bidi, variation selectors, byte order mark, specials, tags.
 */
const UNSEEN_RANGES: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xffff],
  [0xe0000, 0xe0fff],
];
const UNSEEN = new RegExp(
  `[${UNSEEN_RANGES.map(([from, to]) => `\\u{${from.toString(16)}}-\\u{${to.toString(16)}}`).join('')}\\p{Cc}\\p{Co}\\p{Cn}]`,
  'gu',
);

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
    .replace(/^[#>*+=|-]+\s*/u, '');
  return truncateUtf8(neutral, bytesMax);
}

/** An id as it is printed: any character that ids of ours do not have becomes `?`. */
export function safeId(id: string, length = 12): string {
  return id.replace(/[^A-Za-z0-9._:~-]/g, '?').slice(0, length);
}
