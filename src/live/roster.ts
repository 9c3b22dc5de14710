import type * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { truncateUtf8 } from '../base/text.ts';
import { toInstant, toMs } from '../base/time.ts';
import { type Trouble, troubleOf } from '../base/trouble.ts';
import { jsonIn } from '../base/unknown.ts';
import type { SpoolLine } from '../capture/spool.ts';
import type { Drained } from '../lake/drain.ts';
import { agentKey, intentKey, PREFIX, ROSTER_KEY } from '../lake/layout.ts';
import { getOrNote, type ObjectStore } from '../lake/objects.ts';
import type { Spool, SpoolSession } from '../lake/port.ts';
import { parseSpool } from '../lake/read-spool.ts';
import type { Checkout } from '../runtime/repo.ts';
import { LIVE_MAX, LiveAgent, LiveIntent, LiveIntents, LiveSession } from './live.ts';
import { INTENT_MS_MAX, intentsOf, isWithin, LIVE_MS, liveSession } from './observe.ts';

/** Everyone who is at work, and on what. */
export interface Roster {
  readonly agents: readonly LiveAgent[];
  readonly intents: readonly LiveIntents[];
}

function bytesOf(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

async function readAll<T>(
  store: ObjectStore,
  prefix: string,
  schema: z.ZodType<T>,
  troubles: Trouble[],
): Promise<T[]> {
  const values: T[] = [];
  for await (const key of store.list(prefix)) {
    const note = (error: unknown) => troubles.push(troubleOf(key, error));
    const bytes = await getOrNote(store, key, LIMIT.live_bytes_max, note);
    // Another host's file that says something else says nothing about it.
    const value = bytes === undefined ? undefined : schema.safeParse(jsonIn(bytes)).data;
    if (value !== undefined) values.push(value);
  }
  return values;
}

/** What one agent of this host is at. */
export interface AtWork {
  readonly agent: string;
  readonly runtime: string;
  readonly sessions: LiveSession[];
  readonly intents: LiveIntent[];
}

/** The lines of the part that was cut last, and of those whose edits and announcements may still be warned of. */
function sentLines(spool: Spool, session: SpoolSession, now: number): SpoolLine[] {
  const sent = session.files.filter((file) => file.state === 'sent').sort((a, b) => a.n - b.n);
  const recent = sent.filter(
    (file, i) => i === sent.length - 1 || isWithin(INTENT_MS_MAX, file.writtenAt, now),
  );
  return recent.flatMap((file) => parseSpool(spool.read(session, file), session).lines);
}

/** Who is at work on this host, from what the spool and the manifests hold. */
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
  for (const { session: before, manifest, open, over } of drained) {
    const session = files.get(before.stem);
    if (over || !session) continue;
    const lines = [...sentLines(from.spool, session, from.now), ...open];
    const live = liveSession(lines, manifest, from.now);
    const envelope = lines.at(-1)?.envelope;
    const own = envelope && atWork.get(envelope.agent_id);
    if (!live || !own) continue;
    own.sessions.push(live);
    // What commands record has no folder of its own.
    const cwd = lines.findLast((line) => line.envelope.cwd !== undefined)?.envelope.cwd;
    const root = cwd === undefined ? undefined : from.checkout(cwd)?.root;
    for (const intent of intentsOf(lines, root, from.now)) own.intents.push(intent);
  }
  return [...atWork.values()];
}

/** What fits of a list whose reader refuses the whole of one that is too long: the newest, in their order. */
function newest<T>(
  items: readonly T[],
  schema: z.ZodType<T>,
  max: number,
  at: (item: T) => string,
) {
  const fit = items.filter((item) => schema.safeParse(item).success);
  const kept = new Set([...fit].sort((a, b) => toMs(at(b)) - toMs(at(a))).slice(0, max));
  return fit.filter((item) => kept.has(item));
}

/** Says what this host's agents are at. One key an agent, written by this host alone. */
export async function announce(
  store: ObjectStore,
  host: string,
  agents: readonly AtWork[],
  { now, position }: { readonly now: number; readonly position?: number },
): Promise<void> {
  const at = toInstant(now);
  for (const { agent, runtime, ...work } of agents) {
    const who = { version: 1, host, agent: truncateUtf8(agent, LIVE_MAX.agent) } as const;
    const live: LiveAgent = {
      ...who,
      runtime: truncateUtf8(runtime, LIVE_MAX.runtime),
      at,
      ...(position === undefined ? {} : { position }),
      sessions: newest(work.sessions, LiveSession, LIVE_MAX.sessions, (one) => one.last_at),
    };
    const intents: LiveIntents = {
      ...who,
      at,
      intents: newest(work.intents, LiveIntent, LIVE_MAX.intents, (one) => one.until),
    };
    await store.put(agentKey(host, agent), bytesOf(live));
    await store.put(intentKey(host, agent), bytesOf(intents));
  }
}

/** Reads what every host said, without what is over since, or lies too far ahead to be believed. What can't be read is noted. */
export async function readRoster(
  store: ObjectStore,
  now: number,
  troubles: Trouble[],
): Promise<Roster> {
  const agents = await readAll(store, PREFIX.agents, LiveAgent, troubles);
  const intents = await readAll(store, PREFIX.intents, LiveIntents, troubles);
  return {
    agents: agents.map((agent) => ({
      ...agent,
      sessions: agent.sessions.filter((one) => isWithin(LIVE_MS, toMs(one.last_at), now)),
    })),
    intents: intents.map((host) => ({
      ...host,
      intents: host.intents.filter((one) => isWithin(LIVE_MS, toMs(one.until) - LIVE_MS, now)),
    })),
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
    readonly position?: number;
  },
  troubles: Trouble[],
): Promise<Roster> {
  await announce(parts.store, parts.hostId, liveOf(drained, parts), parts);
  return readRoster(parts.store, parts.now, troubles);
}
