import { describe, expect, test } from 'vitest';
import { redactText } from '../redact.ts';

/*
 * What must not change at all, in any kind of text: evidence that looks like a secret. Values that a scanner
 * could take for a leak are put together when the test runs; `§` stands for a dollar sign.
 */

const policy = { key: new Uint8Array(32).fill(1) };
const SHA1 = '9c66db312822' + '4a94b169750f91652f7b1adb4e75';
const SHA256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const UUID = '9c66db31-2822-4a94-b169-750f91652f7b';
const ULID = '01HF7YAT31JZHSMW1CG6Q6MHB7';
const SRI =
  'sha512-' +
  'oYnZxcPQ0S3zNf2b7m9wXk1pTQv8rJ4hLd6eUaGsBiVtKyFqMjHwEoRzCnIxAlDgPuWbYfSvTk0J2c5N8m4Q1w==';
const SSH_KEY =
  'ssh-ed25519 ' + 'AAAAC3NzaC1lZDI1NTE5AAAAIG8s3vZqX1yT0pWkJmRzUu4cQb7LhNdYfVxEaSiPwOgK';
const PUBLIC_PEM = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBhTCCASugAwIBAgIQIRi6zePL6mKjOipn+dNuaTAKBggqhkjOPQQDAjASMRAw',
  'DgYDVQQKEwdBY21lIENvMB4XDTE3MTAyMDE5NDMwNloXDTE4MTAyMDE5NDMwNlow',
  '-----END CERTIFICATE-----',
].join('\n');

const PROSE = [
  'a Bearer token goes into the Authorization header',
  'Use Bearer authentication, not Basic authentication.',
  'Authorization: Bearer <token>',
  'Authorization: Bearer §{TOKEN}',
  'Authorization: Bearer $GITHUB_TOKEN',
  'Authorization: Bearer YOUR_API_KEY',
  'Authorization: Bearer xxxxxxxxxxxxxxxx',
  'Authorization: required',
  'authorization: true',
  'The token is read from the environment; the secret stays there.',
  'The password: never write it down.',
  'Password: required, at least 8 characters',
  'Enter your password: ',
  'She said: the secret: patience.',
  'token: the thing that comes after',
  'API key: see the dashboard',
  'Cookie: a small piece of data',
  'Set-Cookie: name=value',
  'the Cookie header holds name=value pairs',
  'Kinds of tokens: access, refresh, id',
  'max_tokens: 4096',
  'input_tokens=12345 output_tokens=678',
  'token_count: 128000',
  'next_page_token: CAUQAAxyz123',
  'order 4111-2222-3333 was shipped',
  'part 4111 1111 1111 1112 and 4111111111111112',
  'order number 4000123412341234',
  'invoice 2024-000123-77',
  'call +1 (555) 123-4567 or 555-123-4567',
  'ISBN 978-3-16-148410-0',
  'IBAN DE89 3704 0044 0532 0130 00',
  'on 2026-01-15 at 12:30:45.123Z',
  'epoch 1736942400000, in ns 1736942400000000000',
  'version 1.22.333-beta.4+build.5678',
  'pi is 3.1415926535897932384626',
  'snowflake 1234567890123456789',
  '000-12-3456 and 987-65-4320 were never issued',
  'the range 100-20-3000x is a part number',
  '-----BEGIN CERTIFICATE----- starts a certificate',
  'look for "-----BEGIN RSA PRIVATE KEY-----" in the diff',
  "grep '-----BEGIN OPENSSH PRIVATE KEY-----' .",
  'a private key file begins with BEGIN PRIVATE KEY',
  'less than <privateer> and <privates> tags',
  'Use `<private>` and `</private>` around it.',
  'static Local<Private> New(Isolate* isolate, Local<String> name);',
  'private fields: <T private>',
  'https://user@host.example/path',
  'https://example.com:8080/a@b',
  'https://example.com/?email=a@b.example',
  'git@github.com:acme/widget.git',
  'ssh://git@github.com:22/acme/widget.git',
  'https://§{USER}:§{PASSWORD}@host/x',
  'https://user:<password>@host/x',
  'https://user:***@host/x',
  'postgres://$PGUSER:$PGPASSWORD@db/x',
  'https://hooks.slack.com/services/T.../B.../...',
  'mailto:ada@example.com',
  'see https://docs.example/authorization#bearer-tokens',
];

