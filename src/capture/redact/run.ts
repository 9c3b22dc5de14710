import { CHAR, classAt, runEnd, runStart } from './chars.ts';
import type { Scan } from './scan.ts';
import { entropyOf, looksRandom } from './shape.ts';
import { RANK } from './span.ts';

/** The shortest run that is looked at; no shorter token without a telling prefix is known. */
const RUN_MIN = 24;
const ENTROPY_LENGTH_MIN = 32;
const ENTROPY_BITS_MIN = 4.5;

/** Tokens that only their whole shape gives away. */
const SHAPES: readonly (readonly [rule: string, shape: string])[] = [
  ['discord', '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}'],
  ['vault', 's\\.[A-Za-z0-9]{24}'],
  ['twilio', 'SK[0-9a-f]{32}'],
  ['mailchimp', '[0-9a-f]{32}-us\\d{1,2}'],
  ['terraform', '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,100}'],
  ['azure', '[\\w~.-]{3}\\dQ~[\\w~.-]{31,34}'],
  ['azure', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}'],
  ['newrelic', '[0-9a-f]{36}NRAL'],
  ['telegram', 'AA[\\w-]{32,33}'],
  ['firebase', 'APA91b[\\w-]{100,200}'],
];

let shapes: RegExp | undefined;

/** The shape is a word of its own in the run, and not one of common words: `s.transformResponseOfService`. */
function probeShapes(scan: Scan, start: number, end: number): void {
  shapes ??= new RegExp(
    `(?<![\\w.~-])(?:${SHAPES.map(([, shape]) => `(${shape})`).join('|')})(?![\\w~-])`,
    'g',
  );
  const run = scan.text.slice(start, end);
  for (const found of run.matchAll(shapes)) {
    const rule = SHAPES[found.findIndex((group, i) => i > 0 && group !== undefined) - 1]?.[0];
    const from = start + found.index;
    if (rule === undefined || !looksRandom(found[0]) || !/\d/.test(found[0])) continue;
    if (rule === 'telegram' && !/\d{8,10}:$/.test(scan.text.slice(Math.max(0, from - 11), from)))
      continue;
    scan.spans.push({ start: from, end: from + found[0].length, rule, rank: RANK.provider });
  }
}

/** What is public by its nature: hashes with their name before them, addresses of content, public keys. */
const PUBLIC_BEFORE =
  /(?:\bsha-?\d{1,3}|\bh1|\bmd5|\bblake\w{0,6}|integrity|checksum|digest|fingerprint|hash|etag|signature|:key|:z|public[-_ ]?key|pubkey)["']?[ \t]{0,2}[-:=][ \t]{0,2}\\?["']?$/i;
const PUBLIC_START =
  /^(?:sha(?:1|224|256|384|512)[-_]|AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|GnNr|C3N)|Qm[1-9A-HJ-NP-Za-km-z]{44}$|baf[ky][a-z2-7]{50,100}$|\/?nix\/store\/|z6Mk|_{1,2}Z[A-Z\d])/;
const PUBLIC_BLOCK = /-----BEGIN (?![A-Z\d ]{0,40}PRIVATE)[A-Z\d ]{1,60}-----/g;

/** True inside a block of armour that is no private key: a certificate, a public key, a signature. */
function inPublicBlock(scan: Scan, at: number): boolean {
  const { text } = scan;
  scan.armoured ??= text.includes('-----BEGIN ');
  if (!scan.armoured) return false;
  const before = text.slice(Math.max(0, at - 16_384), at);
  const begin = before.lastIndexOf('-----BEGIN ');
  if (begin < 0 || before.indexOf('-----END ', begin) >= 0) return false;
  PUBLIC_BLOCK.lastIndex = begin;
  return PUBLIC_BLOCK.exec(before)?.index === begin;
}

/** A word between slashes or dots: what has one is a path or an address, not one encoded value. */
const WORD_PART = /(?:^|[/.])[A-Za-z]?[a-z]{2,40}(?:[/.]|$)/;

/** Unknown credentials and other encoded data: what is dense and not composed of words. Of a path, one part. */
function probeEntropy(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  const run = text.slice(start, end);
  if (PUBLIC_START.test(run) || PUBLIC_BEFORE.test(text.slice(Math.max(0, start - 24), start)))
    return;
  const parts = WORD_PART.test(run) ? run.split('/') : [run];
  let from = start;
  for (const part of parts) {
    const to = from + part.length;
    if (isDense(part) && !inPublicBlock(scan, from)) {
      const padding = text.startsWith('==', to) ? 2 : text[to] === '=' ? 1 : 0;
      scan.spans.push({ start: from, end: to + padding, rule: 'entropy', rank: RANK.entropy });
    }
    from = to + 1;
  }
}

/** Hashes and numbers inside a name: they say nothing about the rest of it. */
const INNER_HASH = /(?<![A-Za-z0-9])(?:[0-9a-f]{7,64}|\d{1,40})(?![A-Za-z0-9])/g;

function isDense(part: string): boolean {
  if (part.length < ENTROPY_LENGTH_MIN || !/\d/.test(part) || !looksRandom(part)) return false;
  if (entropyOf(part) < ENTROPY_BITS_MIN) return false;
  const rest = part.replace(INNER_HASH, '');
  return rest.length >= RUN_MIN && looksRandom(rest);
}

/** True where the run has a part without slashes and dots that is long enough for a token, with digits in it. */
function hasOpaquePart(text: string, start: number, end: number): boolean {
  let from = start;
  let digits = 0;
  for (let i = start; i < end; i++) {
    const kind = classAt(text, i);
    if ((kind & CHAR.digit) !== 0) digits++;
    if ((kind & CHAR.word) === 0 && text[i] !== '-' && text[i] !== '~') {
      from = i + 1;
      digits = 0;
    } else if (i - from >= RUN_MIN - 1 && digits > 1) {
      return true;
    }
  }
  return false;
}

/** Looks at every long run of characters that encoded values are made of, by steps of the shortest such run. */
export function scanRuns(scan: Scan): void {
  const { text } = scan;
  for (let i = RUN_MIN - 1; i < text.length; ) {
    if ((classAt(text, i) & CHAR.token) === 0) {
      i += RUN_MIN;
      continue;
    }
    let start = runStart(text, i, CHAR.token, i - RUN_MIN + 1);
    let end = runEnd(text, i, CHAR.token);
    i = end + RUN_MIN;
    while (start < end && '.-/'.includes(text[start] ?? '')) start++;
    while (end > start && '.-/'.includes(text[end - 1] ?? '')) end--;
    if (end - start < RUN_MIN) continue;
    if (hasOpaquePart(text, start, end)) probeShapes(scan, start, end);
    if (scan.kind === 'output' && end - start >= ENTROPY_LENGTH_MIN) probeEntropy(scan, start, end);
  }
}
