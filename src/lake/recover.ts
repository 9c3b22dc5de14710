import { toMs } from '../base/time.ts';
import { promptKey } from '../capture/envelope.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { newManifest, sizeOf, withLatest } from './cut.ts';
import type { Manifest } from './manifest.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { type PartCodec, readPart } from './part.ts';

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
 * A manifest that was lost, made again from the newest revision that the ledger has of the session: otherwise the
 * next revision would leave its older parts out, and count its events from the beginning.
 */
export async function recoverManifest(
  sealed: SealedRevision,
  from: { readonly store: ObjectStore; readonly codec: PartCodec },
): Promise<Manifest | undefined> {
  let manifest: Manifest | undefined;
  const captured: Envelope[] = [];
  for (const { key, hash } of sealed.parts) {
    const events = await readPart(from.store, from.codec, key);
    const [first] = events;
    if (!first) continue;
    const bytes = events.reduce((sum, event) => sum + sizeOf(event), 0);
    const part = { key, hash, first_at: first.emitted_at, events: events.length, bytes };
    const before: Manifest = manifest ?? newManifest(first);
    manifest = withLatest({ ...before, parts: [...before.parts, part] }, events);
    captured.push(...events.filter((event) => !event.imported && !event.reconciled));
  }
  if (!manifest) return undefined;
  const ordinals: Record<string, number> = {};
  for (const event of mergeEvents(captured).sort(
    (a, b) => toMs(a.emitted_at) - toMs(b.emitted_at),
  )) {
    const key = countedKey(event);
    if (key !== undefined) ordinals[key] = (ordinals[key] ?? 0) + 1;
  }
  const sealed_parts = manifest.parts.length;
  return {
    ...manifest,
    ordinals,
    imported: captured.length === 0,
    revision: sealed.revision,
    sealed_parts,
  };
}
