import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { transcriptSource } from '../runtime/claude-code/history.ts';
import { claudeTranscript } from '../runtime/claude-code/transcript.ts';
import type { History, HistoryFile } from '../runtime/history.ts';
import { folderOf } from './folders.ts';

/** `CLAUDE_CONFIG_DIR`, else `~/.claude`. Throws `home.relative`. */
export function claudeFolder(env: Readonly<Record<string, string | undefined>>): string {
  return folderOf(env, 'CLAUDE_CONFIG_DIR', () => join(homedir(), '.claude'));
}

/** The file in which Claude Code keeps the servers of the user's scope: beside `~/.claude`, or in `CLAUDE_CONFIG_DIR`. */
export function claudeFile(env: Readonly<Record<string, string | undefined>>): string {
  const folder = env['CLAUDE_CONFIG_DIR'] ? claudeFolder(env) : homedir();
  return join(folder, '.claude.json');
}

function entries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // A folder that cannot be listed holds no history that could be imported; doctor says that it is there.
    return [];
  }
}

/** Files below a folder, at most `depth` levels down; links are not followed. */
function* filesBelow(folder: string, depth: number): Generator<string> {
  for (const entry of entries(folder)) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && depth > 0) yield* filesBelow(path, depth - 1);
  }
}

/** The agent history of this machine: today Claude Code's transcripts. */
export function openHistory(env: Readonly<Record<string, string | undefined>>): History {
  const projects = join(claudeFolder(env), 'projects');
  const fileAt = (path: string): HistoryFile | undefined => {
    const source = transcriptSource(relative(projects, path));
    const stat = source && statSync(path, { throwIfNoEntry: false });
    if (!source || !stat?.isFile()) return undefined;
    return {
      runtime: 'claude-code',
      path,
      source,
      size: stat.size,
      modifiedAt: stat.mtimeMs,
      open: (saved) => claudeTranscript(source, saved),
    };
  };
  return {
    folder: projects,
    *files() {
      for (const path of filesBelow(projects, 3)) {
        const file = fileAt(path);
        if (file) yield file;
      }
    },
    locate(runtime, path) {
      if (runtime !== 'claude-code') return undefined;
      try {
        // Where the path leads, not what it says: a link or `..` must not lead out of the runtime's own folder.
        const real = realpathSync(path);
        const inside = relative(realpathSync(projects), real);
        return inside.startsWith('..') ? undefined : fileAt(join(projects, inside));
      } catch {
        return undefined;
      }
    },
  };
}
