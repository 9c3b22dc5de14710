/** What a caller may do about an error, and the exit code that the command line gives it. */
const CATEGORY = {
  usage: { exit: 2, retry: false },
  configuration: { exit: 78, retry: false },
  incorrect: { exit: 1, retry: false },
  forbidden: { exit: 1, retry: false },
  missing: { exit: 1, retry: false },
  conflict: { exit: 1, retry: true },
  busy: { exit: 1, retry: true },
  unavailable: { exit: 1, retry: true },
} as const;

export type Category = keyof typeof CATEGORY;

/** Ids and other facts about an error; never secrets, never content. */
export type ErrorData = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/**
 * The only error that this product throws on purpose. `code` is stable and dotted, so that programs can
 * read it; `next` is the step that a person can take, printed under the message.
 */
export class CredenceError extends Error {
  override readonly name = 'CredenceError';
  readonly category: Category;
  readonly code: string;
  readonly next: string | undefined;
  readonly data: ErrorData;

  constructor(
    category: Category,
    code: string,
    message: string,
    more: { next?: string; data?: ErrorData; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.category = category;
    this.code = code;
    this.next = more.next;
    this.data = more.data ?? {};
  }
}

/** The process exit code for any thrown value: 1 for what is not ours. */
export function exitCodeOf(error: unknown): number {
  return error instanceof CredenceError ? CATEGORY[error.category].exit : 1;
}

/** True where the same call may succeed later without a change by the caller. */
export function isRetryable(error: unknown): boolean {
  return error instanceof CredenceError && CATEGORY[error.category].retry;
}

/** The code of an error: ours, Node's (`ENOSPC`), or `unknown`. */
export function codeOf(error: unknown): string {
  if (error instanceof CredenceError) return error.code;
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : 'unknown';
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Guards our own invariants, in production too. A failure is a bug of ours, so it is not a CredenceError. */
export function assert(condition: unknown, invariant: string): asserts condition {
  if (!condition) throw new Error(`invariant broken: ${invariant}`);
}
