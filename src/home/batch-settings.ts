import * as z from 'zod';
import { Flag, listOf, type Setting, Variable } from './setting-types.ts';

const countWithin = (min: number, max: number) => {
  const error = `a whole number from ${min} to ${max}`;
  const count = z.int(error).min(min, error).max(max, error);
  const digits = z
    .string()
    .regex(/^\d{1,9}$/, error)
    .transform(Number)
    .pipe(count);
  return z.union([count, digits], { error });
};

const MONEY_FORM = 'dollars, such as 5 or 0.25, up to 100,000';
const Amount = z.number(MONEY_FORM).min(0, MONEY_FORM).max(100_000, MONEY_FORM);
const Dollars = z.union(
  [
    Amount,
    z
      .string()
      .regex(/^\d{1,6}(?:\.\d{1,6})?$/, MONEY_FORM)
      .transform(Number)
      .pipe(Amount),
  ],
  { error: MONEY_FORM },
);
/** The same, or nothing. */
const Price = z.union([z.literal(''), Dollars], { error: MONEY_FORM });

const URL_FORM =
  'https://host/path, or http:// on a machine of your own, with no name, key or question mark in it';
/** Where a model answers. What could hold a key is refused: this file gets committed. */
const BaseUrl = z
  .string({ error: URL_FORM })
  .regex(
    /^(?:https?:\/\/(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?(?:\/[A-Za-z0-9._~/-]*)?)?$/,
    URL_FORM,
  );

const MODEL_FORM = 'a model’s name, of at most 200 letters, digits and . _ : / @ -';
const ModelName = z.string({ error: MODEL_FORM }).regex(/^[\w.:/@-]{0,200}$/, MODEL_FORM);

const COMMAND_FORM = 'a program on the PATH, or by its absolute path, and what it is called with';
const Command = listOf(z.string().min(1, COMMAND_FORM), COMMAND_FORM);

const PROVIDERS = ['none', 'anthropic', 'openai-compatible', 'ollama', 'command'] as const;

/**
 * Who makes claims of sealed sessions, and for how much: `[summarize.batch]` of the user's file. None has a variable, since a folder that an
 * agent works in can set variables, and must not say where transcripts go or what is spent. Source: design page 5.
 */
export const BATCH_SETTINGS = {
  'summarize.batch.provider': {
    type: z.enum(PROVIDERS, { error: `one of ${PROVIDERS.join(', ')}` }),
    help: 'who makes claims of sealed sessions: none | anthropic | openai-compatible | ollama | command',
  },
  'summarize.batch.model': { type: ModelName, help: 'the model, by the provider’s name for it' },
  'summarize.batch.api_key_env': {
    type: Variable,
    help: 'the name of the variable that holds the key of the provider, never the key',
  },
  'summarize.batch.base_url': {
    type: BaseUrl,
    help: 'where the provider answers; empty for its own address',
  },
  'summarize.batch.command': {
    type: Command,
    help: 'with provider = command: the program that answers, and its arguments',
  },
  'summarize.batch.use_batch_api': {
    type: Flag,
    help: 'true: by anthropic’s batches, at half the price, collected by a later pass',
  },
  'summarize.batch.max_sessions_per_run': {
    type: countWithin(1, 1_000),
    help: 'so many sessions are sent in one pass',
  },
  'summarize.batch.max_input_tokens': {
    type: countWithin(500, 100_000),
    help: 'so much of a session is sent; its oldest turns are cut first',
  },
  'summarize.batch.spend_cap_usd_per_day': {
    type: Dollars,
    help: 'no more than this is spent in a day, by UTC',
  },
  'summarize.batch.input_usd_per_million_tokens': {
    type: Price,
    help: 'what the model costs, where that is not known here',
  },
  'summarize.batch.output_usd_per_million_tokens': {
    type: Price,
    help: 'what the model’s answers cost, where that is not known here',
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** What holds where nothing is set. */
export const BATCH_DEFAULTS = {
  'summarize.batch.provider': 'none',
  'summarize.batch.model': '',
  'summarize.batch.api_key_env': '',
  'summarize.batch.base_url': '',
  'summarize.batch.command': [],
  'summarize.batch.use_batch_api': true,
  'summarize.batch.max_sessions_per_run': 50,
  'summarize.batch.max_input_tokens': 8_000,
  'summarize.batch.spend_cap_usd_per_day': 5,
  'summarize.batch.input_usd_per_million_tokens': '',
  'summarize.batch.output_usd_per_million_tokens': '',
} as const satisfies Record<keyof typeof BATCH_SETTINGS, unknown>;
