import { countOf, objectOf, textOf, type UnknownObject } from '../../base/unknown.ts';
import type { Model, ModelReply } from '../../extract/model.ts';
import { callForJson, type Endpoint } from './http.ts';

const REPLY_BYTES_MAX = 1024 * 1024;

function replyOf(body: UnknownObject): ModelReply {
  const isWhole = body['done'] === true && body['done_reason'] !== 'length';
  return {
    text: textOf(objectOf(body['message'])['content']) ?? '',
    ended: isWhole ? 'whole' : 'cut',
    usage: {
      input: countOf(body['prompt_eval_count']) ?? 0,
      cacheRead: 0,
      cacheWrite: 0,
      output: countOf(body['eval_count']) ?? 0,
    },
  };
}

/** A model that Ollama runs, one question at a time. */
export function ollama(to: Endpoint, model: string): Model {
  return {
    provider: to.provider,
    name: model,
    parallel: 1,
    async ask({ system, schema, prompt, outputTokensMax }) {
      // Without it the server takes a few thousand tokens, and silently leaves out the beginning of what is longer.
      const num_ctx = Math.ceil(Buffer.byteLength(system + prompt) / 2) + outputTokensMax;
      const body = {
        model,
        stream: false,
        format: schema,
        options: { temperature: 0, num_ctx, num_predict: outputTokensMax },
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
      };
      const what = { path: '/api/chat', body, bytesMax: REPLY_BYTES_MAX };
      return replyOf(await callForJson(to, what));
    },
  };
}
