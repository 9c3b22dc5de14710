import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import type { Verdict } from './rules.ts';

const verdictOf = (a: string, b: string): Verdict => judge({ text: a }, { text: b }).verdict;

type Row = readonly [why: string, a: string, b: string];

function cases(verdict: Verdict, rows: readonly Row[]): void {
  test.each(rows)(`${verdict} (%s): %s | %s`, (why, a, b) => {
    expect(judge({ text: a }, { text: b })).toEqual({ verdict, why });
  });
}

describe('one thing has two values', () => {
  cases('contradicts', [
    ['value', 'The broker listens on port 9092.', 'Port 9093 is where the broker listens.'],
    ['value', 'The lease lasts 250 ms.', 'The lease lasts 2 s.'],
    ['value', 'The importer runs on Node 18.', 'The importer runs on Node 20.'],
    ['value', 'Traces are written to `/var/traces`.', 'Traces are written to `/srv/traces`.'],
    ['value', 'The mirror is at https://a.example/x.', 'https://b.example/x is the mirror.'],
    ['value', '`-f` is the flag that forces a push.', 'The flag that forces a push is `-F`.'],
    ['value', 'The parser is written in Rust.', 'The parser is written in Zig.'],
    ['value', 'The index is rebuilt hourly.', 'The index is rebuilt every night.'],
  ]);
});

describe('one thing is affirmed and denied', () => {
  cases('contradicts', [
    ['reversed', 'The proxy caches images.', 'The proxy does not cache images.'],
    ['reversed', '`tracing` is on in the worker.', 'The worker has `tracing` turned off.'],
    ['reversed', '`make lint` passes at `abc1234`.', 'At `abc1234` `make lint` fails.'],
    ['reversed', 'The job keeps the logs.', 'The logs are deleted by the job.'],
    ['reversed', 'The client still polls.', 'The client no longer polls.'],
    ['reversed', 'No route skips the check.', 'Some routes skip the check.'],
    ['modality', 'Callers must hold the lock.', 'Callers must not hold the lock.'],
    ['modality', 'Titles are mandatory for issues.', 'Titles are optional for issues.'],
  ]);
  cases('same', [
    ['same', 'No route lacks a check.', 'Every route has a check.'],
    ['same', 'The gateway rejects old tokens.', 'Old tokens are not accepted by the gateway.'],
    ['same', 'It is not uncommon for the job to hang.', 'The job commonly hangs.'],
    ['same', 'Uploads above 5 MB are refused.', 'Uploads of up to 5 MB are accepted.'],
  ]);
});

describe('what was set aside, what alone holds, and why', () => {
  cases('contradicts', [
    ['set-aside', 'Jobs are queued in Redis.', 'Jobs are queued in Kafka instead of Redis.'],
    ['set-aside', 'The API speaks SOAP.', 'REST has replaced SOAP in the API.'],
    ['set-aside', 'Every table but `tmp` is backed up.', 'The table `tmp` is backed up.'],
    ['only', 'Only owners can delete a board.', 'Anybody can delete a board.'],
    ['cause', 'The hang is due to a full disk.', 'The hang comes from a bad lock.'],
  ]);
  cases('unrelated', [
    ['other-change', 'The UI moved from Vue to Svelte.', 'The UI moved from Sass to Tailwind.'],
    ['partly', 'Lag is one reason for the hang.', 'Load is another reason for the hang.'],
  ]);
});

describe('two things', () => {
  cases('unrelated', [
    ['other-subject', 'The billing API has 3 pods.', 'The search API has 5 pods.'],
    ['aspect', 'The soft limit is 100.', 'The hard limit is 200.'],
    ['other-circumstance', 'In staging the cache is off.', 'In production the cache is on.'],
    ['other-circumstance', 'At `abc1234` the tests pass.', 'At `def5678` the tests fail.'],
    ['other-circumstance', 'Before the move it took 5 s.', 'Since the move it takes 2 s.'],
    ['default', 'By default the pool has 5 slots.', 'Our config sets 9 slots for the pool.'],
    ['two-differences', 'The bot skips drafts.', 'The bot labels no forks.'],
    ['says-more', 'Logs are compressed.', 'Logs are compressed with zstd.'],
    ['nothing-shared', 'The menu can be folded.', 'Invoices are sent by mail.'],
  ]);
});

