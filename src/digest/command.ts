import { detached, truncateUtf8 } from '../base/text.ts';
import type { SimpleCommand } from '../capture/redact/shell-command.ts';
import { readCommands } from '../capture/redact/shell-read.ts';
import { programAt, scriptOf, skipOptions, startsOne, words } from './program.ts';
import { runsTests } from './test-run.ts';

const COMMAND_BYTES_MAX = 160;
const SUBJECT_BYTES_MAX = 120;

/** A shell command as a digest names it: one line, bounded. Equal names are the same command. */
export function commandName(command: string): string {
  return truncateUtf8(command.replace(/\s+/g, ' ').trim(), COMMAND_BYTES_MAX);
}

/** True for a command line that runs tests. */
export function isTestRun(command: string): boolean {
  return readCommands(command).some((one) => runsTests(one));
}

/** The same text, of the same length, without what a shell does not read as an operator. */
function operatorsOf(command: string, commands: readonly SimpleCommand[]): string {
  const chars = command.split('');
  for (const { words, reads, writes, documents } of commands) {
    for (const { start, end } of [...words, ...reads, ...writes]) chars.fill('x', start, end);
    // The line feed in front of a here-document begins no command.
    for (const { start, end } of documents) chars.fill('x', start - 1, end);
  }
  const blank = (found: string) => ' '.repeat(found.length);
  return chars.join('').replace(/\\\r?\n|#[^\n]*/g, blank);
}

/** True where a command is run for its output, within another one. */
function isInside(bare: string, command: SimpleCommand, all: readonly SimpleCommand[]): boolean {
  const at = command.words[0]?.start ?? 0;
  const isWithin = all.some(
    (one) => one !== command && one.words.some(({ start, end }) => start <= at && at < end),
  );
  const before = bare.slice(0, at);
  const opened = Math.max(before.lastIndexOf('$('), before.lastIndexOf('<('));
  return isWithin || opened > before.lastIndexOf(')') || before.split('`').length % 2 === 0;
}

/**
 * False where the exit code of a command line is not that of its last test run: after a pipe, `;`, `||` or `&` it is
 * another command's. Then whether the tests passed is not known.
 */
export function exitIsOfTests(command: string): boolean {
  const commands = readCommands(command);
  const startOf = (one: SimpleCommand) => one.words[0]?.start ?? 0;
  const [last] = commands.filter((one) => runsTests(one)).sort((a, b) => startOf(b) - startOf(a));
  if (!last || last.words[0]?.text === '!') return false;
  const bare = operatorsOf(command, commands);
  if (isInside(bare, last, commands)) return false;
  const script = scriptOf(last);
  if (script !== undefined && !exitIsOfTests(script)) return false;
  const joined = bare.lastIndexOf('&&', startOf(last));
  const fromTests = bare.slice(joined < 0 ? 0 : joined + 2).replace(/&?[<>]+[&|]?/g, ' ');
  return !fromTests.split('&&').some((part) => /[|;&\n]/.test(part.trim()));
}

/** Options of git, before its own command, that take a value. */
const GIT_VALUES = words('-C -c --git-dir --work-tree --namespace --config-env');
/** The commands of git that make commits and say so. */
const COMMITTING = words('commit merge cherry-pick revert am rebase');

function makesCommits(command: SimpleCommand): boolean {
  return startsOne(command, (texts, at) => {
    const verb = texts[skipOptions(texts, at + 1, GIT_VALUES)] ?? '';
    return programAt(texts, at) === 'git' && COMMITTING.has(verb);
  });
}

/** The commits that a git command says it made: `[branch sha] subject`. */
export function commitsIn(command: string, output: string): { sha: string; subject: string }[] {
  const said = [...output.matchAll(/^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,400})$/gm)];
  if (said.length === 0 || !readCommands(command).some(makesCommits)) return [];
  return said.map((match) => ({
    sha: detached(match[1] ?? ''),
    subject: truncateUtf8(detached(match[2] ?? ''), SUBJECT_BYTES_MAX),
  }));
}
