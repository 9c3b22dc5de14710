/*
 * The suffix stripping algorithm of M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980, without
 * the author's later changes. The names of the conditions (measure, *v*, *d, *o) are the paper's.
 */

const VOWELS = new Set('aeiou');

/** True where the letter at `i` is a vowel: a, e, i, o, u, or y after a consonant. */
function isVowel(word: string, i: number): boolean {
  const letter = word.charAt(i);
  if (letter !== 'y') return VOWELS.has(letter);
  return i > 0 && !isVowel(word, i - 1);
}

/** The m of the paper: how often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let turns = 0;
  for (let i = 1; i < stem.length; i++) if (isVowel(stem, i - 1) && !isVowel(stem, i)) turns++;
  return turns;
}

function hasVowel(stem: string): boolean {
  for (let i = 0; i < stem.length; i++) if (isVowel(stem, i)) return true;
  return false;
}

/** *d: ends in a double consonant. */
function endsDouble(word: string): boolean {
  const last = word.length - 1;
  return last > 0 && word.charAt(last) === word.charAt(last - 1) && !isVowel(word, last);
}

/** *o: ends consonant, vowel, consonant, the last of them none of w, x, y. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || 'wxy'.includes(word.charAt(last))) return false;
  return !isVowel(word, last) && isVowel(word, last - 1) && !isVowel(word, last - 2);
}

type Rule = readonly [suffix: string, replacement: string];

/** Replaces the first suffix that fits, where its stem fits too; a suffix whose stem does not fit ends the step. */
function replaced(word: string, rules: readonly Rule[], fits: (stem: string) => boolean): string {
  for (const [suffix, replacement] of rules) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, word.length - suffix.length);
    return fits(stem) ? stem + replacement : word;
  }
  return word;
}

const PLURALS: readonly Rule[] = [
  ['sses', 'ss'],
  ['ies', 'i'],
  ['ss', 'ss'],
  ['s', ''],
];

/** Where one suffix ends another the longer stands first, here and below. */
const DOUBLE_SUFFIXES: readonly Rule[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const SUFFIXES: readonly Rule[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const LAST_SUFFIXES: readonly Rule[] =
  'al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize'
    .split(' ')
    .map((suffix) => [suffix, ''] as const);

/** Past tenses and gerunds, and the e or the single letter that they had taken. */
function withoutTense(word: string): string {
  if (word.endsWith('eed')) return replaced(word, [['eed', 'ee']], (stem) => measure(stem) > 0);
  const suffix = ['ed', 'ing'].find((end) => word.endsWith(end));
  const stem = suffix === undefined ? word : word.slice(0, -suffix.length);
  if (suffix === undefined || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function withoutLastSuffix(word: string): string {
  return replaced(
    word,
    LAST_SUFFIXES,
    (stem) => measure(stem) > 1 && (!word.endsWith('ion') || /[st]$/.test(stem)),
  );
}

function tidied(word: string): string {
  const stem = word.slice(0, -1);
  const dropsE = measure(stem) > 1 || (measure(stem) === 1 && !endsShort(stem));
  const trimmed = word.endsWith('e') && dropsE ? stem : word;
  const dropsL = trimmed.endsWith('ll') && measure(trimmed) > 1;
  return dropsL ? trimmed.slice(0, -1) : trimmed;
}

/** The stem of a lower-case word. Words of one or two letters are left as they are. */
export function stemOf(word: string): string {
  if (word.length < 3) return word;
  let stem = withoutTense(replaced(word, PLURALS, () => true));
  stem = replaced(stem, [['y', 'i']], hasVowel);
  stem = replaced(stem, DOUBLE_SUFFIXES, (rest) => measure(rest) > 0);
  stem = replaced(stem, SUFFIXES, (rest) => measure(rest) > 0);
  return tidied(withoutLastSuffix(stem));
}
