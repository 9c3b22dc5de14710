import type { z } from 'zod';
import { toInstant, toMs } from '../base/time.ts';
import { parseSpool } from '../capture/spool.ts';
import type { Drained } from '../lake/drain.ts';
import { agentKey, intentKey, PREFIX, ROSTER_KEY } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { Spool } from '../lake/port.ts';
import type { Checkout } from '../runtime/repo.ts';
import { LiveAgent, LiveIntents, type LiveSession } from './live.ts';
import { intentsOf, LIVE_MS, liveSession } from './observe.ts';

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

/** What one agent of this host is at. */
export interface AtWork {
  readonly agent: string;
  readonly runtime: string;
  readonly sessions: LiveSession[];
  readonly intents: LiveIntents['intents'];
}

/** Who is at work on this host, from what the spool holds: the open lines, and those of the part cut last. */
export function liveOf(
  drained: readonly Drained[],
  from: {
    readonly spool: Spool;
    readonly agents: Readonly<Record<string, string>>;
    readonly checkout: (cwd: string) => Checkout | undefined;
    readonly now: number;
  },
): AtWork[] {
  const atWork = new Map<string, AtWork>();
  for (const [runtime, agent] of Object.entries(from.agents)) {
    atWork.set(agent, { agent, runtime, sessions: [], intents: [] });
  }
  // Listed anew: draining renamed files, and cut a part of what was open.
  const files = new Map(from.spool.sessions().map((session) => [session.stem, session]));
  for (const { session: before, open, over } of drained) {
    const session = files.get(before.stem);
    if (over || !session) continue;
    const sent = session.files.filter((file) => file.state === 'sent').sort((a, b) => b.n - a.n)[0];
    const earlier = sent ? parseSpool(from.spool.read(session, sent)).lines : [];
    const lines = [...earlier, ...open];
    const live = liveSession(lines, from.now);
    const envelope = lines.at(-1)?.envelope;
    const own = envelope && atWork.get(envelope.agent_id);
    if (!live || !own) continue;
    own.sessions.push(live);
    const root = envelope.cwd === undefined ? undefined : from.checkout(envelope.cwd)?.root;
    own.intents.push(...intentsOf(lines, root, from.now));
  }
  return [...atWork.values()];
}

/** Says what this host's agents are at. One key an agent, written by this host alone. */
export async function announce(
  store: ObjectStore,
  host: string,
  agents: readonly AtWork[],
  now: number,
): Promise<void> {
  const at = toInstant(now);
  for (const { agent, runtime, sessions, intents } of agents) {
    const live: LiveAgent = { version: 1, host, agent, runtime, at, sessions };
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

/** Says what this host's agents are at, and reads what every other host says. */
export async function exchange(
  drained: readonly Drained[],
  parts: {
    readonly store: ObjectStore;
    readonly spool: Spool;
    readonly hostId: string;
    readonly agents: Readonly<Record<string, string>>;
    readonly checkout: (cwd: string) => Checkout | undefined;
    readonly now: number;
  },
): Promise<Roster> {
  await announce(parts.store, parts.hostId, liveOf(drained, parts), parts.now);
  return readRoster(parts.store, parts.now);
}
