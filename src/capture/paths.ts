import { sha256Hex } from '../base/hash.ts';
import { encodePathPart } from '../base/path-part.ts';

/** Where a session's events are appended, relative to the product's folder. */
export function spoolPath(runtime: string, session: string): string {
  return `spool/${encodePathPart(runtime)}/${encodePathPart(session)}.ndjson`;
}

/** Where all briefings are rendered to. */
export const BRIEF_PATH = 'brief';

/** Where the briefing of an agent in a repo is rendered to. */
export function briefPath(agent: string, repo: string): string {
  return `${BRIEF_PATH}/${encodePathPart(agent)}/${encodePathPart(repo)}.json`;
}

/** Where the roster's intents are rendered to. */
export const LIVE_PATH = 'live.json';

/** Who is at work in the whole fleet, as the last sync read it. */
export const ROSTER_PATH = 'roster.json';

/** The last folder in which a `credence.toml` that can't be followed kept a hook from capturing. */
export const FAULT_PATH = 'run/project-fault.json';

/** When capture was paused and resumed for all. No runtime's folder has this name. */
export const ALL_PAUSED_PATH = 'paused/all.log';

/** When a session was paused and resumed. */
export function pausedPath(runtime: string, session: string): string {
  return `paused/${encodePathPart(runtime)}/${encodePathPart(session)}.log`;
}

/**
 * Where a hook says that it could not keep an event, the first that takes it: in the home, or relative to the system's
 * folder for temporary files. A user has one of the latter for each home, and one for hooks that find no home.
 */
export function droppedPaths(home: string | undefined, user: number): readonly string[] {
  if (home === undefined) return [`credence-dropped-${user}.ndjson`];
  const name = sha256Hex(home).slice(0, 12);
  return [`${home}/spool/dropped.ndjson`, `credence-dropped-${user}-${name}.ndjson`];
}

/** There once a session was nudged for a handoff. */
export function nudgedPath(session: string): string {
  return `run/${encodePathPart(session)}.nudged`;
}

/** Which session a runtime's process runs. */
export function processPath(runtime: string, pid: number): string {
  return `run/${encodePathPart(runtime)}/${pid}.json`;
}
