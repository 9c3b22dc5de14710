import { matchesGlob } from '../base/glob.ts';
import { objectOf, textOf, type UnknownObject } from '../base/unknown.ts';
import type { HookFiles } from './port.ts';
import { readProjectFile } from './project-file.ts';
import type { HookSettings } from './settings.ts';

/** Whether anything is captured here, and which paths are captured without their content. */
export interface Exclusion {
  readonly paused: boolean;
  readonly paths: readonly string[];
  /** What is wrong with a project's file, where that is why nothing is captured. */
  readonly fault?: string;
}

/** What the user settled for all projects, as far as it says whether anything is captured. */
type Rules = Pick<HookSettings, 'pause' | 'exclude' | 'fleet_id'>;

const NAME = 'credence.toml';
/** Of all files together: one stands in every folder of a hostile checkout. */
const PATHS_MAX = 128;

/**
 * Applies the user's settings, then the project's `credence.toml` in each folder from the working one up to the top of
 * the checkout: a pause in any of them counts, and what they exclude adds up. A project that names another fleet is
 * not captured: its events belong elsewhere.
 */
export function excluded(
  cwd: string | undefined,
  root: string | undefined,
  settings: Rules,
  files: HookFiles,
): Exclusion {
  const places = cwd === undefined ? [] : [cwd, ...realPlace(cwd, settings, files)];
  const inUserExclusion = places.some((place) =>
    settings.exclude.some((glob) => matchesGlob(glob, place)),
  );
  if (settings.pause || inUserExclusion) return { paused: true, paths: [] };
  const paths: string[] = [];
  for (const folder of cwd === undefined ? [] : foldersUp(cwd, root)) {
    const found = ruleOf(folder, settings.fleet_id, files);
    if (found.paused) return found;
    paths.push(...found.paths);
    if (paths.length > PATHS_MAX)
      return faulty(folder, `with those of the folders below, it excludes over ${PATHS_MAX} paths`);
  }
  return { paused: false, paths };
}

/** Where a folder that may be named by a link really is, as long as anybody asks. */
function realPlace(cwd: string, settings: Rules, files: HookFiles): string[] {
  const real = settings.exclude.length > 0 ? files.real(cwd) : undefined;
  return real === undefined ? [] : [real];
}

/** The folder, and those above it to the top of the checkout; the nearest first. */
function foldersUp(cwd: string, root: string = cwd): string[] {
  const parts = cwd.startsWith(`${root}/`) ? cwd.slice(root.length + 1).split('/') : [];
  const below = parts.map((_part, at) => [root, ...parts.slice(0, at + 1)].join('/'));
  return [root, ...below].reverse();
}

function faulty(folder: string, says: string): Exclusion {
  return { paused: true, paths: [], fault: `${folder}/${NAME}: ${says}` };
}

/** What one folder's file says. */
function ruleOf(folder: string, fleetId: string, files: HookFiles): Exclusion {
  const text = files.read(`${folder}/${NAME}`);
  // What is there and can't be read may hold a pause, so it counts as one.
  if (text === undefined && files.kind(`${folder}/${NAME}`) !== undefined)
    return faulty(folder, 'it cannot be read');
  const project = readProjectFile(text ?? '');
  if (project.fault !== undefined) return faulty(folder, project.fault);
  if (project.fleetId !== undefined && project.fleetId !== fleetId)
    return faulty(folder, 'it names a fleet that this home has not joined');
  if (project.pause) return { paused: true, paths: [] };
  const paths = project.exclude.map((glob) => (glob.startsWith('/') ? glob : `${folder}/${glob}`));
  return { paused: false, paths };
}

/** What is wrong with a project's file, where a hook's note says that one kept it from capturing; undefined once it is repaired. */
export function standingFault(
  note: string | undefined,
  settings: Rules,
  files: HookFiles,
): string | undefined {
  const { cwd, root } = noted(note ?? '');
  return excluded(textOf(cwd), textOf(root), settings, files).fault;
}

function noted(text: string): UnknownObject {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}
