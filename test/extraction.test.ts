import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { requestId } from '../src/extract/prompt.ts';
import { MODES } from '../src/home/settings.ts';
import { maintain } from '../src/pipeline.ts';
import { stillWorld, tempFolder } from './kit/home.ts';
import { ModelHome, modelConfig } from './kit/model-home.ts';
import {
  draftFor,
  type Fault,
  ModelServer,
  readPrompt,
  type Said,
  saying,
  USAGE,
} from './kit/model-server.ts';

const HISTORY = join(import.meta.dirname, '..', 'samples', 'fleet', 'north-1', '.claude');
const DAY_MS = 24 * 3_600_000;
const START = Date.UTC(2026, 2, 12, 12);

/** A home with the three sessions of a machine of the samples, sealed, and a provider. */
async function scene(
  provider = 'anthropic',
  more: Record<string, string | number | boolean> = {},
  mode = 'shadow',
) {
  const server = await new ModelServer().open();
  const world = stillWorld(START);
  const home = new ModelHome(tempFolder('extraction'), world, HISTORY);
  const settings = provider === 'anthropic' ? { use_batch_api: false, ...more } : more;
  home.configure(modelConfig(provider, server.base, settings, mode));
  await home.setUp();
  await home.import();
  server.say = (prompt) => saying(draftFor(readPrompt(prompt)));
  const states = async () =>
    (await home.rows('extractions')).filter(({ extractor }) => !extractor.startsWith('rules/'));
  return { server, world, home, states };
}

const PER_ANSWER = Math.ceil(
  USAGE.input + USAGE.cacheWrite * 1.25 + USAGE.cacheRead * 0.1 + USAGE.output * 5,
);