describe('values are compared by what they are', () => {
  const same: ReadonlyArray<readonly [string, string]> = [
    ['The wait is 0.25 s.', 'The wait is 250 ms.'],
    ['Backups are kept two weeks.', 'Backups are kept for 14 days.'],
    ['The tracer samples 5 % of calls.', 'One call in twenty is sampled by the tracer.'],
    ['The farm has a dozen nodes.', 'The farm has 12 nodes.'],
    ['The key is in `~/.app/key`.', 'The key is in `$HOME/.app/key`.'],
    ['The docs are at https://d.example.', 'The docs are at https://d.example/.'],
    ['The id travels in `X-Call-Id`.', 'The id travels in `x-call-id`.'],
    ['The tool is at 3.1.', 'The tool is at v3.1.'],
    ['The check runs once a day.', 'The check runs daily.'],
    ['The clock is at 0.48 GHz.', 'The clock is at 480 MHz.'],
    ['The pump draws 1.5 A.', 'The pump draws 1500 mA.'],
    ['The speed is 9600 baud.', 'The speed is 9.6 kbaud.'],
    ['The docs are at https://d.example/x.', 'The docs are at `d.example/x`.'],
    ['The key is in `/etc/app/key.pem`.', 'The key is in `key.pem` in `/etc/app`.'],
  ];
  test.each(same)('same: %s | %s', (a, b) => expect(verdictOf(a, b)).toBe('same'));
});

describe('all is named alike but one thing', () => {
  cases('contradicts', [
    ['other-answer', 'The loader is a plain Perl script.', 'The loader is written in Kotlin.'],
    ['other-answer', 'The site runs on Heroku.', 'The site was moved to Fly.'],
    [
      'value',
      'The desk prints labels with Zebra.',
      'The labels of the desk are printed with Brother.',
    ],
  ]);
  cases('unrelated', [
    ['two-differences', 'The loader is written in Zig.', 'The loader runs on the edge nodes.'],
    ['two-differences', 'The pool has 20 jobs.', 'The pool has an age of 4 days.'],
    ['two-differences', 'The tool has a `--json` flag.', 'The tool has a `--quiet` flag.'],
  ]);
});

describe('what is over, and what is denied elsewhere in a claim', () => {
  cases('contradicts', [
    ['set-aside', 'Pages are drawn with Flot.', 'Flot was retired.'],
    ['set-aside', 'Pages are drawn with Flot.', 'Flot was scrapped, and pages are drawn by hand.'],
    ['set-aside', 'The kiosk logs to Loki.', 'The kiosk logs to a file, so no Loki is left.'],
    ['set-aside', 'The hub speaks CoAP.', 'The hub does not speak CoAP but MQTT.'],
    ['set-aside', 'Everyone except guests has a key.', 'Guests have a key.'],
    ['reversed', 'The worker reads the disk.', 'Neither the API nor the worker reads the disk.'],
  ]);
  cases('unrelated', [
    ['says-more', 'Exports are signed.', 'Exports are signed with a key that is never stored.'],
    ['other-subject', 'Opening a box takes 2 minutes.', 'Closing a box takes 5 minutes.'],
    [
      'other-subject',
      'Scaling out the farm takes 2 minutes.',
      'Scaling in the farm takes 5 minutes.',
    ],
  ]);
});

describe('all, so many, and nobody else', () => {
  cases('contradicts', [
    ['only', 'All probes report heat.', 'Only three probes report heat.'],
    ['only', 'Only owners archive boards.', 'Guests archive boards.'],
    ['reversed', 'Few users read the manual.', 'Most users read the manual.'],
  ]);
  cases('same', [['same', 'Few users read the manual.', 'Hardly any users read the manual.']]);
});

