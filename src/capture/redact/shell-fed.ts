import { callOf } from './shell-call.ts';
import type { SimpleCommand, Word } from './shell-command.ts';
import { eachCommand } from './shell-read.ts';
import { type Place, placeOf, printedBy } from './shell-write.ts';
import { isReference } from './words.ts';

const FROM_INPUT = /^--(?:(?:password|passphrase|token)-stdin|with-token)$/;
const STORES = /^secrets? (?:set|put|create|add)$/;

/** True for what reads a password or a token from its input: `docker login --password-stdin`, `gh secret set X`. */
function readsSecret(command: SimpleCommand): boolean {
  const texts = command.words.map(({ text }) => text);
  if (texts[0] === 'sudo' && texts.includes('-S')) return true;
  const { program } = callOf(command);
  if (program === 'kubectl' || program === 'git') return false;
  return texts.some(
    (text, i) => FROM_INPUT.test(text) || (i > 0 && STORES.test(`${text} ${texts[i + 1]}`)),
  );
}

/** False for a form of `printf`, too. */
const isLiteral = ({ text }: Word) => !text.startsWith('%') && !isReference(text);

/** The parts of a command that it prints for another one to read as a secret. */
export function secretsFed(source: string): readonly Place[] {
  const found: Place[] = [];
  // Most commands have none of the words, and are not read for this.
  if (!/-stdin|--with-token|secret|sudo/.test(source)) return found;
  let printed: readonly Place[] = [];
  eachCommand(source, (command) => {
    const { program, words } = callOf(command);
    if (readsSecret(command))
      found.push(...printed, ...command.documents.filter(isLiteral).map(placeOf));
    const isPrinting = command.piped && /^(?:echo|printf)$/.test(program);
    printed = isPrinting ? printedBy(words.filter(isLiteral), source) : [];
    return false;
  });
  return found;
}
