import type { Home } from '../../src/home/home.ts';
import { setUp } from '../../src/home/set-up.ts';
import type { ObjectStore } from '../../src/lake/objects.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import type { Parts } from '../../src/pipeline.ts';
import { callHook, envOf, hookSettings, type stillWorld, testHome } from './home.ts';

/** A machine in a fleet, with hooks. */
export interface Joined {
  readonly home: Home;
  /** Calls a hook of session `s`; answers with what it prints. */
  hook(event: string, payload?: object): string;
  run<T>(body: (parts: Parts) => Promise<T>): Promise<T>;
}

/** Founds or joins the fleet of a store from a folder; `name` seeds the keys, `agent` is its agent. */
export async function joined(
  folder: string,
  name: string,
  store: ObjectStore,
  world: ReturnType<typeof stillWorld>,
  agent = name,
): Promise<Joined> {
  const env = envOf(folder);
  const home = testHome(folder, name, () => store, world);
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': agent } });
  const settled = { ...home, settings: openHome({}, env).settings };
  const settings = hookSettings(settled, { 'claude-code': agent });
  return {
    home: settled,
    hook: (event, payload = {}) =>
      callHook(settled, settings, event, { session_id: 's', ...payload }),
    async run(body) {
      const done = await withParts(settled, body, env);
      if (!done) throw new Error('another process holds the lock');
      return done.value;
    },
  };
}
