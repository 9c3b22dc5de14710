import { describe, expect, test } from 'vitest';
import { commandName, commitsIn, exitIsOfTests } from './command.ts';

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
    ['npm test\n', true],
    ['npm test \\\n  --bail', true],
    ['npm test > log 2>&1', true],
    ['npm test &> log', true],
    ['npm test |& tee log', false],
    ['npm test # a | b; c', true],
    ['npm test && cat <<EOF\na | b; c\nEOF', true],
    ['npm test && echo "$(date; true)"', true],
    ['git commit -m "a | b; c" && npm test', true],
    ['git commit -m "npm test | tail" && npm test', true],
    ['npm test && git commit -m "npm test | tail"', true],
    ['cd web\nnpm test', false],
    ['set -e\nnpx vitest run', false],
    ['true || npm test', false],
    ['! npm test', false],
    ['(cd web && npm test)', true],
    ['(npm test; true)', false],
    ['{ npm test; }', false],
    ['if npm test; then true; fi', false],
    ['echo "$(npm test)"', false],
    ['echo "$(cd web && npm test)"', false],
    ['out=$(npm test)', false],
    ['out=$(cd web && npm test)', false],
    ['out=$(date) && npm test', true],
    ['echo `npm test`', false],
    ['diff <(npm test) expected', false],
    ['bash -c "npm test"', true],
    ['bash -c "npm test | tail"', false],
    ['bash -c "npm test" | tail', false],
    ['ls', false],
  ])('%j: %j', (command, expected) => expect(exitIsOfTests(command)).toBe(expected));
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
    ['git log --format="[%an %h] %s" -3', '[Ann 1234567] old work', []],
    ['grep -rn "git commit" docs/', '[main abcdef1] an example', []],
    ['cat git-commit.md; ls git commit', '[main abcdef1] an example', []],
    ['git config alias.commit x', '[main abcdef1] an example', []],
  ])('%s', (command, output, expected) => expect(commitsIn(command, output)).toEqual(expected));

  test.each([
    'git -C web -c user.name=x commit -m x',
    'git --no-pager --git-dir=/x/.git commit -F -',
    'cd web && GIT_EDITOR=true /usr/bin/git merge --continue',
    'git cherry-pick abc | tail -3',
    '(git revert --no-edit HEAD)',
    'git am < x.patch',
    'git rebase --continue',
    'sudo -u dev git commit -m x',
    'bash -c "git add . && git commit -m x"',
    'out=$(git commit -m x); echo "$out"',
    "git commit -F - <<'EOF'\nx\nEOF",
  ])('%j makes commits', (command) =>
    expect(commitsIn(command, '[main 3f2a1bc] x')).toEqual([{ sha: '3f2a1bc', subject: 'x' }]),
  );
});

test('a command is named on one line, within bounds', () => {
  expect(commandName('  a\n  b  ')).toBe('a b');
  expect(Buffer.byteLength(commandName('é'.repeat(500)))).toBeLessThanOrEqual(160);
});