const CODE = [
  'MSG.text = "hello"',
  'const hf_size = 32;',
  'let sk_ = 1; const sk_buff = alloc();',
  'password: string',
  'password?: string;',
  'password: z.string().min(8),',
  'readonly token: string | undefined;',
  'function login(user: string, password: string): Promise<Token> {}',
  'token: §{{ secrets.GITHUB_TOKEN }}',
  'password = process.env.DB_PASSWORD',
  "const secret = process.env['JWT_SECRET'] ?? '';",
  'api_key = os.environ["API_KEY"]',
  'password = os.getenv("DB_PASSWORD")',
  'secret := os.Getenv("SECRET")',
  'token = getToken()',
  'token = await auth.getAccessToken({ scope })',
  'password = getpass.getpass("Password: ")',
  'const apiKey = config.openai.apiKey;',
  'password=password, token=token)',
  'connect(user=u, password=pw)',
  'self.password = hash_password(password)',
  'if (password === confirmPassword) return;',
  'if token == "" { return errNoToken }',
  'export TOKEN=$(gh auth status)',
  'DB_PASSWORD=§{DB_PASSWORD:-}',
  'DB_PASSWORD=<your-password>',
  'API_KEY=your-api-key-here',
  'API_KEY=xxxxxxxxxxxxxxxx',
  'SECRET=REDACTED',
  'TOKEN="[REDACTED]"',
  'PASSWORD=changeme',
  'password: "********"',
  'password: "your_password"',
  'token: "<redacted>"',
  "type: 'password'",
  '<input type="password" name="password" id="password">',
  '{"password": {"type": "string", "minLength": 8}}',
  '{"token": null, "secret": true, "password": ""}',
  '"secretName": "db-credentials"',
  'secretKeyRef: { name: db, key: password }',
  'tokenType: "bearer"',
  "const TOKEN_KEY = 'auth_token';",
  "csrfToken: 'csrf-token',",
  'class PasswordField extends Field {}',
  'SECRETS = ["password", "token", "api_key"]',
  'RESET_PASSWORD = "reset-pw", FORGOT_PASSWORD: "lost",',
  'INVALID_PASSWORD: "That did not work"',
  'PASSWORD_HINT="the name of the first pet"',
  'CHALLENGE_PASSWORD: "challengePassword"',
  'task_test_configuration2 = desk_live_environment1',
  'PWD=/home/me/project OLDPWD=/home/me',
  'private_key_path = /etc/ssl/private/server',
  'SSH_KEY=~/.ssh/deploy',
  'public_key: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"',
  'primary_key=True, foreign_key="user.id"',
  'map[key] = value; key: value',
  'cache_key = "v1:user:123:profile:abcdef0123"',
  'storageKey: "todos-vuejs-2.0-0123abcd"',
  'idempotency_key: 9c66db31',
  'keyboard: { key: "Enter", code: "Enter" }',
  'tokenizer.encode("<|endoftext|>")',
  'token: IDENT, token: NUMBER, token = T_STRING',
  'TestRedactsSecrets_WithBearerToken_KeepsCommitHash',
  'it("masks the password: hides it", () => {',
  'AKIDs and ASIA are words; AKIA too',
  'class="sk-loading-indicator sk-cube-grid-wrapper-large"',
  'import { pypi } from "pypi-simple";',
  'npm_config_registry=https://registry.example npm_lifecycle_event=test',
  'ghp_ is the prefix; ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is a sample',
  'glpat-xxxxxxxxxxxxxxxxxxxx',
  'xoxb-not-a-token',
  'SG.example',
  'eyJ is how a JWT starts',
  's.transformResponseIntoEvents(x)',
  's.getSessionLogBySessionID(sessionID)',
  'curl -u "$USER:$PASS" https://x',
  'mysql -P3306 -h db',
  'docker login -u ada --password-stdin',
  'ssh -p 2222 host',
  '--token string   the token to use',
  '--password <password>',
  'verbose --token-file=/run/secrets/token',
  'export CLAUDE_CODE_MAX_OUTPUT_TOKENS=32000',
  'pass: 12, fail: 0',
  'describe.each`pass | expected`',
  "import('node:crypto').then(({ createHash }) => createHash('sha256'))",
];

