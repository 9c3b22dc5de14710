import { describe, expect, test } from 'vitest';
import { matchesGlob } from '../../base/glob.ts';
import { isDeniedPath, isDeniedWord, resolvePath } from './path.ts';

describe('denied', () => {
  test.each([
    '.env',
    './.env',
    '/repo/app/.env',
    '.env.local',
    '.env.production',
    '.env-prod',
    '.env~',
    '.ENV',
    '.envrc',
    'C:\\work\\app\\.env',
    'file:///repo/.env',
    '~/.aws/credentials',
    '/home/me/.aws/sso/cache/0a1b.json',
    '/home/me/.ssh/id_rsa',
    '~/.ssh/id_ed25519',
    '$HOME/.ssh/id_work',
    'id_rsa',
    'keys/id_ecdsa_sk',
    '.netrc',
    '/root/.netrc',
    '.kube/config',
    'server.pem',
    'certs/tls.key',
    'terraform.tfstate',
    'infra/terraform.tfstate.backup',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.docker/config.json',
    'a.p12',
    'a.pfx',
    'release.keystore',
    '.config/gcloud/application_default_credentials.json',
    '.config/gcloud/legacy_credentials/a/adc.json',
    '.pgpass',
    '.cargo/credentials.toml',
    '.config/gh/hosts.yml',
    'my-service-account-prod.json',
    'client_secret_123.json',
    '/home/me/.claude/.credentials.json',
    '.codex/auth.json',
    '/etc/shadow',
    '/proc/self/environ',
    `${'deep/'.repeat(2000)}.env`,
  ])('%s', (path) => {
    expect(isDeniedPath(path, {})).toBe(true);
  });
});

describe('not denied', () => {
  test.each([
    '',
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.local.example',
    '.env.example.local',
    '.environment',
    '.envoy.yaml',
    'src/env.ts',
    'env.d.ts',
    '.env/bin/activate',
    'id_rsa.pub',
    '.ssh/id_ed25519.pub',
    '.ssh/known_hosts',
    '.ssh/config',
    '.aws/config',
    'src/aws/credentials.ts',
    'docs/credentials.md',
    'keys.ts',
    'package.json',
    'tokens.json',
    'hotkey.tsx',
    'monkey',
    '.docker/Dockerfile',
    'config.json',
    'terraform/main.tf',
    'kube/config.go',
    'pem/README.md',
    '.key',
    '/',
    '~',
  ])('%s', (path) => {
    expect(isDeniedPath(path, {})).toBe(false);
  });
});

describe('globs of the policy', () => {
  test.each([
    ['secrets', 'app/secrets/x.txt', true],
    ['secrets', 'app/secretsx', false],
    ['*.vault', 'a/b.vault', true],
    ['config/prod.*', '/repo/config/prod.yml', true],
    ['config/prod.*', '/repo/config/dev.yml', false],
    ['/repo/private/**', '/repo/private/a/b', true],
    ['/repo/private/**', '/other/repo/private/a', false],
    ['/repo/private', '/repo/private/a', true],
    ['/repo/private', '/repo/private2', false],
    ['**/hidden/*.txt', 'x/hidden/a.txt', true],
    ['**/hidden/*.txt', 'x/hidden/b/a.txt', false],
    ['~/notes', '/home/me/notes', true],
    ['a?c.txt', 'abc.txt', true],
    ['a?c.txt', 'a/c.txt', false],
    ['a.b', 'aXb', false],
    ['', 'anything', false],
  ] as const)('%s on %s: %s', (glob, path, expected) => {
    expect(isDeniedPath(path, { deniedPaths: [glob] })).toBe(expected);
  });

  test('`**/` also stands for no folder', () => {
    expect(matchesGlob('a/**/b', 'a/b')).toBe(true);
    expect(matchesGlob('a/**/b', 'a/x/y/b')).toBe(true);
    expect(matchesGlob('a/**/b', 'a/xb')).toBe(false);
  });

  test('a glob of stars takes no more than length times length', () => {
    const path = 'a'.repeat(4000);
    expect(matchesGlob(`${'*a'.repeat(60)}b`, path)).toBe(false);
    expect(matchesGlob(`${'**a'.repeat(60)}b`, path)).toBe(false);
  });
});

test.each([
  ['.env*', true],
  ['~/.ssh/*', true],
  ['certs/*.pem', true],
  ['.env{,.local}', true],
  ['.env.[lp]*', true],
  ['src/*.ts', false],
  ['*', false],
  ['**/*.json', false],
  ['.*', true],
  ['.e?v', true],
  ['app/.[e]*', true],
  ['{a,b/{.env,c}}', true],
  ['*.{crt,key}', true],
  ['~/.aws/sso/cache', true],
  ['.eslintrc*', false],
  ['{', false],
  [`${'{a,b}'.repeat(200)}.env`, false],
  [`${'['.repeat(4000)}x`, false],
])('as a shell expands it, %s can mean a denied file: %s', (word, expected) => {
  expect(isDeniedWord(word, {}, undefined)).toBe(expected);
});

test.each([
  ['/repo/app', '../x/.env', '/repo/x/.env'],
  ['/repo', './a', '/repo/a'],
  ['/repo', '/abs/../etc/x', '/etc/x'],
  ['/repo', 'C:\\x', 'C:\\x'],
  [undefined, 'a/../b', 'b'],
  ['/repo', '$PWD/a', '/repo/a'],
  ['/repo', 'a/b', '/repo/a/b'],
  ['/repo', '.', '/repo'],
])('in %s, %s is %s', (cwd, path, expected) => {
  expect(resolvePath(cwd, path)).toBe(expected);
});

describe('from a working folder', () => {
  test.each([
    ['secrets/**', '/repo', 'secrets', true],
    ['secrets/**', '/repo', '/repo/secrets', true],
    ['/repo/secrets/**', '/repo', 'secrets/', true],
    ['/repo/secrets/**', '/repo/src', '../secrets/a', true],
    ['/repo/secrets/**', undefined, '/repo/src/../secrets/a', true],
    ['/repo/secrets/**', '/repo', '.', false],
    ['/repo/secrets/**', '/repo/secrets', '.', true],
    ['/repo/secrets/**', '/repo/secrets', '..', false],
    ['/repo/secrets/**', '/other', 'secrets/a', false],
    ['/repo/*.md', '/repo', '*.md', true],
    ['/repo/*.md', '/repo', 'src', false],
  ] as const)('%s in %s: %s is denied: %s', (glob, cwd, word, expected) => {
    expect(isDeniedWord(word, { deniedPaths: [glob] }, cwd)).toBe(expected);
  });

  test('a name of the list that is one in its folder only', () => {
    expect(isDeniedWord('credentials', {}, '/home/me/.aws')).toBe(true);
    expect(isDeniedWord('credentials', {}, '/home/me/aws')).toBe(false);
  });
});
