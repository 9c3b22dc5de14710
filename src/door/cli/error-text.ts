import { CredenceError, codeOf, messageOf } from '../../base/errors.ts';
import { explained } from '../../base/system-error.ts';
import { errorPc } from './colour.ts';

/** What a command that needs the machine's lock says where another process has it, and nothing goes on by itself. */
export function busyError(): CredenceError {
  const message = 'another credence process is at work on this machine, and this was not done';
  return new CredenceError('busy', 'machine.busy', message, {
    next: 'run it again when that is done; `credence status` says how the last sync ended',
  });
}

/** What happened, with which id, and what to do next. */
export function errorLines(thrown: unknown, { red, dim } = errorPc): string[] {
  const error = explained(thrown);
  const lines = [`${red('error')} ${messageOf(error)} ${dim(`(${codeOf(error)})`)}`];
  if (!(error instanceof CredenceError)) return lines;
  const { candidates } = error.data;
  if (Array.isArray(candidates)) lines.push(...candidates.map((id) => `  ${id}`));
  if (error.next !== undefined) lines.push(`${dim('next:')} ${error.next}`);
  return lines;
}

/** An error as a program reads it. */
export function errorValue(thrown: unknown): { readonly error: object } {
  const error = explained(thrown);
  const more =
    error instanceof CredenceError
      ? { category: error.category, next: error.next, data: error.data }
      : {};
  return { error: { code: codeOf(error), message: messageOf(error), ...more } };
}
