import { CHAR, classAt } from './chars.ts';
import type { Scan } from './scan.ts';
import { looksRandom } from './shape.ts';
import { RANK } from './span.ts';

const AUTHORITY_MAX = 1024;

/** Webhook addresses whose path is the credential. */
const WEBHOOK =
  /(?:hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/|(?:ptb\.|canary\.)?discord(?:app)?\.com\/api\/(?:v\d+\/)?webhooks\/\d{10,22}\/|[\w-]+\.webhook\.office\.com\/webhookb2\/|hooks\.zapier\.com\/hooks\/catch\/|api\.telegram\.org\/bot)(?=([\w./@:-]{20,300}))/y;

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
  const limit = Math.min(text.length, start + AUTHORITY_MAX);
  for (; end < limit && (classAt(text, end) & CHAR.urlEnd) === 0; end++) {
    if (text.charCodeAt(end) === 64) host = end;
  }
  if (host < 0) probeWebhook(scan, start);
  else probeUserInfo(scan, start, host);
}

function probeUserInfo(scan: Scan, start: number, end: number): void {
  const user = scan.text.slice(start, end);
  const colon = user.indexOf(':');
  const secret = user.slice(colon + 1);
  if (secret.length === 0 || isMaskOrReference(secret)) return;
  if (colon < 0 && !(secret.length >= 16 && looksRandom(secret) && /\d/.test(secret))) return;
  scan.spans.push({ start: end - secret.length, end, rule: 'url-password', rank: RANK.shaped });
}

function probeWebhook(scan: Scan, start: number): void {
  WEBHOOK.lastIndex = start;
  const path = WEBHOOK.exec(scan.text);
  const value = path?.[1];
  if (!path || value === undefined || !/\d/.test(value) || /x{6}|\.\.\./i.test(value)) return;
  const from = start + path[0].length;
  scan.spans.push({
    start: from,
    end: from + value.length,
    rule: 'webhook-url',
    rank: RANK.shaped,
  });
}

const SIGNATURE =
  /(?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|accountkey|sharedaccesskey|sharedaccesssignature)=([\w%+/.~-]{20,2048}={0,2})/iy;

/** Signatures of pre-signed URLs, and the keys of Azure connection strings. */
export function probeSignature(scan: Scan, at: number): void {
  const { text } = scan;
  if ((classAt(text, at - 1) & CHAR.word) !== 0) return;
  SIGNATURE.lastIndex = at;
  const found = SIGNATURE.exec(text);
  const value = found?.[1];
  if (!found || value === undefined || !/\d/.test(value) || !looksRandom(value)) return;
  const end = at + found[0].length;
  scan.spans.push({ start: end - value.length, end, rule: 'signed-url', rank: RANK.shaped });
}
