import { truncateUtf8 } from '../base/text.ts';

const COMMAND_BYTES_MAX = 160;
const SUBJECT_BYTES_MAX = 120;

/** A shell command as a digest names it: one line, bounded. Equal names are the same command. */
export function commandName(command: string): string {
  return truncateUtf8(command.replace(/\s+/g, ' ').trim(), COMMAND_BYTES_MAX);
}

/** Words that start a test run, after any `cd …&&`, variables, or wrapper. */
const TEST_RUN = new RegExp(
  [
    'go test',
    'cargo (?:test|nextest)',
    '(?:npm|pnpm|yarn|bun)(?: run)? test',
    '(?:npx |pnpm |yarn |bunx )?(?:vitest|jest|mocha|ava|playwright test)',
    'node (?:--\\S+ )*--test',
    '(?:python3? -m |uv run |poetry run )?(?:pytest|unittest)',
    'tox',
    '(?:mise|just|make|task|bazel|gradle|\\./gradlew|mvn)(?: run)? [\\w:./-]*test[\\w:.-]*',
    '(?:bundle exec )?(?:rspec|rake test)',
    'phpunit',
    'ctest',
    'dotnet test',
    'mix test',
    'swift test',
    'deno test',
  ]
    .map((words) => `(?:${words})`)
    .join('|')
    .replace(/^/, '(?:^|[;&|(] ?|\\b(?:time|env|exec|timeout \\S+) |[A-Z_]+=\\S+ )(?:')
    .replace(/$/, ')(?:[ ;&|)]|$)'),
);

/** True for a command that runs tests. */
export function isTestRun(name: string): boolean {
  return TEST_RUN.test(name);
}

/**
 * False where the exit code of a command line is not that of its last test run: after a pipe, `;`, `||` or `&` it is
 * another command's. Then whether the tests passed is not known.
 */
export function exitIsOfTests(command: string): boolean {
  const bare = command
    .replace(/\\.|'[^']*'|"(?:[^"\\]|\\.)*"/gs, 'x')
    .replace(/\d?>&[\d-]|&>/g, '')
    .replaceAll('&&', '\u0000');
  const lastTests = bare.split('\u0000').findLastIndex((part) => isTestRun(commandName(part)));
  const fromTests = bare.split('\u0000').slice(Math.max(0, lastTests));
  return !fromTests.some((part) => /[|;&\n]/.test(part.trim()));
}

/** The commits that a git command says it made: `[branch sha] subject`. */
export function commitsIn(command: string, output: string): { sha: string; subject: string }[] {
  if (!/\bgit\b/.test(command)) return [];
  return [...output.matchAll(/^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] (.{1,400})$/gm)].map(
    (match) => ({
      sha: match[1] ?? '',
      subject: truncateUtf8(match[2] ?? '', SUBJECT_BYTES_MAX),
    }),
  );
}
