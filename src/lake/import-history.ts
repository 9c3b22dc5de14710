import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { Circumstance } from '../capture/envelope.ts';
import type { Event } from '../runtime/envelope.ts';
import type { History, HistoryFile } from '../runtime/history.ts';
import { type Imported, type ImportParts, importTranscript } from './import.ts';
import { isUnsealed } from './manifest.ts';
import { reconcileSession } from './reconcile-session.ts';

/** What importing history works with. */
export interface HistoryParts extends Omit<ImportParts, 'circumstance' | 'progress'> {
  readonly history: History;
  readonly now: number;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
}

/** A file that was written this lately may end in half a line. */
const SETTLED_MS = 60_000;

/** Imports transcripts one after another. Sessions that hooks captured are compared with theirs instead. */
export async function importHistory(
  files: Iterable<HistoryFile>,
  parts: HistoryParts,
  progress: (file: HistoryFile, bytes: number) => void,
): Promise<{ readonly imported: readonly Imported[]; readonly troubles: readonly Trouble[] }> {
  const imported: Imported[] = [];
  const troubles: Trouble[] = [];
  for (const file of files) {
    try {
      imported.push(await importFile(file, parts, (bytes) => progress(file, bytes)));
    } catch (error) {
      noteTrouble(troubles, file.path, error);
    }
  }
  return { imported, troubles };
}

async function importFile(
  file: HistoryFile,
  parts: HistoryParts,
  progress: (bytes: number) => void,
): Promise<Imported> {
  const { spool, stemOf } = parts;
  const stem = stemOf(file.source.session);
  const manifest = spool.manifest(file.runtime, stem);
  if (!manifest || manifest.imported) {
    // A time far ahead says only that some clock was wrong.
    const isSettled = Math.abs(parts.now - file.modifiedAt) >= SETTLED_MS;
    const circumstance = (event: Event) => parts.circumstance(event, 'imported');
    return importTranscript(file, isSettled, { ...parts, circumstance, progress });
  }
  const circumstance = (event: Event) => parts.circumstance(event, 'reconciled');
  const { manifest: after, tally } = await reconcileSession(
    { ...manifest, transcript: file.path },
    { ...parts, circumstance },
  );
  if (isUnsealed(after)) spool.writeManifest(stem, after);
  return { path: file.path, tally, isNew: after.parts.length > manifest.parts.length };
}
