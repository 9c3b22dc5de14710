import { isCompound } from '../judge/compound.ts';

/** One thing that people wrote down for agents, and where it stands. */
export interface Written {
  readonly statement: string;
  /** Lines, counted from 1. */
  readonly first: number;
  readonly last: number;
  /** The bytes of these lines in the file, from `start` up to `end`. */
  readonly start: number;
  readonly end: number;
}

/** Why words of a file are no proposition. */
export type NoProposition =
  | 'two_things'
  | 'refers_back'
  | 'too_short'
  | 'too_long'
  | 'import'
  | 'table'
  | 'intro';

/** Words that were left out, by the line that they begin on. */
export interface LeftOut {
  readonly line: number;
  readonly reason: NoProposition;
  readonly text: string;
}

interface Block {
  readonly first: number;
  last: number;
  text: string;
}

/** A longer paragraph is an explanation. */
const LENGTH_MAX = 400;
const WORDS_MIN = 3;

const FENCE = /^ {0,3}(?:[-*+] +)?(`{3,}|~{3,})/;
const ITEM = /^\s*(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const UNDERLINE = /^ {0,3}(?:=+|-{2,})\s*$/;
const RULE = /^ {0,3}(?:[-*_]\s*){3,}$/;
const CONTEXT_OPEN = '<credence-context';
const CONTEXT_CLOSE = '</credence-context>';

/** Comments and what Credence itself put there, as spaces: bytes and lines stay where they are. */
function blanked(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; ) {
    const open = nextOpening(text, at);
    if (!open) return out + text.slice(at);
    const close = text.indexOf(open.close, open.at);
    const end = close < 0 ? text.length : close + open.close.length;
    out += text.slice(at, open.at) + text.slice(open.at, end).replaceAll(/[^\n]/g, ' ');
    at = end;
  }
  return out;
}

function nextOpening(text: string, from: number): { at: number; close: string } | undefined {
  const found = [
    { at: text.indexOf('<!--', from), close: '-->' },
    { at: text.indexOf(CONTEXT_OPEN, from), close: CONTEXT_CLOSE },
  ].filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0];
}

/** The number of lines that front matter takes. */
function frontMatter(lines: readonly string[]): number {
  if (lines[0]?.trim() !== '---') return 0;
  const end = lines.findIndex((line, at) => at > 0 && line.trim() === '---');
  return end < 0 ? 0 : end + 1;
}

/** List items and paragraphs, each in one line of text. */
function blocksOf(lines: readonly string[]): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let fence: string | undefined;
  for (const [at, line] of lines.entries()) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      const closes = new RegExp(`^\\s*${fence[0]}{${fence.length},}\\s*$`);
      if (closes.test(line)) fence = undefined;
      continue;
    }
    if (at < frontMatter(lines)) continue;
    if (mark !== undefined) fence = mark;
    if (UNDERLINE.test(line) && open && !ITEM.test(lines[open.first - 1] ?? '')) blocks.pop();
    const isOwn = /^\s*(?:\||@\S+\s*$)/.test(line);
    const isBreak = HEADING.test(line) || UNDERLINE.test(line) || RULE.test(line);
    if (mark !== undefined || isBreak || line.trim() === '') open = undefined;
    else if (open && !isOwn && !ITEM.test(line)) {
      open.last = at + 1;
      open.text += ` ${line.replace(/^\s*>+\s?/, '').trim()}`;
    } else if (ITEM.test(line) || !/^(?: {4}|\t)/.test(line)) {
      const text = line.replace(ITEM, '').replace(/^\s*>+\s?/, '');
      open = { first: at + 1, last: at + 1, text: text.trim() };
      blocks.push(open);
    }
  }
  return blocks;
}

/** The words of Markdown without their dress; code keeps its marks. */
function plain(text: string): string {
  return text
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/(\*\*|__)(?=\S)(.+?)\1/g, '$2')
    .replaceAll(/(?<![\w*])\*(?=\S)([^*`]+?)\*(?![\w*])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const BARE_LINKS = /!?\[[^\]]*\]\([^)]*\)|<?https?:\/\/[^\s>]+>?/g;

/** True for what only leads elsewhere. */
const isLinks = (text: string) => !/[\p{L}\p{N}]/u.test(text.replaceAll(BARE_LINKS, ''));

/** The sentences of a text; code is not looked into. */
function sentencesOf(text: string): string[] {
  const codes: string[] = [];
  const veiled = text.replaceAll(/`[^`]*`/g, (code) => `\uE000${codes.push(code) - 1}\uE000`);
  return veiled
    .split(/(?<=[.!?])(?<!\b(?:e\.g|i\.e|etc|vs|cf|approx|resp)\.)\s+(?=[\p{Lu}\uE000])|;\s+/u)
    .map((part) => part.replaceAll(/\uE000(\d+)\uE000/g, (_, at) => codes[Number(at)] ?? ''))
    .filter((part) => part.trim() !== '');
}

/** A second sentence that begins so says nothing without the first. */
const BACK = /^(?:it|they|this|these|those|that|he|she|otherwise|then|instead|so)\b/i;

function reasonAgainst(text: string): NoProposition | undefined {
  if (text.length > LENGTH_MAX) return 'too_long';
  if (text.split(' ').length < WORDS_MIN) return 'too_short';
  return isCompound(text) ? 'two_things' : undefined;
}

/**
 * What a file of conventions says, one proposition each: its list items and short paragraphs, split between sentences where they
 * say two things. Headings, code, comments, front matter, bare links and what Credence put there are passed over; other words that are
 * no proposition are named with the reason. Pure; the text is hostile input. Source: design page 6, "Claim body".
 */
export function propositionsIn(text: string): {
  readonly written: readonly Written[];
  readonly leftOut: readonly LeftOut[];
} {
  const lines = blanked(text.replaceAll('\uE000', ' ')).split('\n');
  const starts = [0];
  for (const line of text.split('\n'))
    starts.push((starts.at(-1) ?? 0) + Buffer.byteLength(line) + 1);
  const written: Written[] = [];
  const leftOut: LeftOut[] = [];
  for (const { first, last, text: raw } of blocksOf(lines)) {
    if (isLinks(raw)) continue;
    const block = plain(raw);
    const leave = (reason: NoProposition, words: string) =>
      leftOut.push({ line: first, reason, text: words.slice(0, LENGTH_MAX) });
    if (raw.startsWith('|')) leave('table', block);
    else if (/^@\S+$/.test(block)) leave('import', block);
    else if (block.endsWith(':')) leave('intro', block);
    else {
      for (const [at, statement] of sentencesOf(block).entries()) {
        const refersBack = at > 0 && BACK.test(statement);
        const reason = refersBack ? 'refers_back' : reasonAgainst(statement);
        const start = starts[first - 1] ?? 0;
        const end = Math.min((starts[last] ?? 0) - 1, Buffer.byteLength(text));
        if (reason) leave(reason, statement);
        else written.push({ statement, first, last, start, end });
      }
    }
  }
  return { written, leftOut };
}
