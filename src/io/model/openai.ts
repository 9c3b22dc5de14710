import { countOf, listOf, objectOf, textOf, type UnknownObject } from '../../base/unknown.ts';
import type { Model, ModelReply } from '../../extract/model.ts';
import { callForJson, type Endpoint } from './http.ts';

const REPLY_BYTES_MAX = 1024 * 1024;

/** How the provider is told who asks; a server of one's own may ask for no key. */
export function openaiHeaders(key: string | undefined): Record<string, string> {
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}

function replyOf(body: UnknownObject): ModelReply {
  const choice = objectOf(listOf(body['choices'])[0]);
  const { content, refusal } = objectOf(choice['message']);
  const usage = objectOf(body['usage']);
  const cached = countOf(objectOf(usage['prompt_tokens_details'])['cached_tokens']) ?? 0;
  const prompt = countOf(usage['prompt_tokens']) ?? 0;
  const isRefused = textOf(refusal) !== undefined || choice['finish_reason'] === 'content_filter';
  return {
    text: textOf(content) ?? '',
    ended: isRefused ? 'refused' : choice['finish_reason'] === 'stop' ? 'whole' : 'cut',
    usage: {
      // Priced whole: what a cache takes off differs from provider to provider.
      input: Math.max(prompt, cached),
      cacheRead: 0,
      cacheWrite: 0,
      output: countOf(usage['completion_tokens']) ?? 0,
    },
  };
}

/** Chat completions, as OpenAI and many servers have them, with an answer by a schema. */
export function openai(to: Endpoint, model: string): Model {
  // Its own newest models refuse the name that all others know.
  const isOwn = new URL(to.base).hostname === 'api.openai.com';
  return {
    provider: to.provider,
    name: model,
    parallel: 4,
    async ask({ system, schema, prompt, outputTokensMax }) {
      const body = {
        model,
        [isOwn ? 'max_completion_tokens' : 'max_tokens']: outputTokensMax,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: prompt },
        ],
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'claims', strict: true, schema },
        },
      };
      const what = { path: '/chat/completions', body, bytesMax: REPLY_BYTES_MAX };
      return replyOf(await callForJson(to, what));
    },
  };
}
