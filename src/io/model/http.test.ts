import { describe, expect, test } from 'vitest';
import { type Fault, KEY, ModelServer } from '../../../test/kit/model-server.ts';
import { messageOf } from '../../base/errors.ts';
import { requestOf } from '../../extract/prompt.ts';
import { anthropic, anthropicHeaders } from './anthropic.ts';
import { call, type Endpoint } from './http.ts';

const request = requestOf({ session: 's', repo: undefined }, 1, [], []);

async function scene(faults: readonly Fault[], more: Partial<Endpoint> = {}) {
  const server = await new ModelServer().open();
  server.faults.push(...faults);
  const waits: number[] = [];
  let now = Date.UTC(2026, 2, 2, 9);
  const to: Endpoint = {
    provider: 'anthropic',
    base: server.base,
    headers: anthropicHeaders(KEY),
    tryMs: 5_000,
    allMs: 240_000,
    now: () => now,
    async waitFor(ms) {
      waits.push(ms);
      now += ms;
    },
    ...more,
  };
  const outcome = await anthropic(to, 'claude-haiku-4-5')
    .ask(request)
    .catch((error: unknown) => error);
  return { server, waits, outcome, to };
}

const busy = (status: number, headers: Record<string, string> = {}): Fault => ({ status, headers });

describe('what passes is tried again', () => {
  test.each<[string, Fault[]]>([
    ['429', [busy(429)]],
    ['529', [busy(529)]],
    ['500', [busy(500)]],
    ['503, thrice', [busy(503), busy(503), busy(503)]],
    ['a connection that breaks', ['hangs up']],
    ['an answer that breaks off', ['cut off']],
  ])('%s', async (_what, faults) => {
    const { outcome, waits, server } = await scene(faults);
    expect(outcome).toMatchObject({ ended: 'whole' });
    expect([waits.length, server.seen.length]).toEqual([faults.length, faults.length + 1]);
    waits.forEach((ms, i) => {
      expect(ms).toBeGreaterThanOrEqual(750 * 2 ** i);
      expect(ms).toBeLessThanOrEqual(1_250 * 2 ** i);
    });
  });

  test.each<[string, string, number]>([
    ['seconds', '7', 7_000],
    ['a date', 'Mon, 02 Mar 2026 09:00:09 GMT', 9_000],
    ['a date that is over', 'Mon, 02 Mar 2026 08:00:00 GMT', 0],
  ])('after what the provider asks for: %s', async (_what, header, ms) => {
    const { waits } = await scene([busy(429, { 'retry-after': header })]);
    expect(waits).toEqual([ms]);
  });

  test.each<[string, Fault[], Partial<Endpoint>, string, number]>([
    ['four times at most', Array(9).fill(busy(529)), {}, 'model.busy', 4],
    ['not where that takes too long', [busy(429, { 'retry-after': '3600' })], {}, 'model.busy', 1],
    ['not beyond its time', [busy(429), busy(429)], { allMs: 500 }, 'model.busy', 1],
    ['not where it is slow', ['slow'], { tryMs: 100 }, 'model.timeout', 1],
    [
      'nor for ever where it is out of reach',
      Array(9).fill('hangs up'),
      {},
      'model.unreachable',
      4,
    ],
  ])('%s', async (_what, faults, more, code, tries) => {
    const { outcome, server } = await scene(faults, more);
    expect(outcome).toMatchObject({ code, category: 'unavailable', next: expect.any(String) });
    expect(server.seen).toHaveLength(tries);
  });
});

describe('what does not pass is said at once, with what to do', () => {
  test.each<[number, unknown, string, string]>([
    [401, { error: { type: 'authentication_error' } }, 'model.key', 'configuration'],
    [403, {}, 'model.key', 'configuration'],
    [404, { error: { type: 'not_found_error' } }, 'model.missing', 'configuration'],
    [402, {}, 'model.quota', 'configuration'],
    [429, { error: { code: 'insufficient_quota' } }, 'model.quota', 'configuration'],
    [400, {}, 'model.request', 'incorrect'],
    [413, 'too large', 'model.request', 'incorrect'],
    [200, '<html>', 'model.reply', 'incorrect'],
    [200, '[]', 'model.reply', 'incorrect'],
  ])('%i %j', async (status, body, code, category) => {
    const { outcome, server } = await scene([{ status, body }]);
    expect(outcome).toMatchObject({ code, category });
    expect(server.seen).toHaveLength(1);
  });

  test('more than an answer is, is not read', async () => {
    const { outcome } = await scene([{ status: 200, body: 'x'.repeat(2 * 1024 * 1024) }]);
    expect(outcome).toMatchObject({ code: 'model.size', category: 'incorrect' });
  });

  test('a redirect is not followed, whoever it leads to', async () => {
    const elsewhere = await new ModelServer().open();
    const { outcome } = await scene([
      { status: 307, headers: { location: `${elsewhere.base}/v1/messages` } },
    ]);
    expect(outcome).toMatchObject({ code: 'model.redirect' });
    expect(elsewhere.seen).toEqual([]);
  });
});

test.each<[string, Fault]>([
  ['a body', { status: 400, body: { error: { type: `bad ${KEY}`, message: KEY } } }],
  ['a kind', { status: 401, body: { error: { type: KEY.toUpperCase(), code: KEY } } }],
  ['a text', { status: 500, body: KEY }],
])('a key that the provider repeats in %s stands in no error', async (_what, fault) => {
  const { outcome } = await scene([fault, fault, fault, fault]);
  const { message, next, data, cause } = outcome as Error & { next?: string; data?: object };
  expect(JSON.stringify([message, next, data, messageOf(cause)]).toLowerCase()).not.toContain(KEY);
});

test('a host that is not there is out of reach, by its code alone', async () => {
  const { to } = await scene([]);
  const there = { ...to, base: 'http://127.0.0.1:9' };
  await expect(call(there, { path: '/', bytesMax: 9 })).rejects.toMatchObject({
    code: 'model.unreachable',
    message: expect.stringMatching(/^anthropic can't be reached \(\w+\)$/),
  });
});
