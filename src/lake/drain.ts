import { LIMIT } from '../base/limits.ts';
import { toMs } from '../base/time.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import { parseSpool, type SpoolLine } from '../capture/spool.ts';
import { cutSpool, putParts } from './cut.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import type { PartCodec } from './part.ts';
import type { Spool, SpoolFile, SpoolSession } from './port.ts';

/** What draining works with. */
export interface DrainParts {
  readonly spool: Spool;
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly now: number;
  /** Silence after which a session is over, in milliseconds. */
  readonly idleMs: number;
  /** The manifest of a session that the ledger knows and this machine has forgotten. */
  readonly recover?: (session: string) => Promise<Manifest | undefined>;
  /** True for a session whose end was captured: its subagents are over with it. */
  readonly isOver?: (session: string) => boolean;
}

/** A session after its spool was drained as far as it is due. `open` holds the lines that are not. */
export interface Drained {
  /** Undefined where no line of it could be read. */
  readonly id: string | undefined;
  readonly session: SpoolSession;
  readonly manifest: Manifest | undefined;
  readonly open: readonly SpoolLine[];
  /** True where nothing more is to be expected: its end was captured, or it has been silent long enough. */
  readonly over: boolean;
}

/** Sends one frozen file: part, then manifest, then the file's new name. Any of the three can be the last thing that happened. */
async function send(
  session: SpoolSession,
  file: SpoolFile,
  before: Manifest | undefined,
  parts: DrainParts,
): Promise<Manifest | undefined> {
  if (before && file.n <= before.drained) {
    parts.spool.markSent(session, file);
    return before;
  }
  const { lines, torn } = parseSpool(parts.spool.read(session, file));
  const id = lines[0]?.envelope.session_id;
  const known = before ?? (id === undefined ? undefined : await parts.recover?.(id));
  const cut = cutSpool(lines, torn, known);
  let manifest = before;
  if (cut) {
    manifest = {
      ...(await putParts(cut.envelopes, cut.manifest, parts, cut.fresh)),
      drained: file.n,
    };
    parts.spool.writeManifest(session.stem, manifest);
  }
  parts.spool.markSent(session, file);
  return manifest;
}

function isDue(file: SpoolFile, lines: readonly SpoolLine[], over: boolean, now: number): boolean {
  const [first] = lines;
  if (!first) return over;
  const age = now - toMs(first.envelope.emitted_at);
  return over || file.bytes >= LIMIT.part_bytes_max || age >= LIMIT.part_age_ms_max;
}

/**
 * Sends every frozen file of a session again, then freezes and sends the open one where a part is due: at the
 * session's end, at 8 MB, or after 15 minutes.
 */
export async function drain(session: SpoolSession, parts: DrainParts): Promise<Drained> {
  let manifest = parts.spool.manifest(session.runtime, session.stem);
  const frozen = session.files
    .filter((file) => file.state === 'draining' || (!manifest && file.state === 'sent'))
    .sort((a, b) => a.n - b.n);
  for (const file of frozen) manifest = await send(session, file, manifest, parts);
  const file = session.files.find((candidate) => candidate.state === 'open');
  const { lines } = file ? parseSpool(parts.spool.read(session, file)) : { lines: [] };
  const over = isOver(lines, manifest, parts);
  const id = manifest?.session ?? lines[0]?.envelope.session_id;
  if (!file || !isDue(file, lines, over, parts.now))
    return { id, session, manifest, open: lines, over };
  const n = 1 + Math.max(manifest?.drained ?? 0, ...session.files.map((known) => known.n));
  manifest = await send(session, parts.spool.freeze(session, file, n), manifest, parts);
  return { id, session, manifest, open: [], over };
}

/** Ended, or silent for long enough. A last event that far in the future says only that some clock was wrong, so it counts as silence too. */
function isOver(
  open: readonly SpoolLine[],
  manifest: Manifest | undefined,
  { now, idleMs, isOver: isParentOver }: DrainParts,
): boolean {
  const latest = open.at(-1)?.envelope;
  const parent = latest?.parent_session_id ?? manifest?.parent;
  if (parent !== undefined && isParentOver?.(parent)) return true;
  if (latest ? latest.event_type === 'session_end' : manifest?.ended === true) return true;
  const lastAt = latest ? toMs(latest.emitted_at) : (manifest?.last_at ?? 0);
  return Math.abs(now - lastAt) >= idleMs;
}

/** Drains every session that the spool holds; parents before their subagents, which end with them. */
export async function drainAll(parts: DrainParts, troubles: Trouble[]): Promise<Drained[]> {
  const drained: Drained[] = [];
  const over = new Set<string>();
  const sessions = parts.spool.sessions().sort((a, b) => a.stem.length - b.stem.length);
  for (const session of sessions) {
    try {
      const one = await drain(session, { ...parts, isOver: (id) => over.has(id) });
      if (one.over && one.id !== undefined) over.add(one.id);
      drained.push(one);
    } catch (error) {
      noteTrouble(troubles, session.stem, error);
    }
  }
  return drained;
}
