import type { ModelRequest, ModelUsage } from './model.ts';

/** Dollars for a million tokens, which is millionths of a dollar for one. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** The prices of Anthropic's models. Source: its page of prices, October 2026. */
const KNOWN: Readonly<Record<string, Price>> = {
  'claude-haiku-4-5': { input: 1, output: 5 },
  'claude-haiku-5-5': { input: 0.1, output: 0.5 },
  'claude-sonnet-4-5': { input: 3, output: 15 },
  'claude-sonnet-4-6': { input: 3, output: 15 },
  'claude-sonnet-5': { input: 2, output: 10 },
  'claude-sonnet-5-5': { input: 2, output: 10 },
  'claude-opus-4-5': { input: 5, output: 25 },
  'claude-opus-4-6': { input: 5, output: 25 },
  'claude-opus-5': { input: 5, output: 25 },
  'claude-opus-5-5': { input: 4, output: 20 },
};

/** What is written into a cache costs a quarter more, what is read from it a tenth at most. */
const CACHE_WRITE = 1.25;
const CACHE_READ = 0.1;
/** What a batch costs of what single calls do. */
const IN_BATCH = 0.5;
/** What a provider adds to a request by itself. */
const FRAME_TOKENS_MAX = 2_000;

/** What a model costs, as far as it is known here. A date behind its name makes it no other one. */
export function knownPrice(provider: string, model: string): Price | undefined {
  return provider === 'anthropic' ? KNOWN[model.replace(/-\d{8}$/, '')] : undefined;
}

/** What an answer cost, in millionths of a dollar, rounded up. */
export function costOf(usage: ModelUsage, price: Price, inBatch: boolean): number {
  const { input, cacheRead, cacheWrite, output } = usage;
  const counted = input + cacheWrite * CACHE_WRITE + cacheRead * CACHE_READ;
  return rounded(counted * price.input + output * price.output, inBatch);
}

/** The most that a question can cost: a token is at least one byte of its text. In millionths of a dollar. */
export function costAtMost(request: ModelRequest, price: Price, inBatch: boolean): number {
  const { system, schema, prompt, outputTokensMax } = request;
  const bytes = Buffer.byteLength(system + JSON.stringify(schema) + prompt);
  const input = (bytes + FRAME_TOKENS_MAX) * CACHE_WRITE;
  return rounded(input * price.input + outputTokensMax * price.output, inBatch);
}

const rounded = (usdMicros: number, inBatch: boolean) =>
  Math.ceil(usdMicros * (inBatch ? IN_BATCH : 1));
