import { CredenceError } from '../base/errors.ts';
import { promptKey } from '../capture/envelope.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { newManifest, withLatest } from './cut.ts';
import { IdTable } from './id-table.ts';
import { parsePartKey, sessionFolder } from './layout.ts';
import type { Manifest } from './manifest.ts';
import type { ObjectStore } from './objects.ts';
import { Ordinals } from './ordinals.ts';
import { type PartCodec, readPart, sizeOf } from './part.ts';
import { relaxer } from './relaxing.ts';

/** A revision of this host's that the ledger has. */
export interface SealedRevision {
  readonly revision: number;
  readonly parts: readonly { readonly key: string; readonly hash: string }[];
}

/** The native key that an event without an id of its own was counted under; undefined for the others. */
function countedKey({ event_type, detail, content }: Envelope): string | undefined {
  switch (event_type) {
    case 'prompt':
      return promptKey(content ?? '');
    case 'session_start':
      return `start:${detail ?? ''}`;
    case 'session_end':
      return `end:${detail ?? ''}`;
    case 'compact':
      return `compact:${detail ?? ''}`;
    case 'turn_end':
      return 'turn_end';
    case 'other':
      return `other:${detail ?? ''}`;
    case 'assistant':
    case 'tool_call':
      return undefined;
  }
}

/**
 * Refuses a part whose events are not all of the session and host that its key names, or do not begin under the agent
 * and runtime that it names: whoever reaches the store can put a part there that says it is another's.
 */
function assertOwn(key: string, events: readonly Envelope[]): void {
  const [first] = events;
  const part = parsePartKey(key);
  if (!first) return;
  const { session_id: session, host_id: host, agent_id: agent, runtime } = first;
  const isOne = events.every((event) => event.session_id === session && event.host_id === host);
  // As folders, since a key holds a long name in a shortened form.
  const named = part && sessionFolder({ date: part.date, runtime, agent, host, session });
  if (isOne && part && part.folder === named) return;
  throw new CredenceError(
    'incorrect',
    'lake.part_foreign',
    `part ${key} holds events of another session, host, agent or runtime than its key names`,
    {
      data: { key },
      next: 'find out who put it there; the session is left unsealed while the part is in the store',
    },
  );
}

/**
 * A manifest that was lost, made again from the newest revision that the ledger has of the session: otherwise the
 * next revision would leave its older parts out, and count its events from the beginning. Throws `lake.part_foreign`.
 */
export async function recoverManifest(
  sealed: SealedRevision,
  from: {
    readonly store: ObjectStore;
    readonly codec: PartCodec;
    /** Called between parts. */
    readonly relax: () => void;
  },
): Promise<Manifest | undefined> {
  let manifest: Manifest | undefined;
  let imported = true;
  const rest = relaxer(from.relax);
  const ids = new IdTable();
  const ordinals = new Ordinals();
  for (const { key, hash } of sealed.parts) {
    const events = await readPart(from.store, from.codec, { key, hash });
    assertOwn(key, events);
    const [first] = events;
    if (!first) continue;
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    const part = { key, hash, first_at: first.emitted_at, events: events.length, bytes };
    const before: Manifest = manifest ?? newManifest(first);
    manifest = withLatest({ ...before, parts: [...before.parts, part] }, events);
    imported &&= events.every((event) => event.imported || event.reconciled);
    for (const event of events) countOnce(event, ids, ordinals);
    rest(bytes);
  }
  if (!manifest) return undefined;
  const sealed_parts = manifest.parts.length;
  return { ...manifest, ...ordinals.saved(), imported, revision: sealed.revision, sealed_parts };
}

/** Counts an event without an id of its own, whoever told of it: the next one must not be given its ordinal. */
function countOnce(event: Envelope, ids: IdTable, ordinals: Ordinals): void {
  const key = countedKey(event);
  // A copy that lacks what the key is made of comes after the one that it completes.
  if (key === undefined || ids.numberOf(event.event_id) !== undefined) return;
  ids.add(event.event_id);
  ordinals.next(key);
}
