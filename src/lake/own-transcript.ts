import { isOwnPrompt } from '../capture/own.ts';
import type { HistoryFile } from '../runtime/history.ts';
import type { LineReader } from './port.ts';

/** A first prompt stands behind a few lines of settings. */
const LINES_MAX = 200;

/** The first prompt of a transcript; undefined where its beginning has none. */
function firstPrompt(file: HistoryFile, lines: LineReader): string | undefined {
  const reader = file.open();
  let read = 0;
  for (const group of lines.lines(file.path, 0))
    for (const { text } of group) {
      read += 1;
      if (read > LINES_MAX) return undefined;
      const outcome = text === undefined ? undefined : reader.line(text);
      if (outcome === undefined || outcome.kind === 'skipped') continue;
      for (const { event_type, content } of outcome.events)
        if (event_type === 'prompt' && content !== undefined) return content;
    }
  return undefined;
}

/**
 * The sessions that an extractor of ours started, by their transcripts: to import them would be to extract what was extracted. Files that
 * were imported before are none; a file that can't be read is said when its own turn comes.
 */
export function ownSessions(
  files: readonly HistoryFile[],
  { lines, isKnown }: { readonly lines: LineReader; readonly isKnown: (path: string) => boolean },
): ReadonlySet<string> {
  const isOwn = (file: HistoryFile) => {
    if (file.source.parent !== undefined || isKnown(file.path)) return false;
    try {
      const prompt = firstPrompt(file, lines);
      return prompt !== undefined && isOwnPrompt(prompt);
    } catch {
      return false;
    }
  };
  return new Set(files.filter(isOwn).map(({ source }) => source.session));
}
