import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { CredenceError } from '../base/errors.ts';
import type { Extractor } from '../extract/extractor.ts';
import type { Model } from '../extract/model.ts';
import { knownPrice, type Price } from '../extract/price.ts';
import { type Home, publishedMode } from '../home/home.ts';
import { modeParts, type Settings } from '../home/settings.ts';
import { anthropic, anthropicHeaders } from '../io/model/anthropic.ts';
import { command } from '../io/model/command.ts';
import type { Endpoint } from '../io/model/http.ts';
import { ollama } from '../io/model/ollama.ts';
import { openai, openaiHeaders } from '../io/model/openai.ts';
import type { Env } from './node.ts';

/** How long a provider is waited for: one try, and all with the waits between. What runs on one's own machine takes longer. */
const HOSTED_MS = { tryMs: 120_000, allMs: 240_000 };
const LOCAL_MS = { tryMs: 280_000, allMs: 280_000 };

/** What a provider is where the settings don't say. */
const PROVIDERS = {
  anthropic: {
    base: 'https://api.anthropic.com',
    keyVariable: 'ANTHROPIC_API_KEY',
    model: 'claude-haiku-4-5',
  },
  'openai-compatible': {
    base: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    model: '',
  },
  ollama: { base: 'http://localhost:11434', keyVariable: '', model: '' },
  command: { base: '', keyVariable: '', model: '' },
} as const;
type Provider = keyof typeof PROVIDERS;

function missing(code: string, what: string, next: string): CredenceError {
  return new CredenceError('configuration', `model.${code}`, what, { next });
}

/** What a variable holds, which is never shown. Throws `model.key` where it holds nothing. */
function keyIn(variable: string, env: Env): string {
  const key = env[variable];
  if (key !== undefined && /^[\x21-\x7e]+$/.test(key)) return key;
  const why = key === undefined || key === '' ? 'is not set' : 'holds no key';
  throw missing(
    'key',
    `the variable ${variable} ${why}`,
    `export ${variable}, or name another one: \`credence config set summarize.batch.api_key_env <NAME>\``,
  );
}

/** The name of the variable that holds a provider's key; empty where it needs none, as a server of one's own. */
function keyVariable(provider: Provider, settings: Settings): string {
  const named = settings['summarize.batch.api_key_env'];
  const isElsewhere = settings['summarize.batch.base_url'] !== '' && provider !== 'anthropic';
  return named !== '' || isElsewhere ? named : PROVIDERS[provider].keyVariable;
}

const isLoopback = ({ hostname }: URL) =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);

function endpointOf(provider: Provider, settings: Settings, env: Env): Endpoint {
  const base = (settings['summarize.batch.base_url'] || PROVIDERS[provider].base).replace(
    /\/+$/,
    '',
  );
  if (!URL.canParse(base))
    throw missing('address', `${base} is no address`, 'correct summarize.batch.base_url');
  const url = new URL(base);
  const variable = keyVariable(provider, settings);
  const key = variable === '' ? undefined : keyIn(variable, env);
  if (key !== undefined && url.protocol === 'http:' && !isLoopback(url))
    throw missing(
      'insecure',
      `${base} would be sent a key in the clear`,
      'set summarize.batch.base_url to an https:// address',
    );
  const headers = provider === 'anthropic' ? anthropicHeaders(key ?? '') : openaiHeaders(key);
  const patience = provider === 'ollama' || isLoopback(url) ? LOCAL_MS : HOSTED_MS;
  const waitFor = (ms: number) => setTimeout(ms);
  return { provider, base, headers, ...patience, waitFor, now: Date.now };
}

const ADAPTERS = { anthropic, 'openai-compatible': openai, ollama } as const;

function openModel(
  provider: Provider,
  model: string,
  settings: Settings,
  home: Home,
  env: Env,
): Model {
  if (provider !== 'command') {
    if (model === '')
      throw missing(
        'name',
        `no model of ${provider} is set`,
        '`credence config set summarize.batch.model <name>`',
      );
    return ADAPTERS[provider](endpointOf(provider, settings, env), model);
  }
  const line = settings['summarize.batch.command'];
  const [program] = line;
  // A path from the folder that we are called in would be a program that a project brings along.
  if (program === undefined || (program.includes('/') && !program.startsWith('/')))
    throw missing(
      'command',
      program === undefined ? 'no program is set' : `${program} is no program on the PATH`,
      '`credence config set summarize.batch.command <program>`, by its name or its absolute path',
    );
  // Nothing that an agent left lies there, such as instructions for another one.
  const cwd = join(home.folders.home, 'run', 'extractor');
  mkdirSync(cwd, { recursive: true });
  return command({ command: line, cwd, env, ms: LOCAL_MS.tryMs }, model);
}

/** What the settings say that a model costs, else what is known here; what runs on one's own machine costs nothing unless they say so. */
function priceOf(provider: Provider, model: string, settings: Settings): Price | undefined {
  const input = settings['summarize.batch.input_usd_per_million_tokens'];
  const output = settings['summarize.batch.output_usd_per_million_tokens'];
  if (input !== '' && output !== '') return { input, output };
  if (provider === 'ollama' || provider === 'command') return { input: 0, output: 0 };
  return knownPrice(provider, model);
}

/**
 * Who makes claims of this home's sessions beside the rules; undefined where the mode asks for no model, or none is set. By what
 * stands in the user's file alone: a variable can switch it off, never on, nor send transcripts elsewhere. Throws `settings.*`.
 */
export function extractorOf(home: Home, env: Env): Extractor | undefined {
  const settings = home.lasting();
  const modes = [publishedMode(home), settings['summarize.mode']];
  const provider = settings['summarize.batch.provider'];
  if (provider === 'none' || modes.some((mode) => modeParts(mode).extraction !== 'model'))
    return undefined;
  const model = settings['summarize.batch.model'] || PROVIDERS[provider].model;
  const secret = home.keys.hostSecret();
  return {
    provider,
    model,
    open: () => openModel(provider, model, settings, home, env),
    price: priceOf(provider, model, settings),
    useBatches: provider === 'anthropic' && settings['summarize.batch.use_batch_api'],
    sessionsMax: settings['summarize.batch.max_sessions_per_run'],
    inputTokensMax: settings['summarize.batch.max_input_tokens'],
    capUsdMicros: Math.round(settings['summarize.batch.spend_cap_usd_per_day'] * 1_000_000),
    policy: { secret: () => secret, deniedPaths: settings['capture.denied_paths'] },
  };
}

/** Whether a model can be asked, for `doctor`: what is set, and the name of the variable with its key, never what it holds. Throws `model.*`. */
export function extractorState(extractor: Extractor | undefined, settings: Settings): string {
  if (!extractor) return 'no model is asked: what tests came to is told by rules';
  const { provider, model } = extractor;
  const variable = provider === 'command' ? '' : keyVariable(provider as Provider, settings);
  return `${provider} ${model}${variable === '' ? ', without a key' : `, with the key in ${variable}`}`;
}
