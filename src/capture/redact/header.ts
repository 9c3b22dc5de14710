import { CHAR, classAt, endWithout, isBoundary } from './chars.ts';
import { type Scan, TAIL_MAX, tailEnd } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';
import { isUserAndPassword } from './value.ts';
import { isGeneric, isReference } from './words.ts';

const ESCAPED_QUOTE = String.raw`\\{0,3}["'\x60]?`;
const AUTHORIZATION = new RegExp(
  `authorization${ESCAPED_QUOTE}[ \\t]{0,4}[:=,][ \\t]{0,4}${ESCAPED_QUOTE}` +
    `(?:(bearer|basic|token|apikey|api-key|bot|key|negotiate|sso-key|splunk|jwt|genie ?key|klaviyo-api-key)[ \\t]+` +
    `|(digest|aws4-hmac-sha256|hawk|signature|oauth|googlelogin)[ \\t]+)?`,
  'iy',
);
/** As far as a value is looked at before it is known to be a credential; that is then taken to its end. */
const LOOK_MAX = 256;
const CREDENTIAL_END = /[\s"'`\\,;<>]/g;
const LINE_END = /[\r\n"'`\\]/g;
const FIELD_END = /[\r\n"\\]/g;

/** Finds where a value ends. A search for what ends it needs no stack, however long the value is. */
type EndOf = (text: string, from: number) => number;

function searchEnd(text: string, from: number, end: RegExp): number {
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

const credentialEnd: EndOf = (text, from) => searchEnd(text, from, CREDENTIAL_END);
const lineEnd: EndOf = (text, from) => searchEnd(text, from, LINE_END);

/** The offset behind a quote, escaped or not; `at` itself where there is none. */
function quoteEnd(text: string, at: number): number {
  const quote = text[at] === '\\' ? at + 1 : at;
  return text[quote] === '"' ? quote + 1 : at;
}

/** Behind a quoted field, as digest and OAuth headers have it, the line goes on. */
const fieldsEnd: EndOf = (text, from) => {
  for (let at = from; ; ) {
    const end = lineEnd(text, at);
    const start = quoteEnd(text, end);
    const closing = start === end ? end : searchEnd(text, start, FIELD_END);
    at = quoteEnd(text, closing);
    if (start === end || at === closing) return end;
    if (', \t\r\n'.includes(text[at] ?? ' ')) continue;
    // Behind an equals sign it is a field all the same, the last one.
    return text[end - 1] === '=' ? at : end;
  }
};

/** The beginning of a value, enough to judge it by. */
function look(text: string, from: number, endOf: EndOf): string {
  const near = text.slice(from, from + LOOK_MAX);
  return near.slice(0, endOf(near, 0));
}

/** Takes a value to its end; the next header is not looked for inside. */
function hold(scan: Scan, start: number, endOf: EndOf, rule: string): void {
  const end = start + scan.text.slice(start, endOf(scan.text, start)).trimEnd().length;
  scan.headerEnd = end;
  scan.spans.push({ start, end, rule, rank: RANK.shaped });
}

const BEARER = /bearer(?:[ \t]{1,4}|["'`]?[ \t]{0,4}[:=][ \t]{0,4}["'`]?)(?=([\w.~+/=:|-]{16}))/iy;
const BASIC = /basic[ \t]{1,4}(?=([A-Za-z\d+/_-]{8,512}={0,2}))/iy;

/** A credential, not the word for one: `Bearer token`, `Authorization: required`. */
function isCredential(value: string, schemed: boolean): boolean {
  const bare = value.slice(0, endWithout(value, 0, value.length, '.:!?)]}'));
  if (bare.length < (schemed ? 6 : 12) || isReference(bare)) return false;
  if (schemed) return bare.length >= 20 || /[\d._~+/=-]/.test(bare) || looksRandom(bare);
  return looksRandom(bare) && /\d/.test(bare);
}

/** `Authorization: Bearer …`, with any quotes and escapes around its parts, to the end of the credential. */
export function probeAuthorization(scan: Scan, at: number): void {
  AUTHORIZATION.lastIndex = at;
  const head = at < scan.headerEnd ? null : AUTHORIZATION.exec(scan.text);
  if (!head) return;
  const start = at + head[0].length;
  const [, scheme, schemeOfFields] = head;
  const endOf = schemeOfFields === undefined ? credentialEnd : fieldsEnd;
  const value = look(scan.text, start, endOf);
  const found =
    schemeOfFields === undefined
      ? isCredential(value, scheme !== undefined)
      : /[=:]/.test(value) && !isReference(value);
  if (found) hold(scan, start, endOf, 'authorization');
}

/** `Bearer <credential>` without its header, as code and logs have it. */
export function probeBearer(scan: Scan, at: number): void {
  BEARER.lastIndex = at;
  const head = at < scan.headerEnd ? null : BEARER.exec(scan.text);
  if (!head) return;
  const start = at + head[0].length;
  const value = look(scan.text, start, credentialEnd);
  if (!isReference(value) && looksRandom(value) && /\d/.test(value)) {
    hold(scan, start, credentialEnd, 'authorization');
  }
}

/** `Basic <base64 of user:password>` without its header. */
export function probeBasic(scan: Scan, at: number): void {
  BASIC.lastIndex = at;
  const head = BASIC.exec(scan.text);
  const value = head?.[1] ?? '';
  if (!head || !isUserAndPassword(value)) return;
  const start = at + head[0].length;
  const read = start + value.length;
  const end = value.length < TAIL_MAX ? read : tailEnd(scan, read);
  scan.spans.push({ start, end, rule: 'authorization', rank: RANK.shaped });
}

const COOKIE = new RegExp(
  `cookie2?${ESCAPED_QUOTE}[ \\t]{0,3}(?::|,(?=[ \\t]{0,3}\\\\{0,3}["'\`]))[ \\t]{0,3}${ESCAPED_QUOTE}(?=[\\w.!%$-]{1,80}=[^=\\s"'\`\\\\;]{4})`,
  'iy',
);

/** The value of a `Cookie:` line; of `Set-Cookie:` that of the cookie, its name and attributes stay. */
export function probeCookie(scan: Scan, at: number): void {
  const { text } = scan;
  COOKIE.lastIndex = at;
  const head = at < scan.headerEnd ? null : COOKIE.exec(text);
  if (!head) return;
  const from = at + head[0].length;
  const sets = /set-?$/i.test(text.slice(Math.max(0, at - 4), at));
  if (!sets && (classAt(text, at - 1) & CHAR.word) !== 0) return;
  const line = look(text, from, lineEnd);
  const name = line.slice(0, line.indexOf('=') + 1);
  const first = /^[^;,\s]*/.exec(line.slice(name.length))?.[0] ?? '';
  if (first === '' || isReference(first) || isGeneric(name + first)) return;
  if (sets) hold(scan, from + name.length, credentialEnd, 'cookie');
  else hold(scan, from, lineEnd, 'cookie');
}

/** The end of base64url from `at` on. */
function segmentEnd(text: string, at: number): number {
  let end = at;
  while ((classAt(text, end) & CHAR.word) !== 0 || text[end] === '-') end++;
  return end;
}

/**
 * Three parts of base64url (five where encrypted), the first a JSON object. Also two, where the end was cut off.
 * Read by hand: a pattern that can go back keeps a stack entry for each character.
 */
export function probeJwt(scan: Scan, at: number): void {
  const { text } = scan;
  if (at < scan.jwtEnd || !isBoundary(text, at)) return;
  const header = segmentEnd(text, at);
  // Whatever comes of it, another beginning in this part would end no differently.
  scan.jwtEnd = header;
  if (header - at < 9 || text[header] !== '.') return;
  const payload = segmentEnd(text, header + 1);
  const length = payload - header - 1;
  if (length < (text.startsWith('eyJ', header + 1) ? 7 : 16)) return;
  let end = payload;
  for (let parts = 2; parts < 5 && text[end] === '.'; parts++) end = segmentEnd(text, end + 1);
  while (text[end - 1] === '.') end--;
  scan.jwtEnd = end;
  scan.spans.push({ start: at, end, rule: 'jwt', rank: RANK.provider });
}