describe('each provider', () => {
  test.each([
    ['anthropic', PER_ANSWER],
    ['openai-compatible', USAGE.input + USAGE.output * 5],
    ['ollama', 0],
  ])('%s: sessions become claims that cite them, once', async (provider, cost) => {
    const { server, home, states } = await scene(provider);
    const report = await home.maintain();
    expect(report.troubles).toEqual([]);
    expect(report.model).toMatchObject({
      answered: 3,
      claims: 3,
      failed: 0,
      waiting: 0,
      dropped: {},
      spentUsdMicros: 3 * cost,
      troubles: [],
    });
    const claims = (await home.rows('claims')).filter(({ statement }) =>
      statement.startsWith('Session '),
    );
    expect(claims).toHaveLength(3);
    // All four gates let a seen environment through: each citation was found where it says.
    expect(claims.map(({ status }) => status)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(new Set(claims.map(({ observed_by }) => observed_by))).toEqual(new Set(['cc-01']));
    expect(await states()).toMatchObject(
      Array(3).fill({ state: 'done', drafts: 1, dropped: 0, spend_usd_micros: cost }),
    );
    const spend = (await home.rows('spend')).map(({ usd_micros }) => usd_micros);
    expect(spend).toEqual(cost === 0 ? [] : [3 * cost]);
    expect((await home.maintain()).model).toMatchObject({
      answered: 0,
      claims: 0,
      spentUsdMicros: 0,
    });
    expect(server.prompts()).toHaveLength(3);
  });

  test('is sent the same to the byte, but for the session', async () => {
    const { server, home } = await scene();
    await home.maintain();
    const heads = server.seen.map(({ body: { messages: _, ...head } }) => JSON.stringify(head));
    expect(new Set(heads).size).toBe(1);
    expect(server.seen[0]?.body.system).toMatchObject([{ cache_control: { type: 'ephemeral' } }]);
  });
});

describe('an answer that is not of the schema', () => {
  const claims = '{"claims":[]}';
  test.each<[string, Said, string]>([
    ['a refusal', { text: 'I can’t help with that.' }, 'model.reply'],
    ['a sentence of the provider’s', { text: 'You have reached your spend limit.' }, 'model.reply'],
    ['a refusal that says so', { text: 'no', ended: 'refused' }, 'model.refused'],
    ['one that was cut, though it reads well', { text: claims, ended: 'cut' }, 'model.cut'],
    ['half of one', { text: '{"claims":[{"claim_type"' }, 'model.reply'],
    ['prose around it', { text: `Here it is:\n${claims}` }, 'model.reply'],
    ['prose around a fence', { text: `Here:\n\`\`\`json\n${claims}\n\`\`\`` }, 'model.reply'],
    ['two fences', { text: `\`\`\`\n${claims}\n\`\`\`\n\`\`\`\n${claims}\n\`\`\`` }, 'model.reply'],
    ['a list', { text: '[]' }, 'model.reply'],
    ['more than was asked for', { text: '{"claims":[],"note":"x"}' }, 'model.reply'],
    ['nothing', { text: '' }, 'model.reply'],
    ['far too many', saying(...Array(65).fill({})), 'model.reply'],
  ])('%s: fails, is paid for, and its session is tried again', async (_what, said, code) => {
    const { server, home, states } = await scene();
    server.say = () => said;
    const report = await home.maintain();
    expect(report.model).toMatchObject({ answered: 0, claims: 0, failed: 3, waiting: 3 });
    expect(report.model?.troubles[0]).toMatchObject({ code });
    expect(report).toMatchObject({ troubles: [] });
    expect(await states()).toMatchObject(
      Array(3).fill({ state: 'failed', error: code, spend_usd_micros: PER_ANSWER }),
    );
    server.say = () => saying();
    expect((await home.maintain()).model).toMatchObject({ answered: 3, failed: 0, waiting: 0 });
  });

  test('one fence of Markdown and nothing beside it is read', async () => {
    const { server, home } = await scene();
    server.say = (prompt) => ({
      text: `\`\`\`json\n${saying(draftFor(readPrompt(prompt))).text}\n\`\`\`\n`,
    });
    expect((await home.maintain()).model).toMatchObject({ answered: 3, claims: 3 });
  });

  test('three in a row end the pass: a provider may be saying that it answers no more', async () => {
    const { server, home } = await scene('ollama');
    server.say = () => ({ text: 'limit reached' });
    const one = await home.maintain();
    expect(one.model).toMatchObject({ failed: 3, waiting: 3 });
    // What failed is behind what was never tried, and the one that failed first is the first of them.
    const order = server.prompts().map((prompt) => readPrompt(prompt).session);
    server.seen.length = 0;
    await home.maintain();
    expect(server.prompts().map((prompt) => readPrompt(prompt).session)).toEqual(order);
  });
});

describe('a draft is dropped, and counted', () => {
  const other = { session: '', message: '', quote: '' };
  test.each<[string, string, (asked: ReturnType<typeof readPrompt>) => object]>([
    ['of an unknown session', 'citation.session', (asked) => cite(asked, { session_id: 'nobody' })],
    [
      'of another session',
      'citation.session',
      (asked) =>
        cite(asked, { session_id: other.session, message_id: other.message, quote: other.quote }),
    ],
    [
      'of a message of another session',
      'citation.message',
      (asked) => cite(asked, { message_id: other.message, quote: other.quote }),
    ],
    [
      'of an invented message',
      'citation.message',
      (asked) => cite(asked, { message_id: 'toolu_invented' }),
    ],
    [
      'of words that are not there',
      'citation.quote',
      (asked) => cite(asked, { quote: 'the staging key is hunter2' }),
    ],
    [
      'of a message without its words',
      'citation.quote',
      (asked) => cite(asked, { quote: 'xyzzy' }),
    ],
    [
      'with one citation of two that is wrong',
      'citation.quote',
      (asked) => {
        const { evidence } = draftFor(asked);
        return { evidence: [...evidence, { ...evidence[0], quote: 'not there at all' }] };
      },
    ],
    [
      'that says two things',
      'claim.compound',
      () => ({ statement: 'The tests need redis and the port is 6380.' }),
    ],
    [
      'that says two things in sentences',
      'claim.compound',
      () => ({ statement: 'It needs redis. It listens on 6380.' }),
    ],
    [
      'that says again what another one says',
      'claim.repeated',
      (asked) => ({ statement: ` ${draftFor(asked).statement.replaceAll(' ', '  ')}` }),
    ],
    ['of a type that there is not', 'claim.form', () => ({ claim_type: 'truth' })],
    ['without evidence', 'claim.form', () => ({ evidence: [] })],
    ['without words', 'claim.form', (asked) => cite(asked, { quote: ' a ' })],
    ['with a member that nobody knows', 'claim.form', () => ({ confidence: 0.9 })],
    ['that is empty', 'claim.form', () => ({ statement: ' ' })],
    ['that is an essay', 'claim.form', () => ({ statement: 'x'.repeat(1_001) })],
    ['with a date that is none', 'claim.form', () => ({ resolves_at: 'tomorrow' })],
  ])('%s: %s', async (_what, code, wrong) => {
    const { server, home, states } = await scene();
    const prompts = new Map<string, ReturnType<typeof readPrompt>>();
    // Looked at first, so that one session can cite another.
    server.faults.push(...Array(4).fill({ status: 400 }));
    await home.maintain();
    for (const asked of server.prompts().map(readPrompt)) prompts.set(asked.session, asked);
    server.faults.length = 0;
    server.say = (prompt) => {
      const asked = readPrompt(prompt);
      const another = [...prompts.values()].find(({ session }) => session !== asked.session);
      const [message] = another?.messages ?? [];
      Object.assign(other, {
        session: another?.session,
        message: message?.id,
        quote: message?.text.slice(0, 40),
      });
      return saying(draftFor(asked), { ...draftFor(asked), ...wrong(asked) });
    };
    const { model } = await home.maintain();
    expect(model).toMatchObject({ answered: 3, claims: 3, dropped: { [code]: 3 } });
    expect(Object.keys(model?.dropped ?? {})).toEqual([code]);
    expect(await states()).toMatchObject(Array(3).fill({ state: 'done', drafts: 1, dropped: 1 }));
  });

  const cite = (asked: ReturnType<typeof readPrompt>, fields: object) => ({
    evidence: [{ ...draftFor(asked).evidence[0], ...fields }],
  });
});

describe('a provider that can’t be asked', () => {
  test.each<[string, Fault, string]>([
    ['refuses the key', { status: 401 }, 'model.key'],
    ['knows no such model', { status: 404 }, 'model.missing'],
    [
      'sends elsewhere',
      { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
      'model.redirect',
    ],
    ['asks to wait for an hour', { status: 429, headers: { 'retry-after': '3600' } }, 'model.busy'],
  ])('%s: ends the asking, and nothing else', async (_what, fault, code) => {
    const { server, home, states } = await scene('ollama');
    server.faults.push(fault);
    const report = await home.maintain();
    expect(report.model).toMatchObject({
      answered: 0,
      failed: 1,
      troubles: [{ id: 'ollama', code }],
    });
    expect(report.troubles).toEqual([]);
    expect(report.extracted).toBeGreaterThan(0);
    expect(report.decisions).toBeGreaterThan(0);
    expect(server.seen).toHaveLength(1);
    expect(await states()).toMatchObject([{ state: 'failed', error: code }]);
    expect((await home.maintain()).model).toMatchObject({ answered: 3, waiting: 0 });
  });

  test('has no key here: says which variable, and asks nobody', async () => {
    const { server, home } = await scene();
    delete home.env['CREDENCE_TEST_MODEL_KEY'];
    const { model, decisions } = await home.maintain();
    expect(model?.troubles).toMatchObject([
      { code: 'model.key', message: 'the variable CREDENCE_TEST_MODEL_KEY is not set' },
    ]);
    expect(model).toMatchObject({ waiting: 3 });
    expect(decisions).toBeGreaterThan(0);
    expect(server.seen).toEqual([]);
  });

  test('has a price that nobody knows: is not asked', async () => {
    const { server, home } = await scene('anthropic', { model: 'claude-of-tomorrow' });
    expect((await home.maintain()).model?.troubles).toMatchObject([{ code: 'model.price' }]);
    expect(server.seen).toEqual([]);
  });

  test.each(['./mine', 'bin/mine'])(
    'is a program that a folder brings along (%s): is not started',
    async (program) => {
      const { home } = await scene('command', { command: program });
      expect((await home.maintain()).model?.troubles).toMatchObject([{ code: 'model.command' }]);
    },
  );

  test('would get the key in the clear: is not asked', async () => {
    const { home } = await scene('openai-compatible', { base_url: 'http://models.example/v1' });
    expect((await home.maintain()).model?.troubles).toMatchObject([{ code: 'model.insecure' }]);
  });
});

describe('the cap of a day', () => {
  test('is never passed, and the rest waits for the next', async () => {
    const { server, world, home } = await scene('openai-compatible', {
      spend_cap_usd_per_day: 0.07,
    });
    const { model } = await home.maintain();
    expect(model).toMatchObject({ capReached: true });
    expect(model?.answered).toBeGreaterThan(0);
    expect(model?.waiting).toBeGreaterThan(0);
    const first = server.prompts().length;
    expect(first).toBe(model?.answered);
    world.set(START + DAY_MS);
    await home.maintain();
    expect(server.prompts().length).toBeGreaterThan(first);
  });

  test('of nothing asks nobody who costs something', async () => {
    const { server, home } = await scene('anthropic', { spend_cap_usd_per_day: 0 });
    expect((await home.maintain()).model).toMatchObject({
      capReached: true,
      answered: 0,
      waiting: 3,
    });
    expect(server.seen).toEqual([]);
  });

  test('holds over passes: what was spent is in the ledger', async () => {
    const { server, home } = await scene('anthropic', {
      max_sessions_per_run: 1,
      spend_cap_usd_per_day: 0.068,
    });
    let passes = 0;
    for (; passes < 9; passes++) if ((await home.maintain()).model?.capReached) break;
    const spent = (await home.rows('spend')).reduce((sum, { usd_micros }) => sum + usd_micros, 0);
    expect(spent).toBe(server.prompts().length * PER_ANSWER);
    expect(spent).toBeLessThanOrEqual(68_000);
  });
});

describe('a batch', () => {
  const batched = (more: Record<string, string | number | boolean> = {}) =>
    scene('anthropic', { use_batch_api: true, ...more });

  test('is in the ledger before anybody waits, and collected by a later pass, whatever the order of its results', async () => {
    const { server, home, states } = await batched();
    const sent = await home.maintain();
    expect(sent.model).toMatchObject({
      submitted: 3,
      answered: 0,
      claims: 0,
      waiting: 0,
      spentUsdMicros: 0,
    });
    expect(await states()).toMatchObject(
      Array(3).fill({ state: 'submitted', batch_id: 'msgbatch_1' }),
    );
    expect((await home.maintain()).model).toMatchObject({
      submitted: 0,
      answered: 0,
      troubles: [],
    });
    server.endsAtOnce = true;
    const got = await home.maintain();
    const half =
      3 *
      Math.ceil(
        (USAGE.input + USAGE.cacheWrite * 1.25 + USAGE.cacheRead * 0.1 + USAGE.output * 5) / 2,
      );
    expect(got.model).toMatchObject({ answered: 3, claims: 3, dropped: {}, spentUsdMicros: half });
    expect(server.batches.size).toBe(1);
    expect(await states()).toMatchObject(Array(3).fill({ state: 'done', drafts: 1, dropped: 0 }));
  });

  test.each([
    ['errored', 'model.batch_errored'],
    ['canceled', 'model.batch_canceled'],
    ['expired', 'model.batch_expired'],
  ] as const)('of which one is %s: that one is free, the others are done', async (end, code) => {
    const { server, home, states } = await batched();
    await home.maintain();
    const [lost] = await home.rows('sessions');
    if (!lost) throw new Error('no session');
    server.ends.set(requestId(lost.key, lost.revision), end);
    server.endsAtOnce = true;
    const report = await home.maintain();
    expect(report.model).toMatchObject({
      answered: 2,
      failed: 1,
      submitted: 1,
      troubles: [{ id: lost.key, code }],
    });
    expect(report.troubles).toEqual([]);
    expect((await states()).find(({ session }) => session === lost.key)).toMatchObject({
      state: 'submitted',
      batch_id: 'msgbatch_2',
    });
    server.ends.clear();
    expect((await home.maintain()).model).toMatchObject({ answered: 1, claims: 1, waiting: 0 });
  });

  test('that answers for some only: the others are free', async () => {
    const { server, home } = await batched();
    await home.maintain();
    const batch = server.batches.get('msgbatch_1');
    if (batch)
      server.batches.set(batch.id, {
        ...batch,
        status: 'ended',
        requests: batch.requests.slice(1),
      });
    expect((await home.maintain()).model).toMatchObject({ answered: 2, failed: 1, submitted: 1 });
  });

  test('that nobody knows any more: all are free', async () => {
    const { server, home } = await batched();
    await home.maintain();
    server.batches.clear();
    const { model } = await home.maintain();
    expect(model).toMatchObject({ failed: 3, submitted: 3 });
    expect(model?.troubles[0]).toMatchObject({ code: 'model.batch_gone' });
  });

  test('that is not done in a day is cancelled, and all are free', async () => {
    const { server, world, home } = await batched();
    await home.maintain();
    world.set(START + DAY_MS + 1);
    expect((await home.maintain()).model).toMatchObject({ failed: 3, submitted: 3 });
    expect(server.batches.get('msgbatch_1')?.status).toBe('canceling');
  });

  test('that could not be sent: all are free at once', async () => {
    const { server, home, states } = await batched();
    server.faults.push({ status: 401 });
    expect((await home.maintain()).model).toMatchObject({
      submitted: 0,
      failed: 3,
      troubles: [{ code: 'model.key' }],
    });
    expect(await states()).toMatchObject(Array(3).fill({ state: 'failed', error: 'model.key' }));
    expect((await home.maintain()).model).toMatchObject({ submitted: 3 });
  });

  test('on its way counts as the most that it can cost', async () => {
    const { server, world, home } = await batched({
      spend_cap_usd_per_day: 0.1,
      max_sessions_per_run: 2,
    });
    await home.maintain();
    expect(server.batches.size).toBe(1);
    world.set(START + 60_000);
    expect((await home.maintain()).model).toMatchObject({ capReached: true, submitted: 0 });
  });
});

test('what was begun and never finished is free after a day, and not before', async () => {
  const { server, world, home, states } = await scene('ollama');
  const crash = () => Promise.reject(new Error('the process ends here'));
  await expect(
    home.within(({ extractor, ...parts }) => {
      if (!extractor) throw new Error('none');
      const open = () => ({ ...extractor.open(), ask: crash });
      return maintain({ ...parts, extractor: { ...extractor, open } });
    }),
  ).rejects.toThrow('the process ends here');
  expect(await states()).toMatchObject([{ state: 'started' }]);
  expect((await home.maintain()).model).toMatchObject({ answered: 2, waiting: 0 });
  world.set(START + DAY_MS + 1);
  expect((await home.maintain()).model).toMatchObject({ answered: 1, waiting: 0 });
  expect(server.prompts()).toHaveLength(3);
});

test('a second observation of what is on file is a position on it', async () => {
  const { server, home } = await scene('ollama', { max_sessions_per_run: 1 });
  const said = {
    statement: 'The tests need a running database.',
    subject: ['npm test', 'database'],
  };
  server.say = (prompt) => {
    const asked = readPrompt(prompt);
    const known = asked.known.find(({ statement }) => statement.startsWith('The tests'));
    return saying(
      draftFor(
        asked,
        known ? { ...known, statement: ` ${known.statement.replaceAll(' ', '  ')}` } : said,
      ),
      draftFor(asked, known ?? said),
    );
  };
  for (let i = 0; i < 3; i++) await home.maintain();
  expect(readPrompt(server.prompts()[1] ?? '').known).toContainEqual({
    claim_type: 'environment',
    subject: ['database', 'npm test'],
    statement: 'The tests need a running database.',
  });
  const claims = (await home.rows('claims')).filter(({ statement }) =>
    statement.trim().startsWith('The tests'),
  );
  expect(claims).toHaveLength(1);
  const positions = (await home.rows('endorsements')).filter(
    ({ claim }) => claim === claims[0]?.key,
  );
  expect(positions).toMatchObject([{ verdict: 'corroborate' }, { verdict: 'corroborate' }]);
});

test('a secret that a model says again is withheld', async () => {
  const { server, home } = await scene('ollama');
  const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
  server.say = (prompt) =>
    saying(
      draftFor(readPrompt(prompt), { statement: `The deploy key is ${key}.`, subject: [key] }),
    );
  await home.maintain();
  const claims = await home.rows('claims');
  expect(claims.some(({ statement }) => statement.startsWith('The deploy key'))).toBe(true);
  expect(JSON.stringify(claims)).not.toContain(key);
});

test('a hypothesis stays with its agent, until the moment that is named, if one can wait for it', async () => {
  const { server, home } = await scene('ollama');
  const dates = [
    '2026-03-20T00:00:00.000Z',
    '1999-01-01T00:00:00.000Z',
    '9999-01-01T00:00:00.000Z',
  ];
  server.say = (prompt, n) =>
    saying(draftFor(readPrompt(prompt), { claim_type: 'hypothesis', resolves_at: dates[n - 1] }));
  await home.maintain();
  const claims = (await home.rows('claims')).filter(
    ({ claim_type }) => claim_type === 'hypothesis',
  );
  expect(claims.map(({ segment }) => segment)).toEqual(Array(3).fill('agent:cc-01'));
  expect(claims.filter(({ resolves_at }) => resolves_at !== null)).toHaveLength(1);
});

describe('every mode', () => {
  const asks = { none: false, agent: false, batch: true, both: true, shadow: true, live: true };
  test('has a row', () => expect(Object.keys(asks)).toEqual([...MODES]));

  test.each(Object.entries(asks))(
    '%s: asks a model: %j; agents read what others claim in live alone',
    async (mode, isAsked) => {
      const { server, home } = await scene('ollama', {}, mode);
      await home.maintain();
      expect(server.seen.length > 0).toBe(isAsked);
      const tables = await home.within(async ({ agentState }) =>
        agentState
          .all("SELECT name FROM sqlite_master WHERE type = 'table'")
          .map(({ name }) => String(name)),
      );
      const held = await home.within(async ({ agentState }) =>
        tables.includes('claims')
          ? Number(agentState.get('SELECT count(*) AS n FROM claims')?.['n'])
          : 0,
      );
      expect(held > 0).toBe(mode === 'live');
      const words = await home.within(async ({ agentState }) =>
        agentState
          .all('SELECT text FROM search')
          .filter(({ text }) => String(text).includes('Session ')),
      );
      if (mode !== 'live') expect(words).toEqual([]);
    },
  );

  test('live to shadow and back: what others claim is gone from what agents read, and comes back', async () => {
    const { server, home } = await scene('ollama', {}, 'live');
    await home.maintain();
    const count = () =>
      home.within(async ({ agentState }) =>
        agentState.all("SELECT name FROM sqlite_master WHERE name = 'claims'").length === 0
          ? 0
          : Number(agentState.get('SELECT count(*) AS n FROM claims')?.['n']),
      );
    const before = await count();
    expect(before).toBeGreaterThan(0);
    home.configure(modelConfig('ollama', server.base, {}, 'shadow'));
    await home.maintain();
    expect(await count()).toBe(0);
    home.configure(modelConfig('ollama', server.base, {}, 'live'));
    await home.maintain();
    expect(await count()).toBe(before);
  });

  test('a variable switches a model off, never on, nor does it send sessions elsewhere', async () => {
    const { server, home } = await scene('ollama', {}, 'agent');
    home.env['CREDENCE_MODE'] = 'shadow';
    home.env['CREDENCE_SUMMARIZE_BATCH_BASE_URL'] = 'http://127.0.0.1:9';
    expect((await home.maintain()).model).toBeUndefined();
    home.configure(modelConfig('ollama', server.base, {}, 'shadow'));
    home.env['CREDENCE_MODE'] = 'agent';
    expect((await home.maintain()).model).toBeUndefined();
    expect(server.seen).toEqual([]);
    delete home.env['CREDENCE_MODE'];
    expect((await home.maintain()).model).toMatchObject({ answered: 3 });
  });
});
