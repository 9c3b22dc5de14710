import { CredenceError, codeOf } from '../../base/errors.ts';
import { jsonIn, objectOf, textOf, type UnknownObject } from '../../base/unknown.ts';

/** A provider's address, and how long it is waited for. */
export interface Endpoint {
  readonly provider: string;
  /** Without a slash at its end. */
  readonly base: string;
  readonly headers: Readonly<Record<string, string>>;
  /** One try, and all of them with the waits between. */
  readonly tryMs: number;
  readonly allMs: number;
  readonly waitFor: (ms: number) => Promise<void>;
  readonly now: () => number;
}

/** A call. A missing body makes it a GET. */
export interface Call {
  readonly path: string;
  readonly body?: object;
  readonly bytesMax: number;
}

const TRIES_MAX = 4;
const WAIT_MS = 1_000;
const WAIT_MS_MAX = 60_000;
const RETRIED = new Set([408, 409, 425, 429, 500, 502, 503, 504, 529]);

/** What providers call their errors. Nothing else that they say is repeated, since it may hold what they were sent. */
const KINDS = new Set(
  (
    'invalid_request_error authentication_error billing_error permission_error not_found_error request_too_large ' +
    'rate_limit_error timeout_error api_error overloaded_error insufficient_quota invalid_api_key model_not_found ' +
    'context_length_exceeded rate_limit_exceeded server_error unsupported_parameter invalid_json_schema'
  ).split(' '),
);

function kindOf(text: string): string | undefined {
  const error = objectOf(objectOf(jsonIn(text))['error']);
  return [error['code'], error['type']].map(textOf).find((kind) => KINDS.has(kind ?? ''));
}

function down(provider: string, code: string, how: string, cause?: unknown): CredenceError {
  const next = 'nothing is lost: the next `credence maint` tries again';
  return new CredenceError('unavailable', `model.${code}`, `${provider} ${how}`, { next, cause });
}

function wrong(provider: string, code: string, how: string, next: string): CredenceError {
  return new CredenceError('configuration', `model.${code}`, `${provider} ${how}`, { next });
}

/** The error for a status that is no success. */
function refusal(provider: string, status: number, text: string): CredenceError {
  const kind = kindOf(text);
  const said = kind === undefined ? `${status}` : `${status} ${kind}`;
  if (status >= 300 && status < 400)
    return wrong(
      provider,
      'redirect',
      `sends elsewhere (${said})`,
      'set summarize.batch.base_url to where it answers',
    );
  if (status === 401 || status === 403)
    return wrong(
      provider,
      'key',
      `refuses the key (${said})`,
      'correct the variable that summarize.batch.api_key_env names',
    );
  if (status === 402 || kind === 'insufficient_quota' || kind === 'billing_error')
    return wrong(
      provider,
      'quota',
      `gives no more for this account (${said})`,
      'look at the account there',
    );
  if (status === 404)
    return wrong(
      provider,
      'missing',
      `knows no such model or address (${said})`,
      'correct summarize.batch.model or summarize.batch.base_url',
    );
  if (RETRIED.has(status)) return down(provider, 'busy', `can't answer now (${said})`);
  return new CredenceError(
    'incorrect',
    'model.request',
    `${provider} refuses the request (${said})`,
  );
}

/** Milliseconds that a provider asks to wait for. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,6}(?:\.\d+)?$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

async function textWithin(response: Response, provider: string, bytesMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > bytesMax) {
      const what = `${provider} sends more than ${bytesMax} bytes`;
      throw new CredenceError('incorrect', 'model.size', what);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What came of one try: a text, or an error, after which it may be tried again in so many milliseconds. */
type Tried =
  | { readonly text: string }
  | { readonly error: CredenceError; readonly again: boolean; readonly after?: number | undefined };

async function tryOnce(to: Endpoint, { path, body, bytesMax }: Call): Promise<Tried> {
  const { provider, base, headers, tryMs, now } = to;
  const signal = AbortSignal.timeout(tryMs);
  try {
    const response = await fetch(`${base}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal,
    });
    const text = await textWithin(response, provider, bytesMax);
    if (response.ok) return { text };
    const error = refusal(provider, response.status, text);
    const after = retryAfter(response.headers.get('retry-after'), now());
    return { error, again: error.code === 'model.busy', after };
  } catch (error) {
    if (error instanceof CredenceError) return { error, again: false };
    if (signal.aborted)
      return {
        error: down(provider, 'timeout', `did not answer within ${tryMs / 1_000} s`),
        again: false,
      };
    // What fetch itself says holds the address; the code says enough.
    const code = codeOf(error instanceof Error ? (error.cause ?? error) : error);
    return { error: down(provider, 'unreachable', `can't be reached (${code})`), again: true };
  }
}

/**
 * Calls a provider: tries again where it is busy or out of reach, as long as it asks to wait but within bounds, follows no
 * redirect, and takes no more than it is told to. Throws `model.*`; no error holds a header, or what the provider said.
 */
export async function call(to: Endpoint, what: Call): Promise<string> {
  const until = to.now() + to.allMs;
  for (let tries = 1; ; tries++) {
    const tried = await tryOnce(to, what);
    if ('text' in tried) return tried.text;
    const wait = tried.after ?? WAIT_MS * 2 ** (tries - 1) * (0.75 + Math.random() / 2);
    const isLast = tries === TRIES_MAX || wait > WAIT_MS_MAX || to.now() + wait > until;
    if (!tried.again || isLast) throw tried.error;
    await to.waitFor(wait);
  }
}

/** The same, where the answer is a JSON object. Throws `model.reply` where it is none. */
export async function callForJson(to: Endpoint, what: Call): Promise<UnknownObject> {
  const value = jsonIn(await call(to, what));
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return objectOf(value);
  throw new CredenceError('incorrect', 'model.reply', `${to.provider} did not answer in JSON`);
}
