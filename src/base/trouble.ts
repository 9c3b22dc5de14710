import { CredenceError, codeOf, messageOf } from './errors.ts';

/** Something that went wrong with one session or file and did not stop the others. */
export interface Trouble {
  readonly id: string;
  readonly code: string;
  readonly message: string;
}

/** What went wrong with one item, as it is noted. */
export function troubleOf(id: string, error: unknown): Trouble {
  return { id, code: codeOf(error), message: messageOf(error) };
}

/** Notes one item's trouble, to go on with the next. A store that is out of reach is everybody's trouble, and is thrown on. */
export function noteTrouble(troubles: Trouble[], id: string, error: unknown): void {
  if (error instanceof CredenceError && error.category === 'unavailable') throw error;
  troubles.push(troubleOf(id, error));
}
