import type { z } from 'zod';
import { toInstant, toMs } from '../base/time.ts';
import { agentKey, intentKey, PREFIX, ROSTER_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { LiveAgent, LiveIntents, type LiveSession } from './live.ts';
import { LIVE_MS } from './observe.ts';

/** Everyone who is at work, and on what. */
export interface Roster {
  readonly agents: readonly LiveAgent[];
  readonly intents: readonly LiveIntents[];
}

function bytesOf(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

async function readAll<T>(store: ObjectStore, prefix: string, schema: z.ZodType<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const key of store.list(prefix)) {
    const bytes = await store.get(key);
    const value = bytes === undefined ? undefined : parseAs(bytes, schema);
    if (value !== undefined) values.push(value);
  }
  return values;
}

function parseAs<T>(bytes: Uint8Array, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(JSON.parse(Buffer.from(bytes).toString('utf8'))).data;
  } catch {
    // Another host's file that cannot be read says nothing about it.
    return undefined;
  }
}

/** Says what this host's agents are at. One key an agent, written by this host alone. */
export async function announce(
  store: ObjectStore,
  host: string,
  agents: readonly {
    readonly agent: string;
    readonly runtime: string;
    readonly sessions: readonly LiveSession[];
    readonly intents: LiveIntents['intents'];
  }[],
  now: number,
): Promise<void> {
  const at = toInstant(now);
  for (const { agent, runtime, sessions, intents } of agents) {
    const live: LiveAgent = { version: 1, host, agent, runtime, at, sessions: [...sessions] };
    await store.put(agentKey(host, agent), bytesOf(live));
    await store.put(
      intentKey(host, agent),
      bytesOf({ version: 1, host, agent, at, intents } satisfies LiveIntents),
    );
  }
}

/** Reads what every host said, without the sessions that have fallen silent since. */
export async function readRoster(store: ObjectStore, now: number): Promise<Roster> {
  const agents = await readAll(store, PREFIX.agents, LiveAgent);
  const intents = await readAll(store, PREFIX.intents, LiveIntents);
  return {
    agents: agents.map((agent) => ({
      ...agent,
      sessions: agent.sessions.filter((session) => toMs(session.last_at) + LIVE_MS > now),
    })),
    intents,
  };
}

/** Writes the roster as one object, for readers of the lake. Derived. */
export async function publishRoster(store: ObjectStore, roster: Roster): Promise<void> {
  await store.put(ROSTER_KEY, bytesOf({ version: 1, agents: roster.agents }));
}
