import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { HistoryFile } from '../runtime/history.ts';
import { compareTranscript } from './compare.ts';
import { type Imported, type ImportParts, importTranscript } from './import.ts';
import { isUnsealed, type Manifest } from './manifest.ts';
import { ownSessions } from './own-transcript.ts';

/** What importing history works with. */
export interface HistoryParts extends Omit<ImportParts, 'progress'> {
  readonly now: number;
}

/** A file that was written this lately may end in half a line. */
const SETTLED_MS = 60_000;

/**
 * Imports transcripts one after another. Sessions that hooks captured are compared with theirs instead; those of our own extractors, with their
 * subagents, are left out.
 */
export async function importHistory(
  files: Iterable<HistoryFile>,
  parts: HistoryParts,
  progress: (file: HistoryFile, bytes: number) => void,
): Promise<{ readonly imported: readonly Imported[]; readonly troubles: readonly Trouble[] }> {
  const imported: Imported[] = [];
  const troubles: Trouble[] = [];
  const all = [...files];
  const isKnown = (path: string) => parts.cursor(path) !== undefined;
  const own = ownSessions(all, { lines: parts.lines, isKnown });
  for (const file of all) {
    const { session, parent } = file.source;
    if (own.has(session) || (parent !== undefined && own.has(parent))) continue;
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
  const manifest = parts.spool.manifest(file.runtime, parts.stemOf(file.source.session));
  if (manifest?.imported === false) return importCaptured(file, manifest, { ...parts, progress });
  // A time far ahead says only that some clock was wrong.
  const isSettled = Math.abs(parts.now - file.modifiedAt) >= SETTLED_MS;
  return importTranscript(file, isSettled, { ...parts, progress });
}

/** Compares a captured session with its transcript, and so every other session that the file holds lines of. */
async function importCaptured(
  file: HistoryFile,
  captured: Manifest,
  parts: HistoryParts & { readonly progress: (bytes: number) => void },
): Promise<Imported> {
  const { spool, stemOf, recover } = parts;
  const manifestOf = async (session: string) =>
    session === captured.session
      ? { ...captured, transcript: file.path }
      : (spool.manifest(file.runtime, stemOf(session)) ?? (await recover?.(session)));
  const { tally, sessions } = await compareTranscript(file, captured.session, manifestOf, parts);
  for (const { before, after } of sessions) {
    const isChanged = after !== before || (after !== undefined && isUnsealed(after));
    if (after && isChanged) spool.writeManifest(stemOf(after.session), after);
  }
  const isNew = sessions.some(
    ({ before, after }) => (after?.parts.length ?? 0) > (before?.parts.length ?? 0),
  );
  return { path: file.path, tally, isNew };
}
