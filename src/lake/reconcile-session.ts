import { type Circumstance, spooled } from '../capture/envelope.ts';
import type { Unnamed } from '../capture/spool.ts';
import type { Envelope, Event } from '../runtime/envelope.ts';
import type { History } from '../runtime/history.ts';
import { nameEvents, putParts } from './cut.ts';
import { emptyTally, type Tally } from './import.ts';
import type { Manifest } from './manifest.ts';
import { mergeEvents } from './merge.ts';
import type { ObjectStore } from './objects.ts';
import { type PartCodec, readPart } from './part.ts';
import type { LineReader } from './port.ts';
import { type Reconciliation, reconcile } from './reconcile.ts';

/** What reconciling reads from and writes to. */
export interface ReconcileParts {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly lines: LineReader;
  readonly history: History;
  readonly circumstance: (event: Event) => Circumstance;
  /** True for what must not be captured: a folder that is excluded, a time of pause. */
  readonly isExcluded?: (event: Event) => boolean;
}

/** What a transcript tells: the lines with their event ids, and the events that they make. */
interface Told {
  readonly events: readonly Envelope[];
  readonly lines: readonly Unnamed[];
  readonly ids: readonly string[];
}

/** The session's events as its transcript tells them, named as capture names them. */
function transcriptEvents(
  path: string,
  manifest: Manifest,
  tally: Tally,
  parts: ReconcileParts,
): Told | undefined {
  const file = parts.history.locate(manifest.runtime, path);
  if (!file) return undefined;
  const reader = file.open();
  const own: Unnamed[] = [];
  for (const group of parts.lines.lines(file.path, 0)) {
    for (const { text } of group) {
      tally.lines += 1;
      const outcome = text === undefined ? undefined : reader.line(text);
      if (!outcome || outcome.kind === 'skipped') {
        const reason = outcome?.reason ?? 'too_long';
        tally.skipped[reason] = (tally.skipped[reason] ?? 0) + 1;
        continue;
      }
      tally[outcome.kind] += 1;
      const events = outcome.events.filter(
        (event) => event.session_id === manifest.session && parts.isExcluded?.(event) !== true,
      );
      own.push(...events.map((event) => spooled(event, parts.circumstance(event))));
    }
  }
  const { envelopes, ids } = nameEvents(own, new Map());
  return { events: envelopes, lines: own, ids };
}

/**
 * Compares a captured session with the runtime's own transcript, just before it is sealed, and adds what hooks
 * missed as one more part. Without a transcript the session keeps what it has, and has no coverage figure.
 */
export async function reconcileSession(
  manifest: Manifest,
  parts: ReconcileParts,
): Promise<{
  readonly manifest: Manifest;
  readonly tally: Tally;
  readonly coverage?: Reconciliation['coverage'];
}> {
  const tally = emptyTally();
  const told =
    manifest.transcript === undefined
      ? undefined
      : transcriptEvents(manifest.transcript, manifest, tally, parts);
  if (!told) return { manifest, tally };
  const captured: Envelope[] = [];
  for (const part of manifest.parts) {
    captured.push(...(await readPart(parts.store, parts.codec, part.key)));
  }
  const { added, coverage } = reconcile(mergeEvents(captured), told.events);
  const known = new Set(captured.map((event) => event.event_id));
  const missed = told.lines.filter((_line, i) => !known.has(told.ids[i] ?? ''));
  return { manifest: await putParts(added, manifest, parts, missed), tally, coverage };
}
