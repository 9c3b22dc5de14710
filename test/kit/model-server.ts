import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { onTestFinished } from 'vitest';

/*
 * Providers of models, each with its own wire format, on one local server. What they are sent is checked as they check it; what they answer is
 * decided by the test. The vendors' own clients say that the format is theirs (test/model-wire.test.ts).
 */

/** The key that the server takes. It looks like one, and is none. */
export const KEY = ['sk', 'test', '0'.repeat(12)].join('-');

/** What a test has the server do with a request, instead of answering. */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | 'slow'
  | 'cut off'
  | 'hangs up';

/** What a model says, and how that ends. */
export interface Said {
  readonly text: string;
  readonly ended?: 'whole' | 'cut' | 'refused';
}

/** A request as it came. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Body;
}

/** The members of the four formats' requests. Each is looked for where its format has it. */
interface Body {
  readonly model: string;
  readonly max_tokens: number;
  readonly system: readonly { readonly type: string; readonly text: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly output_config: { readonly format: { readonly type: string; readonly schema: object } };
  readonly requests?: readonly { readonly custom_id: string; readonly params: Body }[];
  readonly response_format: {
    readonly type: string;
    readonly json_schema: { readonly strict: boolean; readonly schema: object };
  };
  readonly stream: boolean;
  readonly format: object;
  readonly options: { readonly num_ctx: number; readonly num_predict: number };
}

interface Batch {
  readonly id: string;
  status: 'in_progress' | 'canceling' | 'ended';
  readonly requests: readonly { custom_id: string; params: Body }[];
}

/** What became of a request of a batch. */
export type BatchEnd = 'succeeded' | 'errored' | 'canceled' | 'expired';

/** The tokens that every answer says it took. */
export const USAGE = { input: 1_000, cacheWrite: 200, cacheRead: 300, output: 50 };

class Refused extends Error {}
function need(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Refused(what);
}

/** A schema that the strictest provider takes: closed objects with every member required. */
function needStrict(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return;
  const { type, properties, additionalProperties, required } = schema as Record<string, unknown>;
  if (type === 'object') {
    need(additionalProperties === false, 'additionalProperties');
    need(isDeepStrictEqual(Object.keys(properties as object), required), 'required');
  }
  for (const inner of Object.values(schema)) needStrict(inner);
}

const onlyOf = (value: object, names: string) =>
  need(
    Object.keys(value).every((name) => names.split(' ').includes(name)),
    `one of ${Object.keys(value)}`,
  );

/** One server for all formats, which answers as the test says. */
export class ModelServer {
  readonly seen: Seen[] = [];
  readonly faults: Fault[] = [];
  readonly batches = new Map<string, Batch>();
  /** Ends of requests of batches, by their ids; those that are not named succeed. */
  readonly ends = new Map<string, BatchEnd>();
  /** True: batches have ended once they are asked for. */
  endsAtOnce = false;
  shuffles = true;
  say: (prompt: string, n: number) => Said = () => ({ text: '{"claims":[]}' });
  base = '';
  #said = 0;

  async open(): Promise<this> {
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#handle(request, Buffer.concat(chunks).toString(), response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    this.base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return this;
  }

  /** The questions that came, however they came. */
  prompts(): string[] {
    return this.seen.flatMap(({ body }) => {
      const all = body?.requests?.map(({ params }) => params) ?? [body];
      return all.flatMap((one) => one?.messages?.at(-1)?.content ?? []);
    });
  }

