import type { SimpleCommand } from '../capture/redact/shell-command.ts';
import {
  MANAGERS,
  managerWord,
  NONE,
  NPM_VALUES,
  programAt,
  skipOptions,
  startsOne,
  words,
} from './program.ts';

/** Programs that run tests, whatever follows. */
const RUNNERS = words(
  'jest mocha ava jasmine karma pytest py.test unittest nose2 tox nox behave rspec cucumber phpunit pest ctest bats gotestsum ginkgo',
);

/** Programs that run tests where their first words say so. */
const SAYING = new Map([
  ['vitest', /^(?!(?:list|init|bench)\b)/],
  ['cargo', /^(?:\+\S+ )?(?:test|t|nextest run)\b/],
  ['zig', /^(?:build )?test\b/],
  ['deno', /^(?:task )?test\b/],
  ['bazel', /^(?:test|coverage)\b/],
  ['cypress', /^run\b/],
  ['xcodebuild', /^(?:clean )?(?:build )?test\b/],
  ...'go dotnet mix swift flutter dart rails playwright forge hardhat cabal stack lein sbt meson ng react-scripts manage.py'
    .split(' ')
    .map((name) => [name, /^test\b/] as const),
]);
const SAYING_VALUES = words(
  '-C --manifest-path --config --color -Z -scheme -project -workspace -destination -sdk -configuration',
);

/** Programs that run the tasks that they are given, or only the first of them → the options that take a value. */
const TASKS = new Map([
  ['make', words('-C -f -I -o -W --directory --file')],
  ['gmake', words('-C -f -I -o -W --directory --file')],
  ['rake', words('-f -C')],
  ['gradle', words('-x --exclude-task -p --project-dir -b')],
  ['gradlew', words('-x --exclude-task -p --project-dir -b')],
  ['mvn', words('-pl --projects -f --file -P -s -T -rf')],
  ['mvnw', words('-pl --projects -f --file -P -s -T -rf')],
  ['ant', words('-f -buildfile')],
  ['task', words('-d --dir -t --taskfile')],
  ['turbo', words('--filter --cwd')],
  ['lerna', words('--scope --ignore')],
]);
const FIRST_TASKS = new Map([
  ['just', words('-f --justfile -d --working-directory')],
  ['mise', words('-C --cd -j --jobs')],
  ['invoke', words('-c -r')],
  ['inv', words('-c -r')],
  ['hatch', words('-e --env')],
  ['composer', words('-d --working-dir')],
  ['nx', words('-p --projects --project')],
]);

/** What may stand before a task. */
const RUN = /^(?:run|run-script|run-many|affected)$/;

const NODE_VALUES = words('--import -r --require --loader --experimental-loader --env-file');
const PYTHON = /^(?:python|pypy)[\d.]*$|^py$/;
const PYTHON_VALUES = words('-W -X');

/** With one of these a program only tells something, or does all but run. */
const TELLING = words(
  '--version --help -h --list --list-tests --listTests --collect-only --co --no-run --dry-run --just-print --show --init --showConfig --clearCache --markers --fixtures',
);

/** Parts of a task's name that say that it runs no tests, though it is about them. */
const NO_RUN = words(
  'lint build assemble compile classes typecheck types tsc format fmt clean install setup prepare deps generate create init data fixtures report deploy publish start serve dev migrate seed env up down logs',
);

/** True for the name of a task that runs tests: `test:unit` and `integrationTest`, neither `latest` nor `lint:tests`. */
function isTestName(name: string): boolean {
  const parts = name
    .replace(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/);
  return (
    !name.includes('/') &&
    parts.some((part) => part === 'test' || part === 'tests' || part === 'e2e') &&
    !parts.some((part) => NO_RUN.has(part))
  );
}

/** True for a program that is there to run tests, and was told to. */
function isRunner(texts: readonly string[], at: number): boolean {
  const name = programAt(texts, at);
  if (RUNNERS.has(name)) return true;
  const from = skipOptions(texts, at + 1, SAYING_VALUES);
  return SAYING.get(name)?.test(texts.slice(from, from + 3).join(' ')) === true;
}

function managerRuns(texts: readonly string[], program: number): boolean {
  const at = managerWord(texts, program);
  const word = texts[at] ?? '';
  const script = RUN.test(word) ? skipOptions(texts, at + 1, NPM_VALUES) : at;
  // Two of npm's other names for `test`, and those that install first.
  const isAlias = /^(?:t|tst|it|cit|install-test|install-ci-test)$/.test(word);
  return isAlias || isTestName(texts[script] ?? '') || isRunner(texts, script);
}

function nodeRuns(texts: readonly string[], program: number): boolean {
  const at = skipOptions(texts, program + 1, NODE_VALUES);
  return texts.slice(program + 1, at).includes('--test') || isRunner(texts, at);
}

function pythonRuns(texts: readonly string[], program: number): boolean {
  let at = skipOptions(texts, program + 1, PYTHON_VALUES);
  if (texts[at] === 'coverage' && texts[at + 1] === 'run') at = skipOptions(texts, at + 2, NONE);
  return isRunner(texts, at);
}

/** The tasks that a program is given, in order. */
function tasksOf(texts: readonly string[], program: number, values: ReadonlySet<string>): string[] {
  const tasks: string[] = [];
  for (let at = program + 1; at < texts.length; at++) {
    const word = texts[at] ?? '';
    const target = /^--targets?=(.+)$/s.exec(word)?.[1];
    if (target !== undefined) tasks.push(target);
    else if (values.has(word)) at++;
    else if (!/^-|=/.test(word) && !RUN.test(word)) tasks.push(word);
  }
  return tasks;
}

function programRuns(texts: readonly string[], at: number): boolean {
  const name = programAt(texts, at);
  const [all, first] = [TASKS.get(name), FIRST_TASKS.get(name)];
  if (all) return tasksOf(texts, at, all).some(isTestName);
  if (first) return isTestName(tasksOf(texts, at, first)[0] ?? '');
  if (MANAGERS.has(name)) return managerRuns(texts, at);
  if (name === 'node' || name === 'tsx') return nodeRuns(texts, at);
  if (PYTHON.test(name)) return pythonRuns(texts, at);
  if (name === 'coverage') return texts[at + 1] === 'run' && pythonRuns(texts, at + 1);
  return isRunner(texts, at);
}

/** True for a command that runs tests, itself or by the script that it hands to a shell. */
export function runsTests(command: SimpleCommand): boolean {
  return startsOne(command, (texts, at) => {
    const end = texts.indexOf('--', at);
    const isTelling = texts.some((word, i) => i > at && (end < 0 || i < end) && TELLING.has(word));
    return !isTelling && programRuns(texts, at);
  });
}
