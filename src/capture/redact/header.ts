import { CHAR, classAt } from './chars.ts';
import type { Scan } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';
import { isUserAndPassword } from './value.ts';
import { isGeneric, isReference } from './words.ts';

const ESCAPED_QUOTE = String.raw`\\{0,3}["'${'`'}]?`;
const AUTHORIZATION = new RegExp(
  `authorization${ESCAPED_QUOTE}[ \\t]{0,4}[:=,][ \\t]{0,4}${ESCAPED_QUOTE}` +
    `(?:(bearer|basic|token|apikey|api-key|bot|key|negotiate|sso-key|splunk|jwt|genie ?key|klaviyo-api-key)[ \\t]+` +
    `|(digest|aws4-hmac-sha256|hawk|signature|oauth|googlelogin)[ \\t]+)?`,
  'iy',
);
const CREDENTIAL = /[^\s"'`\\,;<>]+/y;
const REST_OF_LINE = /[^\r\n"'`\\]+/y;
const FIELDS = /(?:[^\r\n"'`\\]{1,500}|\\?"[^"\\\r\n]{0,500}\\?"(?=[, \t\r\n]|$)){1,40}/y;
const BEARER = /bearer(?:[ \t]{1,4}|["'`]?[ \t]{0,4}[:=][ \t]{0,4}["'`]?)(?=([\w.~+/=:|-]{16}))/iy;
const BASIC = /basic[ \t]{1,4}(?=([A-Za-z\d+/_-]{8,2048}={0,2}))/iy;

function take(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

/** A credential, not the word for one: `Bearer token`, `Authorization: required`. */
function isCredential(value: string, schemed: boolean): boolean {
  if (value.length < (schemed ? 6 : 12) || isReference(value)) return false;
  if (!schemed) return looksRandom(value) && /\d/.test(value);
  return /\d/.test(value) || looksRandom(value) || (value.length >= 20 && !/[-_.]/.test(value));
}

/** `Authorization: Bearer …`, with any quotes and escapes around its parts, to the end of the credential. */
export function probeAuthorization(scan: Scan, at: number): void {
  AUTHORIZATION.lastIndex = at;
  const head = AUTHORIZATION.exec(scan.text);
  if (!head) return;
  const start = at + head[0].length;
  const [, scheme, schemeOfFields] = head;
  const value = take(schemeOfFields === undefined ? CREDENTIAL : FIELDS, scan.text, start);
  if (value === undefined) return;
  const found =
    schemeOfFields === undefined
      ? isCredential(value, scheme !== undefined)
      : /[=:]/.test(value) && !isReference(value);
  if (found)
    scan.spans.push({ start, end: start + value.length, rule: 'authorization', rank: RANK.shaped });
}

/** `Bearer <credential>` without its header, as code and logs have it. */
export function probeBearer(scan: Scan, at: number): void {
  BEARER.lastIndex = at;
  const head = BEARER.exec(scan.text);
  if (!head) return;
  const start = at + head[0].length;
  const value = take(CREDENTIAL, scan.text, start) ?? '';
  if (!isReference(value) && looksRandom(value) && /\d/.test(value)) {
    scan.spans.push({ start, end: start + value.length, rule: 'authorization', rank: RANK.shaped });
  }
}

/** `Basic <base64 of user:password>` without its header. */
export function probeBasic(scan: Scan, at: number): void {
  BASIC.lastIndex = at;
  const head = BASIC.exec(scan.text);
  const value = head?.[1] ?? '';
  if (!head || !isUserAndPassword(value)) return;
  const start = at + head[0].length;
  scan.spans.push({ start, end: start + value.length, rule: 'authorization', rank: RANK.shaped });
}

const COOKIE = new RegExp(
  `cookie2?${ESCAPED_QUOTE}[ \\t]{0,3}(?::|,(?=[ \\t]{0,3}\\\\{0,3}["'\`]))[ \\t]{0,3}${ESCAPED_QUOTE}(?=[\\w.!%$-]{1,80}=[^=\\s"'\`\\\\;]{4})`,
  'iy',
);

/** The value of a `Cookie:` line; of `Set-Cookie:` that of the cookie, its name and attributes stay. */
export function probeCookie(scan: Scan, at: number): void {
  const { text } = scan;
  COOKIE.lastIndex = at;
  const head = COOKIE.exec(text);
  if (!head) return;
  const from = at + head[0].length;
  const sets = /set-?$/i.test(text.slice(Math.max(0, at - 4), at));
  if (!sets && (classAt(text, at - 1) & CHAR.word) !== 0) return;
  const line = take(REST_OF_LINE, text, from) ?? '';
  const name = line.slice(0, line.indexOf('=') + 1);
  const value = sets ? /^[^;,\s]+/.exec(line.slice(name.length))?.[0] : line.slice(name.length);
  if (value === undefined || isReference(value.split(';')[0] ?? '') || isGeneric(line)) return;
  const start = sets ? from + name.length : from;
  const end = from + name.length + value.trimEnd().length;
  scan.spans.push({ start, end, rule: 'cookie', rank: RANK.shaped });
}

const JWT = /eyJ[\w-]{6,}\.(?:eyJ[\w-]{4,}|[\w-]{16,})(?:\.[\w-]*){0,3}/y;

/** Three parts of base64url (five where encrypted), the first a JSON object. Also two, where the end was cut off. */
export function probeJwt(scan: Scan, at: number): void {
  if (
    at < scan.jwtEnd ||
    ((classAt(scan.text, at - 1) & CHAR.word) !== 0 &&
      !/\\[nrt]$/.test(scan.text.slice(Math.max(0, at - 2), at)))
  )
    return;
  const token = take(JWT, scan.text, at)?.replace(/\.+$/, '');
  if (token === undefined) return;
  scan.jwtEnd = at + token.length;
  scan.spans.push({ start: at, end: at + token.length, rule: 'jwt', rank: RANK.provider });
}
