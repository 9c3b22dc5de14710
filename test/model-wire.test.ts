import Anthropic from '@anthropic-ai/sdk';
import { Ollama } from 'ollama';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { ModelRequest } from '../src/extract/model.ts';
import { requestOf } from '../src/extract/prompt.ts';
import { anthropic, anthropicHeaders } from '../src/io/model/anthropic.ts';
import type { Endpoint } from '../src/io/model/http.ts';
import { ollama } from '../src/io/model/ollama.ts';
import { openai, openaiHeaders } from '../src/io/model/openai.ts';
import { KEY, ModelServer, USAGE } from './kit/model-server.ts';

/*
 * The vendors' own clients, against the server that the tests use in their stead: what they read there is what the server meant, and what
 * they send for the same question is what our adapters send.
 */

const request: ModelRequest = requestOf({ session: 's', repo: undefined }, 1, [], []);
const MESSAGE = { text: '{"claims":[]}' };

async function serverWith(headers: Record<string, string>, path = '') {
  const server = await new ModelServer().open();
  const to: Endpoint = {
    provider: 'p',
    base: `${server.base}${path}`,
    headers,
    tryMs: 5_000,
    allMs: 5_000,
    waitFor: () => Promise.resolve(),
    now: Date.now,
  };
  return { server, to };
}

/** The bodies of the last two requests: ours, and the client's. */
const bodies = ({ seen }: ModelServer) =>
  seen.map(({ method, path, body }) => ({ method, path, body }));

describe('anthropic', () => {
  const setUp = async () => {
    const { server, to } = await serverWith(anthropicHeaders(KEY));
    const client = new Anthropic({ apiKey: KEY, baseURL: server.base, maxRetries: 0 });
    const model = anthropic(to, 'claude-haiku-4-5');
    return { server, client, model };
  };
  const params = {
    model: 'claude-haiku-4-5',
    max_tokens: request.outputTokensMax,
    system: [{ type: 'text', text: request.system, cache_control: { type: 'ephemeral' } }],
    output_config: { format: { type: 'json_schema', schema: { ...request.schema } } },
    messages: [{ role: 'user', content: request.prompt }],
  } satisfies Anthropic.MessageCreateParamsNonStreaming;

  test('a message', async () => {
    const { server, client, model } = await setUp();
    const ours = await model.ask(request);
    const theirs = await client.messages.create(params);
    expect(ours).toEqual({ ...MESSAGE, ended: 'whole', usage: USAGE });
    expect(theirs).toMatchObject({ content: [{ text: ours.text }], stop_reason: 'end_turn' });
    expect(theirs.usage).toMatchObject({ input_tokens: USAGE.input, output_tokens: USAGE.output });
    const [first, second] = bodies(server);
    expect(first).toEqual(second);
  });

  test('a batch, from its beginning to its results', async () => {
    const { server, client, model } = await setUp();
    const id = await model.batches?.submit([request]);
    const batch = await client.messages.batches.create({
      requests: [{ custom_id: request.id, params }],
    });
    const [first, second] = bodies(server);
    expect(first).toEqual(second);
    expect(await model.batches?.collect(id ?? '')).toBeUndefined();
    expect(await client.messages.batches.retrieve(batch.id)).toMatchObject({
      processing_status: 'in_progress',
    });
    server.endsAtOnce = true;
    const results = await model.batches?.collect(id ?? '');
    await client.messages.batches.retrieve(batch.id);
    const theirs = [];
    for await (const result of await client.messages.batches.results(batch.id)) theirs.push(result);
    expect(theirs).toMatchObject([{ custom_id: request.id, result: { type: 'succeeded' } }]);
    expect(results?.get(request.id)).toMatchObject({ kind: 'reply', reply: MESSAGE });
  });

  test('a batch that is cancelled', async () => {
    const { client, model } = await setUp();
    const id = (await model.batches?.submit([request])) ?? '';
    await model.batches?.cancel(id);
    expect(await client.messages.batches.retrieve(id)).toMatchObject({
      processing_status: 'canceling',
    });
  });

  test('an error has its kind, and no more', async () => {
    const { server, client, model } = await setUp();
    const body = {
      type: 'error',
      error: { type: 'invalid_request_error', message: `your key ${KEY}` },
    };
    server.faults.push({ status: 400, body }, { status: 400, body });
    await expect(client.messages.create(params)).rejects.toBeInstanceOf(Anthropic.BadRequestError);
    const thrown = await model.ask(request).catch((error: unknown) => error);
    expect(thrown).toMatchObject({
      code: 'model.request',
      message: 'p refuses the request (400 invalid_request_error)',
    });
  });
});

test('chat completions', async () => {
  const { server, to } = await serverWith(openaiHeaders(KEY), '/v1');
  const client = new OpenAI({ apiKey: KEY, baseURL: to.base, maxRetries: 0 });
  const ours = await openai(to, 'm').ask(request);
  const theirs = await client.chat.completions.create({
    model: 'm',
    max_tokens: request.outputTokensMax,
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.prompt },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'claims', strict: true, schema: { ...request.schema } },
    },
  });
  expect(theirs.choices[0]?.message.content).toBe(ours.text);
  expect(theirs.usage?.prompt_tokens).toBe(ours.usage.input);
  const [first, second] = bodies(server);
  expect(first).toEqual(second);
  expect(server.seen[1]?.headers.authorization).toBe(server.seen[0]?.headers.authorization);
});

test('ollama', async () => {
  const { server, to } = await serverWith({});
  const client = new Ollama({ host: to.base });
  const ours = await ollama(to, 'm').ask(request);
  const [sent] = bodies(server);
  const theirs = await client.chat({
    model: 'm',
    stream: false,
    format: request.schema,
    options: { ...sent?.body.options },
    messages: [
      { role: 'system', content: request.system },
      { role: 'user', content: request.prompt },
    ],
  });
  expect(theirs.message.content).toBe(ours.text);
  expect(theirs.eval_count).toBe(ours.usage.output);
  const [first, second] = bodies(server);
  expect(first).toEqual(second);
});
