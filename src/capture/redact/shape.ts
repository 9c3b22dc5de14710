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
 * The share of letters and digits before which the kind changes inside a word: small to capital, letter to digit
 * and back. A capitalised word is none. Names, paths and versions lie below 0.2, nearly all random text of base64 or
 * hexadecimal above 0.25 (98 % at 32 characters).
 */
function breakDensity(text: string): number {
  let breaks = 0;
  let length = 0;
  let before = 0;
  for (let i = 0; i < text.length; i++) {
    const kind = classAt(text, i) & KIND;
    if (kind !== 0) {
      length++;
      const capitalised = before === CHAR.upper && kind === CHAR.lower;
      if (before !== 0 && kind !== before && !capitalised) breaks++;
    }
    before = kind;
  }
  return length === 0 ? 0 : breaks / length;
}

/** True for text that no one composed of words. */
export function looksRandom(text: string): boolean {
  return breakDensity(text) >= 0.25;
}

/** True for masks: nothing but x, stars, dots, dashes. */
export function isMask(text: string): boolean {
  return /^(?:[xX*•.…_-]+|0+)$/.test(text);
}
