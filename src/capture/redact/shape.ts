import { CHAR, classAt } from './chars.ts';

const counts = new Uint32Array(128);

/** Shannon entropy of the ASCII characters of a text, in bits per character. */
export function entropyOf(text: string): number {
  counts.fill(0);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) & 127;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  let sum = 0;
  for (const count of counts) if (count > 0) sum += count * Math.log2(count);
  return text.length === 0 ? 0 : Math.log2(text.length) - sum / text.length;
}

const KIND = CHAR.lower | CHAR.upper | CHAR.digit;

/**
 * The mean length of the pieces that a reader would see in an identifier: words, capitalised words, numbers.
 * Names and paths lie above 4; of random base64 of 32 characters 99 % lie below 3.5, and of longer ones more.
 */
export function pieceLength(text: string): number {
  let pieces = 0;
  let length = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const kind = classAt(text, i) & KIND;
    if (kind !== 0) {
      length++;
      if (kind !== before && !(before === CHAR.upper && kind === CHAR.lower)) pieces++;
    }
    before = kind;
  }
  return pieces === 0 ? Number.POSITIVE_INFINITY : length / pieces;
}

/** True for text that no one composed of words: short pieces, and digits or both cases. */
export function looksRandom(text: string): boolean {
  return (/\d/.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text))) && pieceLength(text) < 3.6;
}

/** True for masks: nothing but x, stars, dots, dashes. */
export function isMask(text: string): boolean {
  return /^(?:[xX*•.…_-]+|0+)$/.test(text);
}
