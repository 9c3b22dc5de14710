import { LIMIT } from '../base/limits.ts';
import { toInstant, toMs } from '../base/time.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { cutSpool, putParts } from './cut.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import type { PartCodec } from './part.ts';
import type { FileLine, Odd, Spool, SpoolFile, SpoolSession } from './port.ts';
import { parseSpool } from './read-spool.ts';
import { relaxing } from './relaxing.ts';

/** What is read of a file at a time: a file that waited for long can be larger than memory. */
const BATCH_BYTES = 2 * LIMIT.part_bytes_max;

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
  /** True: what is open is sent, due or not. */
  readonly everything?: boolean;
  /** Called now and then while a large file is read. */
  readonly relax?: () => void;
  readonly batchBytes?: number;
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

/**
 * Sends one frozen file: parts, then what was odd in it, then manifest, then the file's new name. Any of them can be the last
 * thing that happened. A file that adds nothing to any session goes at once.
 */
async function send(
  session: SpoolSession,
  file: SpoolFile,
  before: Manifest | undefined,
  parts: DrainParts,
): Promise<Manifest | undefined> {
  const { spool, now } = parts;
  if (before && file.n <= before.drained) {
    spool.markSent(session, file);
    return before;
  }
  const { manifest, odd } = await putLines(session, file, before, parts);
  // Counted before anything says that the file is done with: afterwards it is not read again.
  if (odd.torn + odd.unrecognised > 0) spool.count(session, file, odd, toInstant(now));
  if (!manifest) {
    spool.remove(session, file);
    return undefined;
  }
  const sent = { ...manifest, drained: file.n };
  spool.writeManifest(session.stem, sent);
  spool.markSent(session, file);
  return sent;
}

/** Puts what a file adds to its session, batch by batch. Resolves with the manifest after the last one: until it is written, all of them are put again. */
async function putLines(
  session: SpoolSession,
  file: SpoolFile,
  before: Manifest | undefined,
  parts: DrainParts,
): Promise<{ readonly manifest: Manifest | undefined; readonly odd: Odd }> {
  const { spool, batchBytes = BATCH_BYTES } = parts;
  let manifest = before;
  let [torn, unrecognised, waiting] = [0, 0, 0];
  const groups = relaxing(spool.lines(session, file), parts.relax ?? (() => {}));
  for (const batch of batches(groups, batchBytes)) {
    const read = parseSpool(batch, session);
    const id = read.lines[0]?.envelope.session_id;
    manifest ??= id === undefined ? undefined : await parts.recover?.(id);
    torn += read.torn;
    // What was torn before the first line that says whose it is.
    waiting += read.torn;
    const cut = cutSpool(read.lines, waiting, manifest);
    if (!cut) continue;
    waiting = 0;
    unrecognised += cut.fresh.filter((line) => !line.recognised).length;
    manifest = await putParts(cut.envelopes, cut.manifest, parts, cut.fresh);
  }
  return { manifest, odd: { torn, unrecognised } };
}

/** The texts of lines, in runs of about so many bytes. */
function* batches(
  groups: Iterable<readonly FileLine[]>,
  bytesMax: number,
): Generator<readonly FileLine['text'][]> {
  let batch: FileLine['text'][] = [];
  let bytes = 0;
  for (const group of groups) {
    for (const line of group) {
      batch.push(line.text);
      bytes += line.bytes;
      if (bytes < bytesMax) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

function isDue(lines: readonly SpoolLine[], over: boolean, now: number): boolean {
  const [first] = lines;
  return (
    over || (first !== undefined && now - toMs(first.envelope.emitted_at) >= LIMIT.part_age_ms_max)
  );
}

/**
 * Sends every frozen file of a session again, then freezes and sends the open one where a part is due: at the
 * session's end, at 8 MB, or after 15 minutes.
 */
export async function drain(session: SpoolSession, parts: DrainParts): Promise<Drained> {
  const { spool, now } = parts;
  let manifest = spool.manifest(session.runtime, session.stem);
  const frozen = session.files
    .filter((file) => file.state === 'draining' || (!manifest && file.state === 'sent'))
    .sort((a, b) => a.n - b.n);
  for (const file of frozen) manifest = await send(session, file, manifest, parts);
  const file = session.files.find((candidate) => candidate.state === 'open');
  const n = 1 + Math.max(manifest?.drained ?? 0, ...session.files.map((known) => known.n));
  if (file && file.bytes >= LIMIT.part_bytes_max) {
    // Due whatever it holds, so that it need not be read twice.
    manifest = await send(session, spool.freeze(session, file, n), manifest, parts);
    const over = isOver([], manifest, parts);
    return { id: manifest?.session, session, manifest, open: [], over };
  }
  const lines = file ? linesOf(spool, session, file) : [];
  const over = isOver(lines, manifest, parts);
  const id = manifest?.session ?? lines[0]?.envelope.session_id;
  const due = parts.everything || isDue(lines, over, now);
  if (!file || !due) return { id, session, manifest, open: lines, over };
  manifest = await send(session, spool.freeze(session, file, n), manifest, parts);
  return { id, session, manifest, open: [], over };
}

/** The lines of a file that is small enough to be held. */
function linesOf(spool: Spool, session: SpoolSession, file: SpoolFile): readonly SpoolLine[] {
  const texts = [...spool.lines(session, file)].flatMap((group) => group.map(({ text }) => text));
  return parseSpool(texts, session).lines;
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
