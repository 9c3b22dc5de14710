import { matchesGlob } from '../base/glob.ts';
import type { LocalFiles } from '../runtime/port.ts';
import { readProjectFile } from './project-file.ts';
import type { HookSettings } from './settings.ts';

/** Whether anything is captured here, and which paths are captured without their content. */
export interface Exclusion {
  readonly paused: boolean;
  readonly paths: readonly string[];
  /** What is wrong with a project's file, where that is why nothing is captured. */
  readonly fault?: string;
}

/**
 * Applies the user's settings, then the project's `credence.toml` at the top of the checkout and in the
 * working folder. A project that names another fleet is not captured: its events belong elsewhere.
 */
export function excluded(
  cwd: string | undefined,
  root: string | undefined,
  settings: HookSettings,
  files: LocalFiles,
): Exclusion {
  const inUserExclusion =
    cwd !== undefined && settings.exclude.some((glob) => matchesGlob(glob, cwd));
  if (settings.pause || inUserExclusion) return { paused: true, paths: [] };
  const paths: string[] = [];
  for (const folder of new Set([root, cwd])) {
    if (folder === undefined) continue;
    const path = `${folder}/credence.toml`;
    const text = files.read(path);
    // What is there and can't be read may hold a pause, so it counts as one.
    if (text === undefined && files.kind(path) !== undefined) {
      return { paused: true, paths: [], fault: `${path} cannot be read` };
    }
    if (text === undefined) continue;
    const project = readProjectFile(text);
    const elsewhere = project.fleetId !== undefined && project.fleetId !== settings.fleet_id;
    const wrong =
      project.fault ?? (elsewhere ? `this home has not joined ${project.fleetId}` : undefined);
    if (wrong !== undefined) return { paused: true, paths: [], fault: `${path}: ${wrong}` };
    if (project.pause) return { paused: true, paths: [] };
    paths.push(
      ...project.exclude.map((glob) => (glob.startsWith('/') ? glob : `${folder}/${glob}`)),
    );
  }
  return { paused: false, paths };
}
