import { describe, expect, test } from 'vitest';
import { commandName, commitsIn, exitIsOfTests, isTestRun } from './command.ts';

describe('isTestRun', () => {
  test.each([
    'go test ./...',
    'cd pkg && go test ./...',
    'npm test',
    'npm run test',
    'npx vitest run src',
    'CI=1 npm test',
    'mise run test:ci',
    'mise run fmt && mise run lint && mise run test:ci',
    'just test',
    'cargo test -p x',
    'python -m pytest -q',
    'timeout 60 go test ./x',
    'make test',
    './gradlew test',
    'node --test',
  ])('%s is one', (command) => expect(isTestRun(command)).toBe(true));

  test.each([
    'git commit -m "fix test"',
    'echo npm test',
    'ls test',
    'cat go.test',
    'grep -r "go test" .',
    'mise run lint',
    'npm install',
    'go vet ./...',
    'vim testing.go',
  ])('%s is none', (command) => expect(isTestRun(command)).toBe(false));
});

describe('exitIsOfTests', () => {
  test.each([
    ['go test ./...', true],
    ['go test ./... 2>&1', true],
    ['cd x && go test ./...', true],
    ['cd x; go test ./...', false],
    ['go test ./... | tail -5', false],
    ['go test ./... 2>&1 | tail -5', false],
    ['go test ./... || true', false],
    ['go test ./...; echo done', false],
    ['go test ./... && echo "a | b; c"', true],
    ['go vet ./... | tee x && go test ./...', true],
    ["go test -run 'A|B' ./...", true],
    ['npm test &', false],
  ])('%s: %s', (command, expected) => expect(exitIsOfTests(command)).toBe(expected));
});

describe('commitsIn', () => {
  test.each([
    [
      'git commit -m x',
      '[main 3f2a1bc] Fix it\n 1 file changed',
      [{ sha: '3f2a1bc', subject: 'Fix it' }],
    ],
    ['git commit', '[feat/a (root-commit) 0123abc] First', [{ sha: '0123abc', subject: 'First' }]],
    [
      'git add . && git commit -qm x; git commit',
      '[a 1111111] One\n[a 2222222] Two',
      [
        { sha: '1111111', subject: 'One' },
        { sha: '2222222', subject: 'Two' },
      ],
    ],
    ['echo hi', '[main 3f2a1bc] Fix it', []],
    ['git log', '[lint] $ golangci-lint run', []],
  ])('%s', (command, output, expected) => expect(commitsIn(command, output)).toEqual(expected));
});

test('a command is named on one line, within bounds', () => {
  expect(commandName('  a\n  b  ')).toBe('a b');
  expect(Buffer.byteLength(commandName('é'.repeat(500)))).toBeLessThanOrEqual(160);
});