const DENSE = [
  `commit ${SHA1}`,
  `${SHA1.slice(0, 7)}..${SHA1.slice(8, 15)}  main -> main`,
  `index 4b825dc..${SHA1} 100644`,
  `sha256:${SHA256}`,
  `${SHA256}  dist/bundle.js`,
  `id ${UUID}`,
  `${ULID} ${ULID.toLowerCase()}`,
  `"integrity": "${SRI}"`,
  `integrity ${SRI}`,
  'github.com/acme/widget v1.2.3 h1:' + '6ZJtGX5k2pPv0bN4yqW8rTzUu3mLdHsEaXiCoVwQfYg=',
  'golang.org/x/sys v0.0.0-20240115083412-0a1b2c3d4e5f',
  `"signature": "${SRI.slice(7, 95)}"`,
  `checksum = "${SHA256}"`,
  SSH_KEY,
  '256 SHA256:' + 'uNiVztksCsDhcc0u9e8BrRJXuT1JgNQfIoWvP2aKqEw ada@host (ED25519)',
  PUBLIC_PEM,
  `https://github.com/acme/widget/blob/${SHA1}/packages/core/src/index.ts#L12-L34`,
  `https://github.com/acme/widget/compare/${SHA1}...${SHA256.slice(0, 40)}`,
  '/home/me/work/widget/node_modules/.pnpm/@scope+name@1.2.3/node_modules/@scope/name/dist/esm/index.js',
  '/private/var/folders/zz/build/T/TestRunner_SubagentCheckpoints_PostTask/repo/main_test.go',
  'cmd/widget/cli/integration_test/setup_Claude_Hooks_V2_test.go-117-func',
  'TestCheckAndNotify_FetchFailureUpdatesCacheToPreventRetry/invalid_defaults_to_INFO',
  'com.example.widget.infrastructure.persistence.JpaWidgetRepositoryAdapterV2Impl$$Lambda',
  'org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration#dataSource',
  '_ZN2v88Function4CallENS_5LocalINS_7ContextEEENS1_INS_5ValueEEEiPS5_',
  '.yarn/cache/supports-color-npm-10.2.2-e43ac15f9f-fb28dd7e0c.zip',
  'leveldown-v1.2.3-node-v57-win32-x64.tar.gz from prebuilds',
  'assets/index-DqT3kLm9.js and vendor-BxK3k2aP.css',
  'assets/189022599-28246659-f94a-46a4-9de0-b6d17adb0e22.png',
  `docker.io/library/node@sha256:${SHA256}`,
  'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKPbdG',
  '/nix/store/' + 'b6gvzjyb2pg0kjfwrjmg1vfhh54ad73z-glibc-2.38/lib/libc.so.6',
  `did:key:${'z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK'}`,
  'amp:key:' + '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
  'b6gvzjyb2pg0kjfwrjmg1vfhh54ad73z',
  'ABCDEFGHIJ0123456789ABCDEFGHIJ0123456789',
  'toolu_01QdwSHMKtYSQCoDbw5bMbVD',
  'req_011CSHoEeqs5C35K2UUqR7Fy',
  'a=!0,b=function(t){return t.e.f.g(h)},ABCdef.prototype.ghiJklMno=function(){}',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
  '00000000: 5446 5443 5433 5448 5442 541b 5429 544a  TFTCT3THTB',
  '5211 5212 5213 5214 5215 5216 5217 5218',
  'aGVsbG8gd29ybGQ=',
  'data: aGVsbG8=',
  'src/env.ts:3:export const env = process.env',
  '.env.example:1:DB_PASSWORD=',
  'diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n+export const a = 1;',
  '1111111111111111 and 0000000000000000',
];

describe.each(['prose', 'command', 'output'] as const)('%s that must not change', (kind) => {
  test.each([...PROSE, ...CODE, ...DENSE])('%j', (row) => {
    const text = row.replaceAll('§', '$');
    expect(redactText(text, kind, policy)).toEqual({ text, rules: [], withheld: false });
  });
});

test('there are enough of them', () => {
  expect(PROSE.length + CODE.length + DENSE.length).toBeGreaterThanOrEqual(150);
});

test('a line that a search found in a denied file is one in an output only', () => {
  const text = '.env:3:FOO=bar';
  expect(redactText(text, 'prose', policy).text).toBe(text);
  expect(redactText(text, 'output', policy).rules).toEqual(['denied-path']);
});

test('dense text is left alone where a person or a model wrote it', () => {
  const dense = [
    'kP3x',
    'Q9vL',
    'm2Tz',
    'W8rB',
    'y5Jc',
    'H7nD',
    'f4Gs',
    'A6eK',
    'u1Xo',
    'Z0iV',
  ].join('');
  expect(redactText(dense, 'prose', policy).text).toBe(dense);
  expect(redactText(dense, 'output', policy).rules).toEqual(['entropy']);
});
