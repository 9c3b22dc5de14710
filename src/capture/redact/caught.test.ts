import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { redactText } from '../redact.ts';
import type { TextKind } from './policy.ts';

/*
 * What must be caught. Every sample is put together when the test runs, so that no scanner takes this file for a
 * leak. A row is: the rule, what stands before the secret, the secret, what stands after it. Nothing else may change.
 */

const policy = { key: new Uint8Array(32).fill(1) };

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const DIGITS = '0123456789';
const ALNUM = `${LOWER.toUpperCase()}${LOWER}${DIGITS}`;

/** Characters that look random and are the same in every run. */
function pick(alphabet: string, length: number, seed = 1): string {
  const bytes = createHash('shake256', { outputLength: length }).update(`${seed}`).digest();
  return [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
}

const alnum = (length: number, seed?: number) => pick(ALNUM, length, seed);
const hex = (length: number, seed?: number) => pick('0123456789abcdef', length, seed);
const upper = (length: number, seed?: number) => pick(`${LOWER.toUpperCase()}234567`, length, seed);
const url64 = (length: number, seed?: number) => pick(`${ALNUM}-_`, length, seed);
const base64 = (length: number, seed?: number) => pick(`${ALNUM}+/`, length, seed);
const uuid = (seed: number) =>
  [8, 4, 4, 4, 12]
    .map((length, i) => (i === 2 ? '4' : '') + hex(i === 2 ? 3 : length, seed + i))
    .join('-');
const jwt = () =>
  [
    Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url'),
    Buffer.from('{"sub":"1234567890","name":"Ada"}').toString('base64url'),
    url64(43, 9),
  ].join('.');
const basic = (text: string) => Buffer.from(text).toString('base64');

type Row = readonly [rule: string, before: string, secret: string, after: string];

function check(kind: TextKind, rows: readonly Row[]): void {
  test.each(rows)(`${kind}: %s in %j`, (rule, before, secret, after) => {
    const { text, rules, withheld } = redactText(before + secret + after, kind, policy);
    const bytes = Buffer.byteLength(secret);
    const [head, tail] = [`${before}[withheld:${rule} ${bytes}B `, `]${after}`];
    expect(text.slice(0, head.length)).toBe(head);
    expect(text.slice(head.length + 8)).toBe(tail);
    expect(text.slice(head.length, head.length + 8)).toMatch(/^[0-9a-f]{8}$/);
    expect(rules).toEqual([rule]);
    expect(withheld).toBe(false);
    expect(redactText(text, kind, policy).text).toBe(text);
  });
}

describe('credentials that name their maker', () => {
  check('prose', [
    ['aws', 'the id is ', `AK${'IA'}${upper(16)}`, ' as shown'],
    ['aws', 'id=', `AS${'IA'}${upper(16, 2)}`, '\n'],
    ['aws', '', `AK${'IA'}IOSFODNN7EXAMPLE`, ''],
    ['github', 'token ', `gh${'p_'}${alnum(36)}`, ', revoked'],
    ['github', '(', `gh${'o_'}${alnum(36, 2)}`, ')'],
    ['github', '`', `gh${'u_'}${alnum(36, 3)}`, '`'],
    ['github', '', `gh${'s_'}${alnum(36, 4)}`, '.'],
    [
      'github',
      'new form: ',
      `gh${'s_'}${alnum(20, 4)}.${alnum(40, 5)}-${alnum(9, 6)}.${alnum(20, 7)}`,
      '. Then',
    ],
    ['github', '', `gh${'r_'}${alnum(76, 5)}`, ''],
    ['github', 'x ', `github_${'pat_'}${alnum(22)}_${alnum(59)}`, ' y'],
    ['github', 'in JSON: "a\\n', `gh${'p_'}${alnum(36, 6)}`, '\\n"'],
    ['github', 'colour \u001b[31m', `gh${'p_'}${alnum(36, 7)}`, '\u001b[0m'],
    ['gitlab', 'use ', `glp${'at-'}${url64(20)}`, ' here'],
    ['gitlab', 'routable ', `glp${'at-'}${url64(27, 3)}.01.${pick(LOWER + DIGITS, 9)}`, '.'],
    ['gitlab', '', `gld${'t-'}${url64(20, 4)}`, ''],
    ['gitlab', '', `GR${'1348941'}${url64(20, 5)}`, ''],
    ['bitbucket', '', `AT${'BB'}${alnum(32)}`, ''],
    ['atlassian', '', `ATA${'TT3'}xFfGF0${url64(160)}=${upper(8)}`, ''],
    ['slack', 'bot ', `xo${'xb-'}${pick(DIGITS, 12)}-${pick(DIGITS, 13)}-${alnum(24)}`, ' done'],
    ['slack', '', `xo${'xp-'}${pick(DIGITS, 12, 2)}-${pick(DIGITS, 12, 3)}-${hex(32)}`, ''],
    ['slack', '', `xo${'xe.xox'}p-1-${alnum(160)}`, ''],
    ['slack', '', `xa${'pp-'}1-A${upper(10)}-${pick(DIGITS, 13)}-${hex(64)}`, ''],
    ['stripe', 'live: ', `sk_${'live_'}${alnum(24)}`, ''],
    ['stripe', 'restricted: ', `rk_${'live_'}${alnum(99)}`, ''],
    ['stripe', 'test: ', `sk_${'test_'}${alnum(24, 2)}`, ''],
    ['webhook-secret', '', `wh${'sec_'}${alnum(32)}`, ''],
    ['anthropic', 'key ', `sk-${'ant-'}api03-${url64(93)}AA`, ' end'],
    ['anthropic', '', `sk-${'ant-'}oat01-${url64(90, 2)}`, ''],
    ['openai', '', `sk-${'proj-'}${url64(74)}T3Blbk${'FJ'}${url64(74, 2)}`, ''],
    ['openai', '', `sk-${alnum(20)}T3Blbk${'FJ'}${alnum(20, 2)}`, ''],
    ['openai', '', `sk-${'svcacct-'}${url64(60, 3)}`, ''],
    ['openrouter', '', `sk-${'or-v1-'}${hex(64)}`, ''],
    ['google', 'maps?key=', `AI${'za'}Sy${url64(33)}`, '&q=x'],
    ['google', '', `ya${'29.'}a0${url64(120)}`, ''],
    ['google', '', `GOC${'SPX-'}${url64(28)}`, ''],
    ['npm', '//registry.example/:_x ', `np${'m_'}${alnum(36)}`, ''],
    ['pypi', '', `py${'pi-'}AgEIcHlwaS5vcmc${url64(120)}`, ''],
    ['rubygems', '', `ruby${'gems_'}${hex(48)}`, ''],
    ['crates', '', `ci${'o'}${alnum(32, 4)}`, ''],
    ['sendgrid', '', `S${'G.'}${url64(22)}.${url64(43)}`, ''],
    ['brevo', '', `xkey${'sib-'}${hex(64)}-${alnum(16)}`, ''],
    ['mailgun', 'api:', `ke${'y-'}${hex(32)}`, ''],
    ['resend', '', `r${'e_'}${alnum(8)}_${alnum(24)}`, ''],
    ['shopify', '', `shp${'at_'}${hex(32)}`, ''],
    ['square', '', `sq0${'atp-'}${url64(22)}`, ''],
    ['paypal', '', `access_${'token$'}production$${pick(LOWER + DIGITS, 16)}$${hex(32)}`, ''],
    ['plaid', '', `access-${'production-'}${uuid(5)}`, ''],
    ['digitalocean', '', `do${'p_v1_'}${hex(64)}`, ''],
    ['heroku', '', `HR${'KU-'}${url64(60)}`, ''],
    ['databricks', '', `da${'pi'}${hex(32)}-2`, ''],
    ['vault', 'VT ', `hv${'s.'}${url64(90)}`, ' ok'],
    ['vault', 'old: ', `${'s'}.${alnum(24, 3)}`, ' ok'],
    ['terraform', '', `${alnum(14)}.atlas${'v1.'}${url64(67)}`, ''],
    ['doppler', '', `d${'p.'}st.prd_all.${alnum(43)}`, ''],
    ['doppler', '', `d${'p.'}pt.${alnum(43, 2)}`, ''],
    ['cloudflare', '', `cf${'ut_'}${alnum(40)}${hex(8)}`, ''],
    ['fly', '', `fm${'2_'}lJPECAAA${base64(120)}==`, ''],
    ['vercel', '', `vc${'p_'}${alnum(56)}`, ''],
    ['supabase', '', `sb${'p_'}${hex(40)}`, ''],
    ['supabase', '', `sb_${'secret_'}${url64(31)}`, ''],
    ['planetscale', '', `pscale_${'tkn_'}${url64(43)}`, ''],
    ['linear', '', `lin_${'api_'}${alnum(40)}`, ''],
    ['notion', '', `nt${'n_'}${alnum(46)}`, ''],
    ['notion', '', `sec${'ret_'}${alnum(43)}`, ''],
    ['airtable', '', `pa${'t'}${alnum(14)}.${hex(64)}`, ''],
    ['figma', '', `fi${'gd_'}${url64(40)}`, ''],
    ['huggingface', '', `h${'f_'}${pick(`${LOWER}${LOWER.toUpperCase()}`, 34)}`, ''],
    ['replicate', '', `r${'8_'}${alnum(37)}`, ''],
    ['groq', '', `gs${'k_'}${alnum(52)}`, ''],
    ['xai', '', `xa${'i-'}${alnum(80)}`, ''],
    ['perplexity', '', `ppl${'x-'}${alnum(48)}`, ''],
    ['sentry', '', `sntr${'yu_'}${hex(64)}`, ''],
    ['newrelic', '', `NR${'AK-'}${upper(27)}`, ''],
    ['newrelic', '', `${hex(36)}NR${'AL'}`, ''],
    ['grafana', '', `gl${'sa_'}${alnum(32)}_${hex(8)}`, ''],
    ['dynatrace', '', `dt0${'c01.'}${upper(24)}.${upper(64)}`, ''],
    ['hubspot', '', `pa${'t-'}na1-${uuid(2)}`, ''],
    ['postman', '', `PM${'AK-'}${hex(24)}-${hex(34)}`, ''],
    ['pulumi', '', `pu${'l-'}${hex(40)}`, ''],
    ['docker', '', `dckr_${'pat_'}${url64(27)}`, ''],
    ['tailscale', '', `ts${'key-'}auth-${alnum(12)}CNTRL-${alnum(32)}`, ''],
    ['age', '', `AGE-${'SECRET-KEY-'}1${pick('QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L', 58)}`, ''],
    ['openshift', '', `sha${'256~'}${url64(43)}`, ''],
    ['azure', 'client ', `${alnum(3)}8${'Q~'}${alnum(34)}`, ' x'],
    ['twilio', '', `S${'K'}${hex(32)}`, ''],
    ['mailchimp', '', `${hex(32)}-us${'14'}`, ''],
    ['telegram', 'bot 123456789:', `A${'A'}${url64(33)}`, ' y'],
    ['discord', '', `MTA${alnum(21)}.${alnum(6)}.${url64(38)}`, ''],
    ['wandb', '', `wandb_${'v1_'}${url64(80)}`, ''],
    ['langsmith', '', `lsv2_${'pt_'}${hex(32)}_${hex(10)}`, ''],
    ['jwt', 'id ', jwt(), ' end'],
    ['jwt', 'cut: ', jwt().split('.').slice(0, 2).join('.'), ' …'],
  ]);
});

describe('structures', () => {
  check('prose', [
    ['url-password', 'postgres://app:', 'S3cr3t!x', '@db.example:5432/app'],
    ['url-password', 'origin\thttps://ada:', alnum(20), '@git.example/x.git (fetch)'],
    ['url-password', 'redis://:', 'foobar42', '@cache:6379/0'],
    ['url-password', 'mongodb+srv://u:', 'p%40ss', '@a.example,b.example/db?retry=1'],
    ['url-password', 'amqp://guest:', 'p@ss', '@mq.example'],
    ['url-password', '"url":"https:\\/\\/u:', 'hunter2', '@h.example\\/p"'],
    ['url-password', 'https://', hex(32), '@o1.ingest.sentry.io/2'],
    ['url-password', 'postgres://admin:', 'S3cr#t9x', '@db:5432/app'],
    ['url-password', 'postgres://admin:', 'S3cr?t9x', '@db/app?sslmode=on'],
    ['url-password', '"postgres://admin:', 'S3c/rt9x', '@db/app"'],
    ['url-password', 'redis://:', 'p#ssword', '@cache:6379/0'],
    ['url-password', '"url":"https:\\/\\/u:', 'S3c\\/rt9x', '@h.example\\/p"'],
    ['url-password', 'https://u:', `p${alnum(3000)}`, '@h.example/p'],
    ['url-password', 'https://u:', `p/${alnum(3000)}`, '@h.example'],
    [
      'webhook-url',
      'https://hooks.slack.com/services/',
      `T${upper(8)}/B${upper(8)}/${alnum(24)}`,
      ' posts',
    ],
    ['webhook-url', 'https://discord.com/api/webhooks/123456789012345678/', url64(68), ''],
    [
      'webhook-url',
      '"https:\\/\\/hooks.slack.com\\/services\\/',
      `T${upper(8)}\\/B${upper(8)}\\/${alnum(24)}`,
      '"',
    ],
    ['signed-url', 'https://x.blob.core.windows.net/a?sv=2024&sig=', `${alnum(43)}%3D`, '&se=1'],
    ['signed-url', 'AccountName=x;AccountKey=', `${base64(86)}==`, ';EndpointSuffix=y'],
    [
      'authorization',
      'Authorization: Bearer ',
      `${alnum(20)}.${alnum(9)}/${alnum(5)}+${alnum(4)}==`,
      '\nHost: x',
    ],
    ['authorization', "curl -H 'Authorization: Bearer ", alnum(40), "' https://x"],
    ['authorization', '"Authorization": "Basic ', basic('ada:opensesame'), '"'],
    ['authorization', 'Authorization: token ', hex(40), ''],
    ['authorization', '{\\"authorization\\":\\"Bearer ', alnum(32), '\\"}'],
    ['authorization', 'Proxy-Authorization: Basic ', basic('u:p4ssw0rd'), ''],
    [
      'authorization',
      "curl -H 'Authorization: OAuth ",
      'oauth_consumer_key="xvz1", oauth_signature="tnnArxj06cWHq44gCs1OSKk/jLY="',
      "' https://x",
    ],
    [
      'authorization',
      'Authorization: Digest ',
      'username="ada", response="0a1b2c", nonce="x1"',
      '\nNext',
    ],
    ['authorization', 'req.Header.Set("Authorization", "Bearer ', alnum(24), '")'],
    ['authorization', 'log: sent bearer ', alnum(32), ' to x'],
    ['authorization', 'with Basic ', basic('service:k3y-of-service'), ' set'],
    ['cookie', 'Cookie: ', 'sid=a1b2c3d4e5; theme=dark', '\r\nAccept: */*'],
    ['cookie', 'Set-Cookie: session=', alnum(32), '; Path=/; HttpOnly'],
    ['cookie', "-H 'Cookie: ", 'auth=0a1b2c3d', "' x"],
    ['private-key', 'a ', pem('RSA'), ' z'],
    ['private-key', 'cut ', pem('EC').slice(0, 150), '\n\nand then it goes on'],
    ['private-key', '"private_key": "', pem('').replaceAll('\n', '\\n'), '\\n", "x": 1'],
    ['private-key', '     1→', pem('OPENSSH').replaceAll('\n', '\n     2→'), '\n     9→end'],
    ['private-key', '', pem('PGP', ' BLOCK'), '\n'],
    [
      'private-key',
      'sample: ',
      `-----BEGIN ${'RSA PRIVATE'} KEY-----\n...\n-----END ${'RSA PRIVATE'} KEY-----`,
      ' as text',
    ],
    ['card-number', 'card ', `4111${'1111'}${'1111'}1111`, ' ok'],
    ['card-number', 'card ', `5555 5555 ${'5555'} 4444`, ', exp 12/27'],
    ['card-number', 'card ', `3782-${'822463'}-10005`, '.'],
    ['ssn', 'SSN ', `123-${'45'}-6789`, ','],
    ['private', 'keep ', '<private>the launch is on Monday</private>', ' this'],
    ['private', 'keep ', '<PRIVATE>never closed, to the end', ''],
    ['private', 'a', '<private>b<private>c</private>d</private>', 'e'],
    ['argument-password', 'curl -s -u ada:', 'opensesame1', ' https://x'],
    ['argument-password', 'sshpass -p ', 'opensesame1', ' ssh h'],
    ['argument-password', 'docker login -u ada -p ', 'opensesame1', ' r.example'],
    ['argument-password', 'mysql -u ada -p', 'opensesame1', ' db'],
    ['argument-password', "CREATE USER a IDENTIFIED BY '", 'opensesame1', "'"],
    ['argument-password', "curl -u ada:'", 'opensesame1', "' https://x"],
    ['argument-password', 'curl -u "ada:', 'open sesame 1', '" https://x'],
    ['argument-password', 'az login -u ada -p ', 'Opensesame1', ' --tenant t'],
    ['argument-password', 'podman login --password=', 'opensesame1', ' r.example'],
    ['argument-password', 'curl -b "sid=', 'a1b2c3d4; theme=dark', '" https://x'],
    ['argument-password', 'curl -b sid=', 'a1b2c3d4', ' https://x'],
  ]);
});

describe('values longer than any pattern reads, to their end', () => {
  const long = alnum(3000, 5);
  check('prose', [
    ['github', 'x ', `gh${'p_'}${long}`, ' y'],
    ['github', 'x ', `github_${'pat_'}${url64(3000, 5)}a`, '. Then'],
    ['github', '', `gh${'s_'}${alnum(600)}.${alnum(600, 2)}-${alnum(600, 3)}`, '. Then'],
    ['google', '', `ya${'29.'}${long}.${long}`, ', y'],
    ['slack', '', `xo${'xb-'}${pick(DIGITS, 12)}-${long}`, ' y'],
    ['resend', '', `r${'e_'}${alnum(8)}_${long}`, ')'],
    ['sendgrid', '', `S${'G.'}${url64(22)}.${url64(700)}b`, '"'],
    ['fly', '', `fm${'2_'}lJPECAAA${base64(3000)}==`, ''],
    ['private-key', '', `LS0tLS1CRUdJTiBSU0E${'g'}${base64(20_000)}==`, '\n'],
    ['signed-url', 'https://x/?sig=', `${long}%3D`, '&se=1'],
    ['webhook-url', 'https://hooks.slack.com/services/', `T1/B1/${long}`, ' posts'],
    [
      'authorization',
      'Authorization: Digest ',
      `nonce="${long}", realm="it's", response="0a1b2c"`,
      '\n',
    ],
    ['authorization', 'with Basic ', basic(`ada:${long}`), ' set'],
    ['argument-password', 'curl -u ada:', long, ' https://x'],
    ['argument-password', 'curl -b sid=', long, ' https://x'],
    ['argument-password', 'sshpass -p ', long, ' ssh h'],
    ['argument-password', "IDENTIFIED BY '", `aB3 ${long} cD4`, "'"],
    ['vault', `${'some-dir/'.repeat(80)}`, `${'s'}.${alnum(24, 3)}`, ' ok'],
    ['named-password', 'DB_PASSWORD=', `${long};;;;x9`, ';;\n'],
  ]);
});

function pem(kind: string, block = ''): string {
  const label = `${kind}${kind && ' '}PRIVATE${' KEY'}${block}`;
  return [
    `-----BEGIN ${label}-----`,
    base64(64),
    base64(64, 2),
    base64(64, 3),
    `${base64(30, 4)}==`,
    `-----END ${label}-----`,
  ].join('\n');
}

describe('names that say secret', () => {
  check('prose', [
    ['named-password', 'DB_PASSWORD=', 'supersecret', '\nDB_USER=x'],
    ['named-password', 'export PGPASSWORD=', 'x9#mP2$vL5', '; psql'],
    ['named-password', '"password": "', 'correcthorse', '", "user": "ada"'],
    ['named-password', '"password":"', 'ab\\"cd1', '"'],
    ['named-password', "password = '", 'hunter2', "'"],
    ['named-password', 'password: ', 'hunter2', '\nuser: x'],
    ['named-password', 'Server=x;User Id=y;Password=', 'Opensesame1', ';Timeout=3'],
    ['named-password', 'const dbPassword: string = "', 'hunter2', '";'],
    ['named-password', '<password>', 'hunter2', '</password>'],
    ['named-password', 'machine h.example login ada password ', 'hunter2', '\n'],
    ['named-password', '--db-password=', 'opensesame1', ' --x'],
    ['named-password', '{\\"password\\": \\"', 'hunter2', '\\"}'],
    ['named-password', 'auth: { user: "a", pass: "', 'hunter2', '" }'],
    ['named-password', "ALTER USER x WITH PASSWORD '", 'hunter2', "';"],
    ['named-password', "CREATE ROLE ada LOGIN NOINHERIT PASSWORD '", 'hunter2', "';"],
    ['named-key', 'aws configure set aws_secret_access_key ', base64(40, 5), '\n'],
    ['named-token', 'npm config set //registry.example/:_authToken ', uuid(5), '\n'],
    ['named-password', 'Password: ', 'Summer2024!', ''],
    ['named-password', '- name: DB_PASSWORD\n  value: ', 'opensesame', '\n- name: X'],
    ['named-password', 'DB_PASSWORD="', 'purple otter lamp', '"'],
    ['named-key', 'API_KEY=', 'abc12345', '\n'],
    ['authorization', 'Authorization: Bearer ', 'abc.def.ghi-jkl_mno', ' x'],
    ['private-key', 'client-key-data: ', Buffer.from(pem('RSA')).toString('base64'), '\n'],
    ['named-secret', 'client_secret=', '8Xk.2_aB-9~z', '&grant_type=x'],
    ['named-secret', 'clientSecret: "', 'topsecretvalue', '",'],
    ['named-secret', 'JWT_SECRET=', 'keyboardcat', '\n'],
    ['named-secret', 'webhook-secret: ', 'a1b2c3d4e5', '\n'],
    ['named-token', 'ACCESS_TOKEN=', 'a.b-c.d-1234567890', '\n'],
    ['named-token', '"refresh_token": "', url64(40), '"'],
    ['named-token', '?access_token=', 'sdlfkj452', '&x=1'],
    ['named-token', 'PRIVATE-TOKEN: ', alnum(20), '\n'],
    ['named-token', '//registry.example/:_authToken=', uuid(3), '\n'],
    ['named-token', 'GITHUB_PAT=', hex(40), ''],
    ['named-token', 'token := "', hex(32), '"'],
    ['named-key', 'aws_secret_access_key = ', base64(40), '\n'],
    ['named-key', 'X-Api-Key: ', alnum(32), '\n'],
    ['named-key', 'apiKey: "', `${alnum(8)}.${alnum(8, 4)}-${alnum(8, 6)}`, '",'],
    ['named-key', 'DD_API_KEY=', hex(32), '\n'],
    ['named-key', 'heroku_api_key: ', uuid(4), '\n'],
    ['named-key', 'SECRET_KEY_BASE=', hex(128), '\n'],
    ['named-key', 'API key: ', alnum(32), '\n'],
    ['named-key', 'Secret access key: ', base64(40, 3), '\n'],
    ['named-key', 'ENCRYPTION_KEY="', `${base64(43)}=`, '"'],
    ['named-basic', '"auth": "', basic('ada:opensesame'), '"'],
    [
      'named-phrase',
      'mnemonic = "',
      'able acid aged also area army away baby back ball band bank',
      '"',
    ],
    ['named-password', 'passphrase: "', 'correct horse battery staple', '"'],
    ['named-password', 'export password=', 'pássword9', '\n'],
  ]);
  check('command', [
    ['named-password', 'tool --password ', 'opensesame', ' run'],
    ['named-token', 'tool --token ', 'abcd1234efgh', ' run'],
    ['named-token', 'TOKEN=', 'abcdefghijk', '; npm run x'],
    ['named-password', 'PASSWORD=', 'abcd', '&&x'],
  ]);
});

describe('dense text in what a tool returned', () => {
  check('output', [
    ['entropy', 'value ', base64(64), ' end'],
    ['entropy', '', `${base64(87)}=`, '\n'],
    ['entropy', 'x="', url64(48), '"'],
    ['entropy', 'https://h.example/files/', alnum(48), '/list'],
    ['entropy', 'key ', `${alnum(16)}.${alnum(16, 2)}-${alnum(20, 3)}`, ' x'],
    ['entropy', '', [base64(76), base64(76, 2), base64(76, 3)].join('\n'), '\n'],
  ]);
});

test('the same value gives the same hash under one key, and another under another', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  const [one, two] = redactText(`${secret} ${secret}`, 'prose', policy).text.split('] ');
  expect(`${one}]`).toBe(two);
  const other = redactText(secret, 'prose', { secret: () => new Uint8Array(32).fill(2) }).text;
  expect(other).not.toBe(two);
});

