import type { SimpleCommand } from '../capture/redact/shell-command.ts';
import { readCommands } from '../capture/redact/shell-read.ts';

/** How deep a shell may be called from a shell. */
const SHELLS_MAX = 3;

/** A set of words, from a text. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** No word at all. */
export const NONE = words('');

const KEYWORDS = words('if then elif else while until do ! {');
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;
const SHELL = /^(?:ba|da|z|k)?sh$/;

/** Programs that start the command behind their options → the options that take a value. */
const WRAPPERS = new Map([
  ['env', words('-u --unset -C --chdir')],
  ['exec', words('-a')],
  ['command', NONE],
  ['nohup', NONE],
  ['time', words('-f -o')],
  ['nice', words('-n')],
  ['stdbuf', words('-i -o -e')],
  ['sudo', words('-u -g -D')],
  ['timeout', words('-s --signal -k --kill-after')],
  ['xvfb-run', words('-n -s -e -f')],
  ['cross-env', NONE],
  ['dotenv', words('-e')],
  ['corepack', NONE],
  ['npx', words('-p --package')],
  ['bunx', words('-p --package')],
  ['uvx', words('--from --with -p --python')],
]);

/** Programs that do so behind one of these words only. */
const WRAPPING_WORDS = new Map([
  ['bundle', words('exec')],
  ['poetry', words('run')],
  ['pipenv', words('run')],
  ['pdm', words('run')],
  ['rye', words('run')],
  ['uv', words('run')],
  ['mise', words('exec x')],
]);
const WRAPPING_VALUES = words(
  '--with --extra --group --project --directory --env-file -p --python -e',
);

/** Package managers that run scripts and programs. */
export const MANAGERS = words('npm pnpm yarn bun');
const MANAGER_VALUES = words(
  '--prefix -C --dir --cwd --filter -F --workspace --loglevel --reporter --workspace-concurrency --include --exclude -j --jobs --from',
);
/** The options of npm that take a value. */
export const NPM_VALUES = new Set([...MANAGER_VALUES, '-w']);

/** The name of the program that stands at a place, without its path and ending. */
export function programAt(texts: readonly string[], at: number): string {
  const path = texts[at] ?? '';
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:cmd|exe|bat|[cm]?js)$/, '');
}

/** Where the first word is that is no option, nor an option's value. */
export function skipOptions(
  texts: readonly string[],
  from: number,
  values: ReadonlySet<string>,
): number {
  let at = from;
  for (let word = texts[at]; word?.startsWith('-') === true; word = texts[at]) {
    at += values.has(word) ? 2 : 1;
    if (word === '--') break;
  }
  return at;
}

/** Where a package manager's own word is, behind options and the choice of packages. */
export function managerWord(texts: readonly string[], program: number): number {
  const values = programAt(texts, program) === 'npm' ? NPM_VALUES : MANAGER_VALUES;
  let at = skipOptions(texts, program + 1, values);
  for (;;) {
    const word = texts[at] ?? '';
    if (word === 'workspace') at = skipOptions(texts, at + 2, values);
    else if (/^(?:workspaces|foreach|recursive)$/.test(word)) {
      at = skipOptions(texts, at + 1, values);
    } else return at;
  }
}

/** Where the command is that the program at `at` starts; `at` itself where it starts none. */
function started(texts: readonly string[], at: number): number {
  const name = programAt(texts, at);
  const values = WRAPPERS.get(name);
  if (values) return skipOptions(texts, at + 1, values) + (name === 'timeout' ? 1 : 0);
  if (MANAGERS.has(name)) {
    const word = managerWord(texts, at);
    const isExec = /^(?:exec|x|dlx)$/.test(texts[word] ?? '');
    return isExec ? skipOptions(texts, word + 1, MANAGER_VALUES) : at;
  }
  const wrapping = WRAPPING_WORDS.get(name);
  if (!wrapping) return at;
  const word = skipOptions(texts, at + 1, WRAPPING_VALUES);
  return wrapping.has(texts[word] ?? '') ? skipOptions(texts, word + 1, WRAPPING_VALUES) : at;
}

/** Where the program is, behind keywords, variables, and what only starts it. */
function programOf(texts: readonly string[]): number {
  let at = 0;
  while (at < texts.length) {
    const word = texts[at] ?? '';
    const next = KEYWORDS.has(word) || ASSIGNMENT.test(word) ? at + 1 : started(texts, at);
    if (next === at) return at;
    at = next;
  }
  return at;
}

/** The script that a command hands to a shell. */
export function scriptOf(command: SimpleCommand): string | undefined {
  const texts = command.words.map(({ text }) => text);
  const program = programOf(texts);
  if (!SHELL.test(programAt(texts, program))) return undefined;
  const at = skipOptions(texts, program + 1, words('-o'));
  return /^-[a-z]*c$/.test(texts[at - 1] ?? '') ? texts[at] : undefined;
}

/** True where a command, or one of the script that it hands to a shell, starts a program that fits; `depth` counts the shells around it. */
export function startsOne(
  command: SimpleCommand,
  fits: (texts: readonly string[], program: number) => boolean,
  depth = 0,
): boolean {
  const script = scriptOf(command);
  if (script !== undefined) {
    return (
      depth < SHELLS_MAX && readCommands(script).some((one) => startsOne(one, fits, depth + 1))
    );
  }
  const texts = command.words.map(({ text }) => text);
  return fits(texts, programOf(texts));
}
