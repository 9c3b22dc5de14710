import { CredenceError, codeOf } from '../../base/errors.ts';
import {
  countOf,
  jsonIn,
  listOf,
  objectOf,
  textOf,
  type UnknownObject,
} from '../../base/unknown.ts';
import type { BatchResult, Model, ModelReply, ModelRequest } from '../../extract/model.ts';
import { call, callForJson, type Endpoint } from './http.ts';

const REPLY_BYTES_MAX = 1024 * 1024;
const BATCH_BYTES_MAX = 64 * 1024 * 1024;
/** The version of the wire format that this file speaks, as its own client does. */
const VERSION = '2026-10-21';

/** How the provider is told who asks. */
export function anthropicHeaders(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, 'anthropic-version': VERSION };
}

/** A question as the provider takes it. What is the same for all stands before the mark up to which it keeps what it read. */
function paramsOf(model: string, { system, schema, prompt, outputTokensMax }: ModelRequest) {
  return {
    model,
    max_tokens: outputTokensMax,
    system: [{ type: 'text', text: system, cache_control: { type: 'ephemeral' } }],
    output_config: { format: { type: 'json_schema', schema } },
    messages: [{ role: 'user', content: prompt }],
  };
}

const ENDED: Readonly<Record<string, ModelReply['ended']>> = {
  end_turn: 'whole',
  stop_sequence: 'whole',
  refusal: 'refused',
};

function replyOf(message: UnknownObject): ModelReply {
  const usage = objectOf(message['usage']);
  const texts = listOf(message['content'])
    .map(objectOf)
    .filter(({ type }) => type === 'text');
  return {
    text: texts.map(({ text }) => textOf(text) ?? '').join(''),
    ended: ENDED[textOf(message['stop_reason']) ?? ''] ?? 'cut',
    usage: {
      input: countOf(usage['input_tokens']) ?? 0,
      cacheRead: countOf(usage['cache_read_input_tokens']) ?? 0,
      cacheWrite: countOf(usage['cache_creation_input_tokens']) ?? 0,
      output: countOf(usage['output_tokens']) ?? 0,
    },
  };
}

function resultOf(result: UnknownObject): BatchResult {
  if (result['type'] === 'succeeded')
    return { kind: 'reply', reply: replyOf(objectOf(result['message'])) };
  const kind = textOf(result['type']) ?? '';
  const isKnown = ['errored', 'canceled', 'expired'].includes(kind);
  return { kind: 'failed', code: `model.batch_${isKnown ? kind : 'unreadable'}` };
}

/** The lines of results, in whatever order: each says which request it is of. */
function resultsIn(text: string): ReadonlyMap<string, BatchResult> {
  const results = new Map<string, BatchResult>();
  for (const line of text.split('\n')) {
    const { custom_id, result } = objectOf(jsonIn(line));
    const id = textOf(custom_id);
    if (id !== undefined) results.set(id, resultOf(objectOf(result)));
  }
  return results;
}

/** An id that becomes a part of an address. */
function checkedId(value: unknown): string {
  const id = textOf(value) ?? '';
  if (/^[A-Za-z0-9_-]{1,200}$/.test(id)) return id;
  throw new CredenceError('incorrect', 'model.reply', 'anthropic gave no id for the batch');
}

/** Anthropic's Messages, and its Message Batches. */
export function anthropic(to: Endpoint, model: string): Model {
  const pathOf = (batch: string) => `/v1/messages/batches/${checkedId(batch)}`;
  const gone = (error: unknown, batch: string) => {
    if (codeOf(error) !== 'model.missing') return error;
    return new CredenceError('incorrect', 'model.batch_gone', `anthropic has no batch ${batch}`);
  };
  return {
    provider: to.provider,
    name: model,
    parallel: 4,
    async ask(request) {
      const body = paramsOf(model, request);
      const what = { path: '/v1/messages', body, bytesMax: REPLY_BYTES_MAX };
      return replyOf(await callForJson(to, what));
    },
    batches: {
      async submit(requests) {
        const body = {
          requests: requests.map((request) => {
            return { custom_id: request.id, params: paramsOf(model, request) };
          }),
        };
        const what = { path: '/v1/messages/batches', body, bytesMax: REPLY_BYTES_MAX };
        return checkedId((await callForJson(to, what))['id']);
      },
      async collect(batch) {
        try {
          const path = pathOf(batch);
          const state = await callForJson(to, { path, bytesMax: REPLY_BYTES_MAX });
          if (state['processing_status'] !== 'ended') return undefined;
          // At the address that is set, not at the one that it names: the key goes nowhere else.
          const what = { path: `${path}/results`, bytesMax: BATCH_BYTES_MAX };
          return resultsIn(await call(to, what));
        } catch (error) {
          throw gone(error, batch);
        }
      },
      async cancel(batch) {
        const what = { path: `${pathOf(batch)}/cancel`, body: {}, bytesMax: REPLY_BYTES_MAX };
        await call(to, what).catch((error: unknown) => {
          throw gone(error, batch);
        });
      },
    },
  };
}
