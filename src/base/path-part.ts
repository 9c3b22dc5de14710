import { sha256Hex } from './hash.ts';

/** An encoded name, so that `session=<name>` and `<host>.<agent>.json` stay far below a part's bound. */
const ENCODED_BYTES_MAX = 120;

/** `-` is never encoded, so no encoded name holds this, and any percent decoder still reads it. */
const SHORTENED = '%2D';
const HASH_DIGITS = 40;
const PREFIX_BYTES_MAX = ENCODED_BYTES_MAX - SHORTENED.length - HASH_DIGITS;

/**
 * Any text at all → one part of a key or path, at most 120 bytes, the same text always giving the same part and two
 * texts never sharing one. UTF-8 bytes outside `A-Za-z0-9._-`, and a dot in front, become `%XX`.
 *
 * A text whose encoding is longer, that is empty, or that holds a lone surrogate (which UTF-8 can't say)
 * becomes a prefix of its encoding, `%2D` and 160 bits of its SHA-256; that form can't be decoded.
 */
export function encodePathPart(text: string): string {
  if (text !== '' && text.length <= ENCODED_BYTES_MAX && text.isWellFormed()) {
    const whole = encodeUpTo(text, Number.POSITIVE_INFINITY);
    if (whole.length <= ENCODED_BYTES_MAX) return whole;
  }
  // UTF-16 tells lone surrogates apart, where UTF-8 would make one U+FFFD of them all.
  const hash = sha256Hex(Buffer.from(text, 'utf16le')).slice(0, HASH_DIGITS);
  return encodeUpTo(text, PREFIX_BYTES_MAX) + SHORTENED + hash;
}

/** The text that `encodePathPart` made this part of; undefined for a shortened one and for what it can't have made. */
export function decodePathPart(part: string): string | undefined {
  if (part.length > ENCODED_BYTES_MAX || part.includes(SHORTENED)) return undefined;
  let text: string;
  try {
    text = decodeURIComponent(part);
  } catch {
    return undefined;
  }
  return encodePathPart(text) === part ? text : undefined;
}

function encodeUpTo(text: string, bytesMax: number): string {
  let encoded = '';
  for (const character of text) {
    const next = encodeCharacter(character, encoded === '');
    if (encoded.length + next.length > bytesMax) break;
    encoded += next;
  }
  return encoded;
}

function encodeCharacter(character: string, first: boolean): string {
  if (/^[A-Za-z0-9_-]$/.test(character) || (character === '.' && !first)) return character;
  return Buffer.from(character)
    .toString('hex')
    .toUpperCase()
    .replace(/../g, (byte) => `%${byte}`);
}
