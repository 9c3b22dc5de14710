import { describe, expect, test } from 'vitest';
import { redactText } from '../redact.ts';

const key = new Uint8Array(32).fill(1);
const HELD = /\[withheld:denied-path \d+B [0-9a-f]{8}\]/g;
const GLOBS = { key, deniedPaths: ['secrets/**', '/repo/plans/**', '*.vault'], cwd: '/repo/src' };

const shown = (text: string, policy: Parameters<typeof redactText>[2]) =>
  redactText(text, 'output', policy).text.replace(HELD, '#');

describe('what an output shows of denied files that it names', () => {
  test.each([
    ['hits', 'src/a.ts:1:x\n.env:3:FOO=bar\nb.ts:2:y', 'src/a.ts:1:x\n.env:3:#\nb.ts:2:y'],
    ['hits without numbers', 'config/.env.local:FOO=bar', 'config/.env.local:#'],
    ['hits with columns', '.env:3:5:FOO=bar', '.env:3:#'],
    ['context', '.env-2-A=b\n.env:3:FOO=bar\n.env-4-C=d', '.env-2-#\n.env:3:#\n.env-4-#'],
    ['context without numbers', '.env-A=b\n.env:FOO=bar\n.env-C=d', '.env-#\n.env:#\n.env-#'],
    ['context below a folder with numbers', 'app-2-x/.env-3-A=b', 'app-2-x/.env-3-#'],
    ['headings', '.env\n3:FOO=bar\n4-A=b\n\nsrc/a.ts\n1:x', '.env\n3:#\n4-#\n\nsrc/a.ts\n1:x'],
    ['groups under a heading', '.env\r\n3:FOO=b\r\n--\r\n9:A=b', '.env\r\n3:#\r\n--\r\n9:#'],
    [
      'files printed together',
      '==> .env <==\nA=b\n\n==> a.ts <==\nx',
      '==> .env <==\n#\n\n==> a.ts <==\nx',
    ],
    [
      'the last of them',
      '==> a.ts <==\nx\n==> .env <==\nA=b\n',
      '==> a.ts <==\nx\n==> .env <==\n#\n',
    ],
    ['names of the list', '/srv/u/.kube/config:3:    user', '/srv/u/.kube/config:3:#'],
    ['kubeconfig', 'ci/kubeconfig:3:user', 'ci/kubeconfig:3:#'],
    ['.htpasswd', '.htpasswd:1:ada:x', '.htpasswd:#'],
    ['a backup of a state', 'terraform.tfstate.1:2:x', 'terraform.tfstate.1:2:#'],
    ['.npmrc', './.npmrc:x', './.npmrc:#'],
    ['a name with spaces', 'My Dir/.env:3:FOO', 'My Dir/.env:3:#'],
    ['a path of Windows', 'C:\\app\\.env:3:FOO', 'C:\\app\\.env:3:#'],
    ['a revision', 'HEAD~1:.env:3:FOO\nHEAD:.env:FOO', 'HEAD~1:.env:3:#\nHEAD:.env:#'],
    ['a named revision', 'main:.env:3:FOO\nmain:.env:FOO', 'main:.env:3:#\nmain:.env:#'],
    ['a branch with a slash', 'origin/a-b:app/.env:FOO', 'origin/a-b:app/.env:#'],
    [
      'context in a revision',
      'v1:.env-A=b\nv1:.env:FOO\nv2:.env-2-A=b',
      'v1:.env-#\nv1:.env:#\nv2:.env-2-#',
    ],
    [
      'colours',
      '\u001b[35m.env\u001b[m\u001b[36m:\u001b[m3:FOO',
      '\u001b[35m.env\u001b[m\u001b[36m:#',
    ],
    [
      'diffs',
      'diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n+FOO=bar\ndiff --git a/x b/x\n+y',
      'diff --git a/.env b/.env\n#\ndiff --git a/x b/x\n+y',
    ],
    [
      'diffs of what was renamed',
      'diff --git a/.env b/x.txt\n+FOO',
      'diff --git a/.env b/x.txt\n#',
    ],
    ['diffs without prefixes', 'diff --git .env .env\n+FOO', 'diff --git .env .env\n#'],
    [
      'diffs in a graph',
      '* a\n| diff --git a/.env b/.env\n| --- a/.env\n| +++ b/.env\n| +A=b\n| diff --git a/x b/x\n| +y',
      '* a\n| diff --git a/.env b/.env\n#\n| diff --git a/x b/x\n| +y',
    ],
    [
      'diffs beside a branch',
      '| * | diff --git a/.env b/.env\n| | | +A',
      '| * | diff --git a/.env b/.env\n#',
    ],
    [
      'diffs of folders',
      'diff -r a/.env b/.env\n1c1\n< A=b\n---\n> A=c\ndiff -r a/x b/x\n1c1\n< y',
      'diff -r a/.env b/.env\n#\ndiff -r a/x b/x\n1c1\n< y',
    ],
    [
      'diffs of folders with context',
      'diff -r -u a/.env b/.env\n--- a/.env\n+++ b/.env\n@@ -1 +1 @@\n-A',
      'diff -r -u a/.env b/.env\n#',
    ],
    ['diffs of merges', 'diff --cc .env\n++FOO', 'diff --cc .env\n#'],
    [
      'diffs without a head',
      '--- a/.env\t2026\n+++ b/.env\t2026\n@@ -1 +1 @@\n--- x\n+FOO\n--- a/x\n+++ b/x\n+y',
      '--- a/.env\t2026\n+++ b/.env\t2026\n#\n--- a/x\n+++ b/x\n+y',
    ],
  ])('%s', (_, text, expected) => {
    expect(shown(text, { key })).toBe(expected);
    expect(shown(redactText(text, 'output', { key }).text, { key })).toBe(expected);
  });

  test.each([
    ['secrets/plan.md:1:the plan', 'secrets/plan.md:1:#'],
    ['./secrets/plan.md:the plan', './secrets/plan.md:#'],
    ['app/secrets/deep/x-2-y', 'app/secrets/deep/x-2-#'],
    ['../plans/a.md:1:x', '../plans/a.md:1:#'],
    ['/repo/plans/a.md:1:x', '/repo/plans/a.md:1:#'],
    ['a.vault\n1:x', 'a.vault\n1:#'],
    ['==> secrets/x <==\ny', '==> secrets/x <==\n#'],
    ['diff --git a/secrets/x b/secrets/x\n+y', 'diff --git a/secrets/x b/secrets/x\n#'],
    ['diff --git a/plans/x b/plans/x\n+y', 'diff --git a/plans/x b/plans/x\n#'],
  ])('by the globs of the policy: %j', (text, expected) => {
    expect(shown(text, GLOBS)).toBe(expected);
    expect(shown(text, { key })).toBe(text);
  });
});

