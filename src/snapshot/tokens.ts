/** Scripts that are written without spaces: their runs are indexed as overlapping pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー々]+/u;
const RUNS = new RegExp(`(${UNSPACED.source})`, 'u');

function pairs(run: string): string[] {
  const chars = [...run];
  if (chars.length === 1) return chars;
  return chars.slice(0, -1).map((char, i) => char + (chars[i + 1] ?? ''));
}

function runWords(run: string): string[] {
  if (!UNSPACED.test(run)) return [run];
  return [...pairs(run), [...run].at(-1) ?? ''];
}

/** Most texts: looking for scripts in them would take longer than all the rest. */
const ASCII = /^[\0-\x7f]*$/;
const INNER_START = /[a-z0-9][A-Z]|[A-Z]{2}[a-z]/;

/** `parseHTTPRequest` → its words, so that each is found; empty where there is nothing to part. */
function innerWords(text: string): string[] {
  if (!INNER_START.test(text)) return [];
  const words = text.match(/[A-Za-z0-9]+/g) ?? [];
  return words
    .filter((word) => INNER_START.test(word))
    .map((word) =>
      word.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2'),
    );
}

/**
 * A text as the full-text index wants it: words apart by spaces, also where ASCII touches CJK, and CJK runs as
 * pairs followed by their last character, so that a query of one, two or more characters finds them.
 */
export function indexText(text: string): string {
  const formed = text.normalize('NFKC');
  const words = ASCII.test(formed) ? [formed] : formed.split(RUNS).flatMap(runWords);
  return [...words, ...innerWords(formed)].join(' ').replace(/\s+/g, ' ').trim();
}

const quoted = (term: string) => `"${term.replaceAll('"', '')}"`;

/** How many terms of a query are looked up: a pasted page is not a better query than its first words. */
const TERMS_MAX = 24;

/**
 * A person's query → the terms of an FTS5 expression, each quoted, so that no query is a syntax error: words, CJK runs as
 * phrases of pairs, a single CJK character as a prefix. Each once, the first 24.
 */
export function queryTerms(query: string): string[] {
  const terms = query
    .normalize('NFKC')
    .slice(0, 10_000)
    .split(RUNS)
    .flatMap((run): string[] => {
      if (!UNSPACED.test(run)) return (run.match(/[\p{L}\p{N}]+/gu) ?? []).map(quoted);
      return [[...run].length === 1 ? `${quoted(run)}*` : quoted(pairs(run).join(' '))];
    });
  return [...new Set(terms.map((term) => term.toLowerCase()))].slice(0, TERMS_MAX);
}

/** The name of a thing → an FTS5 expression: what is about it says every term. Undefined where there is no term. */
export function subjectExpression(subject: string): string | undefined {
  const terms = queryTerms(subject);
  return terms.length === 0 ? undefined : terms.join(' AND ');
}
