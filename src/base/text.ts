/** Marks the place where a text was cut. */
export const CUT_MARK = '…';

/**
 * Cuts a text to at most `bytes` of UTF-8, never through a character, with a visible mark when it was cut. Where
 * there is no room for the mark (below 3 bytes) nothing is left.
 */
export function truncateUtf8(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const room = bytes - Buffer.byteLength(CUT_MARK);
  if (room < 0) return '';
  const whole = Buffer.from(text);
  let end = room;
  // A byte of the form 10xxxxxx after the cut means that the cut went through a character.
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end--;
  return whole.subarray(0, end).toString() + CUT_MARK;
}

/** The same text, well-formed, without a hold on a longer one that it was taken from: V8 keeps all of that alive for a slice. */
export function detached(text: string): string {
  return Buffer.from(text).toString();
}

/** Replaces lone surrogates, which no UTF-8 can hold, and drops NUL. */
export function cleanText(text: string): string {
  const formed = text.isWellFormed() ? text : text.toWellFormed();
  return formed.includes('\0') ? formed.replaceAll('\0', '') : formed;
}