test('the provider names a value that stands under a telling name', () => {
  const secret = `gh${'p_'}${alnum(36)}`;
  expect(redactText(`GITHUB_TOKEN=${secret}`, 'prose', policy).rules).toEqual(['github']);
});

test('what stands beside a placeholder is held back as well', () => {
  const { text } = redactText('password="[withheld:x 3B 0a1b2c3d]hunter2"', 'prose', policy);
  expect(text).toMatch(/^password="\[withheld:named-password 31B [0-9a-f]{8}\]"$/);
});

test('the secret half of an AWS pair goes with its id', () => {
  const text = `AK${'IA'}${upper(16)},${base64(40)}`;
  expect(redactText(text, 'prose', policy).text).toMatch(
    /^\[withheld:aws 20B \w{8}\],\[withheld:aws 40B \w{8}\]$/,
  );
});

test.each([
  ['a header alone', `x -----BEGIN ${'RSA PRIVATE'} KEY-----`],
  ['a header with what is no key', `-----BEGIN ${'RSA PRIVATE'} KEY-----\nwhatever stands here`],
  ['a header without its dashes', `-----BEGIN ${'OPENSSH PRIVATE'} KEY`],
])('a marker that cannot tell its extent withholds the text: %s', (_, text) => {
  const { text: clean, withheld, rules } = redactText(text, 'prose', policy);
  expect(clean).toMatch(new RegExp(`^\\[withheld:private-key ${text.length}B [0-9a-f]{8}\\]$`));
  expect(withheld).toBe(true);
  expect(rules).toEqual(['private-key']);
  expect(redactText(clean, 'prose', policy)).toEqual({ text: clean, rules: [], withheld: false });
});