test.each([
  'ls: cannot access .env: No such file or directory',
  '.env: No such file or directory',
  'cat: server.key: Permission denied',
  '.env\n.env.example\n.gitignore\nsrc',
  'M .env\n?? server.pem',
  'server.pem\nREADME.md\n',
  'server.pem\n2026-01-15 started',
  'server.pem\n12:30:45 started',
  'see app/.env: it holds the settings',
  'src/env.ts:3:process.env.HOME',
  '.env.example:3:FOO=bar',
  '.env.example\n3:FOO=bar',
  '==> .env.example <==\nFOO=bar',
  'diff --git a/env.ts b/env.ts\n--- a/env.ts\n+++ b/env.ts\n+x',
  'import: a.key\n2026-01-15 12:30:45 - x',
  'plans/a.md:1:x',
  'src/secrets.ts:1:x',
  'Makefile:.env: deps',
  'main:.env.example:FOO=bar',
  'set -x\ndiff -r a/.env b/.env\necho done',
  '| name | file |\n| --- | --- |\n| a | .env |\n| b | x |',
  '* .env\n* server.pem\n',
])('%j stays', (text) => {
  expect(shown(text, GLOBS)).toBe(text);
});

test('only in what a tool returned', () => {
  for (const text of ['.env:3:FOO=bar', '==> .env <==\nA=b', 'diff --git a/.env b/.env\n+A=b'])
    expect(redactText(text, 'prose', { key }).text).toBe(text);
});