describe('other languages', () => {
  const rows: ReadonlyArray<readonly [Verdict, string, string]> = [
    ['contradicts', 'Le cache est activé en production.', 'Le cache est désactivé en production.'],
    ['contradicts', 'El servicio usa el puerto 80.', 'El servicio usa el puerto 81.'],
    ['contradicts', 'Il server è sempre acceso.', 'Il server è sempre spento.'],
    ['contradicts', 'De API vereist een token.', 'De API vereist geen token.'],
    ['contradicts', 'Usługa jest włączona.', 'Usługa jest wyłączona.'],
    [
      'contradicts',
      'Tjänsten är aktiverad i produktion.',
      'Tjänsten är inte aktiverad i produktion.',
    ],
    ['contradicts', 'Der Dienst läuft nicht lokal.', 'Der Dienst läuft lokal.'],
    ['contradicts', 'O cache está ativado.', 'O cache está desativado.'],
    ['contradicts', 'キャッシュは有効です。', 'キャッシュは無効です。'],
    ['contradicts', '日志保留 7 天。', '日志保留 9 天。'],
    ['unrelated', '测试环境使用 Redis 6。', '生产环境使用 Redis 7。'],
    ['contradicts', '캐시가 활성화됩니다.', '캐시가 비활성화됩니다.'],
  ];
  test.each(rows)('%s: %s | %s', (verdict, a, b) => expect(verdictOf(a, b)).toBe(verdict));
});

const claims: readonly string[] = [
  'The gateway validates the JWT.',
  'At `3f9c2ab` `go test ./...` fails on Linux.',
  'Uploads above 25 MB are rejected, unless the tenant pays.',
  '`DATABASE_URL` is read from `~/.env`; nothing else is.',
  'Since 2.0 the client retries 3 times instead of twice.',
  'デプロイは毎週火曜日に行われます。',
  '',
];
const Claim = fc.oneof(fc.constantFrom(...claims), fc.string({ unit: 'grapheme', maxLength: 120 }));

describe('properties', () => {
  test('the order of the two does not matter', () => {
    fc.assert(
      fc.property(Claim, Claim, (a, b) => {
        expect(judge({ text: a }, { text: b })).toEqual(judge({ text: b }, { text: a }));
      }),
    );
  });
  test('a claim says the same as itself', () => {
    fc.assert(
      fc.property(Claim, (text) => {
        expect(verdictOf(text, text)).toBe('same');
      }),
    );
  });
  test('white space, the full stop and the first letter do not matter', () => {
    for (const a of claims) {
      for (const b of claims) {
        const spaced = `  ${a.replace(/\.$/, '').replaceAll(' ', ' \n ')} `;
        const lowered = a.charAt(0).toLowerCase() + a.slice(1);
        expect(verdictOf(spaced, b)).toBe(verdictOf(a, b));
        expect(verdictOf(lowered, b)).toBe(verdictOf(a, b));
      }
    }
  });
});

describe('hostile texts', () => {
  const units = [
    'a',
    'a_',
    'A1',
    '/a',
    './',
    'a.a',
    '`',
    '`a` ',
    'not ',
    'no not without ',
    '--a',
    '1,',
    '1.1.',
    'https://',
  ];
  const more = [
    '本番',
    'かな',
    '한',
    'half of a ',
    'one in ',
    'instead of ',
    'at most ',
    '((',
    'ﬃ',
    '\u0301',
    '\ud800',
    "n't",
    'US ',
  ];
  test.each([...units, ...more])('%j repeated takes no longer than its share', (unit) => {
    const long = unit.repeat(100_000 / unit.length);
    verdictOf(unit, `${unit}b`);
    const { user } = process.cpuUsage();
    verdictOf(long, `${long}b`);
    verdictOf(`The x is ${long}`, `The x is not ${long}`);
    expect(process.cpuUsage({ user, system: 0 }).user / 1000).toBeLessThan(400);
  });
  test('nothing is thrown', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(['same', 'contradicts', 'unrelated']).toContain(verdictOf(a, b));
      }),
    );
  });
});

test.each([
  ['`t` passed on 2026-01-20 at 15:03 UTC.', '`t` passed on 2026-01-23 at 10:48 UTC.', 'unrelated'],
  ['`t` passed at `abc123def456`.', '`t` failed at `abc123def457`.', 'unrelated'],
  ['`t` passed at `abc123def456`.', '`t` failed at `abc123def456`.', 'contradicts'],
  ['The migration passed.', 'The migration failed.', 'contradicts'],
])('two outcomes, %s and %s: %s', (a, b, verdict) => {
  const outcome = (text: string) => ({ text, isOutcome: true });
  expect(judge(outcome(a), outcome(b)).verdict).toBe(verdict);
  expect(judge(outcome(b), outcome(a)).verdict).toBe(verdict);
});
