import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { World } from '../../src/base/world.ts';
import type { TableName, Tables } from '../../src/fold/state.ts';
import type { Home } from '../../src/home/home.ts';
import { setUp } from '../../src/home/set-up.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { importAll, type MaintReport, maintain, type Parts } from '../../src/pipeline.ts';
import { readerOf } from '../../src/snapshot/database.ts';
import { envOf, testHome } from './home.ts';
import { openMemoryStore } from './memory-store.ts';
import { KEY } from './model-server.ts';

/** The variable in which tests have the key. */
export const KEY_VARIABLE = 'CREDENCE_TEST_MODEL_KEY';

/** The text of `config.toml` that sends sessions to a server. */
export function modelConfig(
  provider: string,
  base: string,
  more: Readonly<Record<string, string | number | boolean>> = {},
  mode = 'shadow',
): string {
  const own = {
    provider,
    model: provider === 'anthropic' ? 'claude-haiku-4-5' : 'm',
    ...(provider === 'command'
      ? {}
      : { base_url: provider === 'openai-compatible' ? `${base}/v1` : base }),
    ...(provider === 'anthropic' || provider === 'openai-compatible'
      ? { api_key_env: KEY_VARIABLE }
      : {}),
    ...(provider === 'openai-compatible'
      ? { input_usd_per_million_tokens: 1, output_usd_per_million_tokens: 5 }
      : {}),
    ...more,
  };
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  return [
    '[agents]',
    'claude-code = "cc-01"',
    '[summarize]',
    `mode = "${mode}"`,
    '[summarize.batch]',
    ...lines,
    '',
  ].join('\n');
}

/** A home whose sessions a model is asked about, over a store in memory. */
export class ModelHome {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly #home: Home;
  readonly #world: World;

  constructor(folder: string, world: World, history: string) {
    this.folder = folder;
    this.#world = world;
    this.env = { ...envOf(folder), CLAUDE_CONFIG_DIR: history, [KEY_VARIABLE]: KEY };
    const store = openMemoryStore();
    this.#home = testHome(folder, 'one', () => store, world);
  }

  configure(text: string): void {
    const folder = this.env['CREDENCE_CONFIG_HOME'] ?? '';
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'config.toml'), text);
  }

  /** The home as it is set now. */
  get home(): Home {
    const { settings, sources, lasting } = openHome({}, this.env);
    return { ...this.#home, settings, sources, lasting, world: this.#world };
  }

  async setUp(): Promise<void> {
    await setUp(this.home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  }

  async within<T>(body: (parts: Parts) => Promise<T>): Promise<T> {
    const done = await withParts(this.home, body, this.env);
    if (!done) throw new Error('busy');
    return done.value;
  }

  import(): Promise<unknown> {
    return this.within((parts) => importAll(parts, parts.history.files(), () => undefined));
  }

  async maintain(changed: Partial<Parts> = {}): Promise<MaintReport> {
    const report = await this.within((parts) => maintain({ ...parts, ...changed }));
    if (!report) throw new Error('no lease');
    return report;
  }

  /** The rows of a table. */
  rows<T extends TableName>(table: T): Promise<Tables[T][]> {
    return this.within(async ({ state }) => readerOf(state).where(table));
  }
}