  #handle(request: IncomingMessage, text: string, response: ServerResponse): void {
    const { method = '', url: path = '', headers } = request;
    const body = text === '' ? undefined : JSON.parse(text);
    this.seen.push({ method, path, headers, body });
    const send = (status: number, value: unknown, more: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...more });
      response.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const fault = this.faults.shift();
    if (fault === 'slow') return;
    if (fault === 'hangs up') return void request.socket.destroy();
    if (fault === 'cut off') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9000' });
      response.write('{"content":[');
      setTimeout(() => request.socket.destroy(), 20);
      return;
    }
    if (fault) {
      send(fault.status, fault.body ?? { error: { type: 'api_error' } }, fault.headers);
      return;
    }
    try {
      send(200, this.#route(method, path, headers, body));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const missing = error.message === 'not found';
      const type = missing ? 'not_found_error' : 'invalid_request_error';
      send(missing ? 404 : 400, { type: 'error', error: { type, message: error.message } });
    }
  }

  #route(method: string, path: string, headers: IncomingMessage['headers'], body: Body): unknown {
    if (path.startsWith('/v1/messages')) {
      need(headers.authorization === `Bearer ${KEY}`, 'key');
      need(headers['anthropic-version'] === '2026-10-21', 'version');
    }
    if (method === 'POST')
      need(headers['content-type']?.startsWith('application/json'), 'content-type');
    const [, id = '', tail] =
      /^\/v1\/messages\/batches\/([^/]+)(?:\/(results|cancel))?$/.exec(path) ?? [];
    const route = `${method} ${id === '' ? path : `/v1/messages/batches/:id${tail === undefined ? '' : `/${tail}`}`}`;
    const batch = this.batches.get(id);
    if (id !== '') need(batch, 'not found');
    switch (route) {
      case 'POST /v1/messages':
        return this.#message(body);
      case 'POST /v1/messages/batches':
        return this.#batch(body);
      case 'GET /v1/messages/batches/:id':
        if (batch && this.endsAtOnce) batch.status = 'ended';
        return batch && this.#stateOf(batch);
      case 'POST /v1/messages/batches/:id/cancel':
        if (batch) batch.status = 'canceling';
        return batch && this.#stateOf(batch);
      case 'GET /v1/messages/batches/:id/results':
        need(batch?.status === 'ended', 'not ended');
        return this.#results(batch as Batch);
      case 'POST /v1/chat/completions':
        return this.#completion(headers, body);
      case 'POST /api/chat':
        return this.#chat(body);
      default:
        throw new Refused('not found');
    }
  }

  #next(prompt: string): Required<Said> {
    this.#said += 1;
    return { ended: 'whole', ...this.say(prompt, this.#said) };
  }

  #message(params: Body): unknown {
    onlyOf(params, 'model max_tokens system messages output_config');
    need(typeof params.model === 'string' && params.max_tokens > 0, 'model');
    need(params.system[0]?.type === 'text', 'system');
    need(params.messages.length === 1 && params.messages[0]?.role === 'user', 'messages');
    need(params.output_config.format.type === 'json_schema', 'format');
    needStrict(params.output_config.format.schema);
    const { text, ended } = this.#next(params.messages[0]?.content ?? '');
    return {
      id: `msg_${this.#said}`,
      type: 'message',
      role: 'assistant',
      model: params.model,
      content: [{ type: 'text', text }],
      stop_reason: { whole: 'end_turn', cut: 'max_tokens', refused: 'refusal' }[ended],
      stop_sequence: null,
      usage: {
        input_tokens: USAGE.input,
        cache_creation_input_tokens: USAGE.cacheWrite,
        cache_read_input_tokens: USAGE.cacheRead,
        output_tokens: USAGE.output,
      },
    };
  }

  #batch({ requests = [] }: Body): unknown {
    const ids = requests.map((one) => one.custom_id);
    need(ids.length > 0 && new Set(ids).size === ids.length, 'custom_id');
    need(
      ids.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id)),
      'custom_id',
    );
    const batch: Batch = {
      id: `msgbatch_${this.batches.size + 1}`,
      status: 'in_progress',
      requests,
    };
    this.batches.set(batch.id, batch);
    return this.#stateOf(batch);
  }

  #stateOf({ id, status, requests }: Batch): unknown {
    const isOver = status === 'ended';
    return {
      id,
      type: 'message_batch',
      processing_status: status,
      request_counts: {
        processing: isOver ? 0 : requests.length,
        succeeded: isOver ? requests.length : 0,
        errored: 0,
        canceled: 0,
        expired: 0,
      },
      created_at: '2026-03-02T09:00:00Z',
      expires_at: '2026-03-03T09:00:00Z',
      ended_at: isOver ? '2026-03-02T10:00:00Z' : null,
      cancel_initiated_at: null,
      archived_at: null,
      results_url: isOver ? `${this.base}/v1/messages/batches/${id}/results` : null,
    };
  }

  #results({ requests }: Batch): string {
    const lines = requests.map(({ custom_id, params }) => {
      const type = this.ends.get(custom_id) ?? 'succeeded';
      const error = { type: 'error', error: { type: 'invalid_request_error', message: 'no' } };
      const result =
        type === 'succeeded'
          ? { type, message: this.#message(params) }
          : { type, ...(type === 'errored' ? { error } : {}) };
      return `${JSON.stringify({ custom_id, result })}\n`;
    });
    return (this.shuffles ? lines.reverse() : lines).join('');
  }

  #completion(headers: IncomingMessage['headers'], body: Body): unknown {
    need(headers.authorization === undefined || headers.authorization === `Bearer ${KEY}`, 'key');
    onlyOf(body, 'model max_tokens messages response_format');
    need(body.response_format.type === 'json_schema', 'response_format');
    need(body.response_format.json_schema.strict === true, 'strict');
    needStrict(body.response_format.json_schema.schema);
    const { text, ended } = this.#next(body.messages.at(-1)?.content ?? '');
    return {
      id: `chatcmpl-${this.#said}`,
      object: 'chat.completion',
      created: 1_772_442_000,
      model: body.model,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: ended === 'refused' ? null : text,
            refusal: ended === 'refused' ? text : null,
          },
          logprobs: null,
          finish_reason: ended === 'cut' ? 'length' : 'stop',
        },
      ],
      usage: {
        prompt_tokens: USAGE.input,
        completion_tokens: USAGE.output,
        total_tokens: USAGE.input + USAGE.output,
        prompt_tokens_details: { cached_tokens: USAGE.cacheRead },
      },
    };
  }

  #chat(body: Body): unknown {
    onlyOf(body, 'model messages stream format options');
    need(body.stream === false && body.options.num_ctx > body.options.num_predict, 'options');
    needStrict(body.format);
    const { text, ended } = this.#next(body.messages.at(-1)?.content ?? '');
    return {
      model: body.model,
      created_at: '2026-03-02T09:00:00.000Z',
      message: { role: 'assistant', content: text },
      done: true,
      done_reason: ended === 'cut' ? 'length' : 'stop',
      total_duration: 5,
      prompt_eval_count: USAGE.input,
      eval_count: USAGE.output,
    };
  }
}

