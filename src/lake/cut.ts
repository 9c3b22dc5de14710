import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { dayOf, toMs } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import { ownWords } from '../capture/fence.ts';
import type { SpoolLine, Unnamed } from '../capture/spool.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { eventId } from './event-id.ts';
import { partKey, type SessionPlace } from './layout.ts';
import { type Manifest, toldByMany } from './manifest.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { Ordinals } from './ordinals.ts';
import { type PartCodec, sizeOf } from './part.ts';
import { putWithheld } from './withheld.ts';

/** How many line ids are kept to know copies by: more than any burst of hooks that a rename can overtake. */
const LINE_IDS_MAX = 2_000;
const ASKED_BYTES_MAX = 160;
const SHOWN_MAX = 200;

/** Gives a session's events their ids, counting the ordinals on, and merges those that are one event. */
export function nameEvents(lines: readonly Unnamed[], ordinals: Ordinals): Envelope[] {
  const envelopes = lines.map(({ envelope, native }): Envelope => {
    const ordinal = native.counted ? ordinals.next(native.key) : 0;
    return { ...envelope, event_id: eventId(envelope, native, ordinal) };
  });
  return mergeEvents(envelopes);
}

/** The folder in which a part that begins with this event lies. */
function placeOf(first: Envelope): SessionPlace {
  const { emitted_at, runtime, agent_id, host_id, session_id } = first;
  return { date: dayOf(emitted_at), runtime, agent: agent_id, host: host_id, session: session_id };
}

/**
 * Encodes envelopes as the session's next parts, of the usual size, and puts those that the manifest does not have
 * already. The same envelopes after the same manifest give the same objects under the same keys, so that a
 * repeat is harmless. `lines` are what they were made of: what was withheld from them is put beside, for review.
 */
export async function putParts(
  envelopes: readonly Envelope[],
  manifest: Manifest,
  to: { readonly store: ObjectStore; readonly codec: PartCodec },
  lines: readonly Unnamed[] = [],
): Promise<Manifest> {
  let after = manifest;
  for (const [i, slice] of slices(envelopes).entries()) {
    after = await putPart(slice, after, to, i === 0 ? lines : []);
  }
  return after;
}

/** Runs of envelopes that fit one part each, which its key says the host of. */
function slices(envelopes: readonly Envelope[]): Envelope[][] {
  const all: Envelope[][] = [];
  let bytes = 0;
  for (const envelope of envelopes) {
    if (bytes >= LIMIT.part_bytes_max || all.at(-1)?.[0]?.host_id !== envelope.host_id) {
      all.push([]);
      bytes = 0;
    }
    all.at(-1)?.push(envelope);
    bytes += sizeOf(envelope);
  }
  return all;
}

async function putPart(
  envelopes: readonly Envelope[],
  manifest: Manifest,
  to: { readonly store: ObjectStore; readonly codec: PartCodec },
  lines: readonly Unnamed[],
): Promise<Manifest> {
  const [first] = envelopes;
  if (!first) return manifest;
  const encoded = to.codec.encode(envelopes);
  const hash = sha256Hex(encoded);
  if (manifest.parts.some((known) => known.hash === hash)) return manifest;
  const key = partKey(placeOf(first), manifest.parts.length + 1, hash);
  await to.store.put(key, encoded);
  await putWithheld(to.store, first, hash, lines);
  const bytes = envelopes.reduce((sum, envelope) => sum + sizeOf(envelope), 0);
  const part = { key, hash, first_at: first.emitted_at, events: envelopes.length, bytes };
  return { ...manifest, parts: [...manifest.parts, part] };
}

/** A manifest that begins with a session's first event. */
export function newManifest(envelope: Omit<Envelope, 'event_id'>): Manifest {
  const { runtime, session_id, parent_session_id, agent_id, repo, cwd } = envelope;
  return {
    version: 1,
    runtime,
    session: session_id,
    ...(parent_session_id === undefined ? {} : { parent: parent_session_id }),
    agent: agent_id,
    ...(repo === undefined ? {} : { repo }),
    ...(cwd === undefined ? {} : { cwd }),
    parts: [],
    drained: 0,
    last_at: 0,
    ended: false,
    imported: envelope.imported === true,
    ordinals: {},
    line_ids: [],
    revision: 0,
    sealed_parts: 0,
    torn: 0,
    unrecognised: 0,
  };
}

/** Whether the session stands after these events, and since when. */
export function withLatest(manifest: Manifest, envelopes: readonly Envelope[]): Manifest {
  let { last_at, ended } = manifest;
  for (const envelope of envelopes) {
    const at = toMs(envelope.emitted_at);
    if (at < last_at) continue;
    last_at = at;
    ended = envelope.event_type === 'session_end';
  }
  const repo = manifest.repo ?? envelopes.find((envelope) => envelope.repo !== undefined)?.repo;
  const cwd = manifest.cwd ?? envelopes.find((envelope) => envelope.cwd !== undefined)?.cwd;
  return {
    ...manifest,
    last_at,
    ended,
    ...(repo === undefined ? {} : { repo }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** What a session was asked last, and what was put before it, each once and the latest last: before these lines, and in them. */
export function latestOf(
  lines: readonly SpoolLine[],
  before: Pick<Manifest, 'asked' | 'shown'> = {},
): Pick<Manifest, 'asked' | 'shown'> {
  const prompt = lines.findLast(({ envelope }) => envelope.event_type === 'prompt');
  const asked = ownWords(prompt?.envelope.content ?? '', ASKED_BYTES_MAX);
  const shown = new Set(before.shown);
  for (const { kind, id } of lines.flatMap((line) => line.envelope.injected_context ?? [])) {
    shown.delete(`${kind}:${id}`);
    shown.add(`${kind}:${id}`);
  }
  return defined({
    asked: asked === '' ? before.asked : asked,
    shown: shown.size > 0 ? [...shown].slice(-SHOWN_MAX) : undefined,
  });
}

/**
 * What one frozen spool file adds to its session. Its bytes and the manifest before it determine the part to
 * the byte, so that a file which is sent again is the same object.
 */
export function cutSpool(
  lines: readonly SpoolLine[],
  torn: number,
  before: Manifest | undefined,
):
  | {
      readonly envelopes: readonly Envelope[];
      readonly manifest: Manifest;
      readonly fresh: readonly SpoolLine[];
    }
  | undefined {
  const known = new Set(before?.line_ids);
  const fresh = lines.filter((line) => !known.has(line.line_id));
  const [first] = fresh;
  const manifest = before ?? (first && newManifest(first.envelope));
  if (!manifest) return undefined;
  const ordinals = new Ordinals(manifest);
  const envelopes = nameEvents(fresh, ordinals);
  const transcript =
    manifest.transcript ?? fresh.find((line) => line.transcript !== undefined)?.transcript;
  const next = withLatest(toldByMany(manifest), envelopes);
  return {
    envelopes,
    fresh,
    manifest: {
      ...next,
      ...latestOf(fresh, manifest),
      ...(transcript === undefined ? {} : { transcript }),
      imported: false,
      ...ordinals.saved(),
      line_ids: [...manifest.line_ids, ...fresh.map((line) => line.line_id)].slice(-LINE_IDS_MAX),
      torn: manifest.torn + torn,
      unrecognised: manifest.unrecognised + fresh.filter((line) => !line.recognised).length,
    },
  };
}
