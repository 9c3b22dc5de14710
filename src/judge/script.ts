import { FOREIGN } from './languages.ts';

/** Words of languages that are written without spaces, by their first character, the longest first. */
let table: ReadonlyMap<string, readonly string[]> | undefined;

/** What Korean puts behind a noun. */
const PARTICLE = /(?:에서는|에서|에는|으로|까지|부터|[은는이가을를의에로도와과])$/;

const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;

function known(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const word of FOREIGN.keys()) {
    const first = word.charAt(0);
    if (UNSPACED.test(first)) found.set(first, [...(found.get(first) ?? []), word]);
  }
  for (const words of found.values()) words.sort((a, b) => b.length - a.length);
  table = found;
  return found;
}

function scriptOf(char: string): string {
  if (/\p{sc=Hiragana}/u.test(char)) return 'hiragana';
  if (/[\p{sc=Katakana}ー]/u.test(char)) return 'katakana';
  return /\p{sc=Han}/u.test(char) ? 'han' : 'hangul';
}

/** A run of letters → its words. Where no spaces are written, words of the table are cut out and the rest at changes of script. */
export function segment(run: string): string[] {
  if (!UNSPACED.test(run)) return [run];
  const words = table ?? known();
  const parts: string[] = [];
  let rest = '';
  const flush = () => {
    if (rest !== '') parts.push(rest);
    rest = '';
  };
  for (let i = 0; i < run.length; ) {
    const char = run.charAt(i);
    const word = words.get(char)?.find((one) => run.startsWith(one, i));
    if (word !== undefined) {
      flush();
      parts.push(word);
      i += word.length;
      continue;
    }
    if (rest !== '' && scriptOf(rest.slice(-1)) !== scriptOf(char)) flush();
    rest += char;
    i += 1;
  }
  flush();
  // What is written in Hiragana and in no table is grammar.
  return parts
    .map((part) => (FOREIGN.has(part) ? part : part.replace(PARTICLE, '')))
    .filter(
      (part) => part !== '' && (FOREIGN.has(part) || scriptOf(part.charAt(0)) !== 'hiragana'),
    );
}