/** A message as it stands in a question. */
export interface Asked {
  readonly session: string;
  readonly messages: readonly {
    readonly id: string;
    readonly kind: string;
    readonly text: string;
  }[];
  readonly known: readonly { claim_type: string; subject: string[]; statement: string }[];
}

/** Reads a question as a model would. */
export function readPrompt(prompt: string): Asked {
  const lines = (name: string) =>
    (new RegExp(`<${name}>\\n([\\s\\S]*?)\\n?</${name}>`).exec(prompt)?.[1] ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const [head, ...messages] = lines('session-data');
  return { session: head.session_id, messages, known: lines('known-claims') };
}

/** A draft about the first message of a question that a tool gave, or of any kind. */
export function draftFor(asked: Asked, fields: object = {}) {
  const message = asked.messages.find(({ kind }) => kind === 'tool') ?? asked.messages[0];
  const quote = message?.text.slice(0, 60).trim() ?? '';
  return {
    claim_type: 'environment',
    statement: `Session ${asked.session.slice(0, 8)} ran ${message?.id}.`,
    subject: ['tests'],
    evidence: [{ session_id: asked.session, message_id: message?.id ?? '', quote }],
    resolves_at: null as string | null,
    ...fields,
  };
}

/** An answer with these drafts. */
export const saying = (...claims: object[]): Said => ({ text: JSON.stringify({ claims }) });
