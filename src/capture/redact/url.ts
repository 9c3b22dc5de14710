import { CHAR, classAt } from './chars.ts';
import { type Scan, TAIL_MAX, tailEnd } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';

/** Webhook addresses whose path is the credential; in JSON that is text their slashes are escaped. */
const WEBHOOK =
  /(?:hooks\.slack(?:-gov)?\.com\\?\/(?:services|workflows|triggers)\\?\/|(?:ptb\.|canary\.)?discord(?:app)?\.com\\?\/api\\?\/(?:v\d+\\?\/)?webhooks\\?\/\d{10,22}\\?\/|[\w-]{1,63}\.webhook\.office\.com\\?\/webhookb2\\?\/|hooks\.zapier\.com\\?\/hooks\\?\/catch\\?\/|api\.telegram\.org\\?\/bot)(?=((?:[\w./@:-]|\\\/){20,512}))/y;

function isMaskOrReference(value: string): boolean {
  return /^[$%{<[]|\$\{|\{\{|^[xX*.•…]+$|^(?:redacted|\*+)|\[\^|\\|\+\)|^:?\d{2,5}$/i.test(value);
}

/** The password of `scheme://user:password@host`, and a token that stands there alone; `at` is the colon before `//`. */
export function probeUrl(scan: Scan, at: number): void {
  const { text } = scan;
  const slashes = text.startsWith('://', at) ? 3 : text.startsWith(':\\/\\/', at) ? 5 : 0;
  if (slashes === 0 || (classAt(text, at - 1) & CHAR.word) === 0) return;
  const start = at + slashes;
  let end = start;
  let host = -1;
  for (; end < text.length && (classAt(text, end) & CHAR.urlEnd) === 0; end++) {
    if (text.charCodeAt(end) === 64) host = end;
  }
  if (host >= 0) probeUserInfo(scan, start, host);
  else if (!probeStrangePassword(scan, start, end)) probeWebhook(scan, start);
}

function probeUserInfo(scan: Scan, start: number, end: number): void {
  const user = scan.text.slice(start, end);
  const colon = user.indexOf(':');
  const secret = user.slice(colon + 1);
  // The tag of an image stands before its digest as a password would before its host.
  if (secret.length === 0 || isMaskOrReference(secret) || scan.text.startsWith('@sha256:', end))
    return;
  if (colon < 0 && !(secret.length >= 16 && looksRandom(secret) && /\d/.test(secret))) return;
  scan.spans.push({ start: end - secret.length, end, rule: 'url-password', rank: RANK.shaped });
}

const USER = /[\w.%+-]{0,64}:(?!(?:\d{0,5}|port)(?:[/?#]|\\\/))/iy;
/** As far as is looked whether what stands there can be a password. */
const LOOK_MAX = 256;

/**
 * A password with a sign that should end the host, `admin:S3cr#t@db`: where what stands before the sign is no port,
 * it is part of a password if an `@` follows. `end` is where the sign stands.
 */
function probeStrangePassword(scan: Scan, start: number, end: number): boolean {
  const { text } = scan;
  USER.lastIndex = start;
  if (!isSign(text, end) || !USER.test(text) || USER.lastIndex > end) return false;
  const from = USER.lastIndex;
  const host = lastAt(text, end);
  if (host < 0) return false;
  const secret = text.slice(from, Math.min(host, from + LOOK_MAX)).replaceAll('\\/', '/');
  if (!/[\d?#]/.test(secret) || isMaskOrReference(secret)) return false;
  scan.spans.push({ start: from, end: host, rule: 'url-password', rank: RANK.shaped });
  return true;
}

const isSign = (text: string, at: number) => {
  const char = text[at];
  return char === '/' || char === '?' || char === '#' || (char === '\\' && text[at + 1] === '/');
};

/** The last `@` of the address that `from` is in, signs of every kind included; the next address is none of it. */
function lastAt(text: string, from: number): number {
  let last = -1;
  for (let at = from; at < text.length; at++) {
    if ((classAt(text, at) & CHAR.urlEnd) !== 0 && !isSign(text, at)) break;
    if (text.charCodeAt(at) === 64) last = at;
    else if (text.startsWith('://', at) || text.startsWith(':\\/', at)) break;
  }
  return last;
}

function probeWebhook(scan: Scan, start: number): void {
  const { text } = scan;
  WEBHOOK.lastIndex = start;
  const path = WEBHOOK.exec(text);
  const value = path?.[1];
  if (!path || value === undefined || !/\d/.test(value) || /x{6}|\.\.\./i.test(value)) return;
  const from = start + path[0].length;
  const read = from + value.length;
  const end = value.length < TAIL_MAX ? read : tailEnd(scan, read);
  scan.spans.push({ start: from, end, rule: 'webhook-url', rank: RANK.shaped });
}

const SIGNATURE =
  /(?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|accountkey|sharedaccesskey|sharedaccesssignature)=([\w%+/.~-]{20,512}={0,2})/iy;

/** Signatures of pre-signed URLs, and the keys of Azure connection strings. */
export function probeSignature(scan: Scan, at: number): void {
  const { text } = scan;
  if ((classAt(text, at - 1) & CHAR.word) !== 0) return;
  SIGNATURE.lastIndex = at;
  const found = SIGNATURE.exec(text);
  const value = found?.[1];
  if (!found || value === undefined || !/\d/.test(value) || !looksRandom(value)) return;
  const read = at + found[0].length;
  const end = value.length < TAIL_MAX ? read : tailEnd(scan, read);
  scan.spans.push({ start: read - value.length, end, rule: 'signed-url', rank: RANK.shaped });
}
