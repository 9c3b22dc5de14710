import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

const WILDCARD = /[*?]/;

/**
 * Globs of folders as sessions' folders are held against them: `~` is the user's home, `..` is resolved, and where links
 * lead elsewhere that place is meant too, for sessions that name it. What a wildcard stands for is left as it is.
 */
export function folderGlobs(globs: readonly string[], userHome: () => string): string[] {
  return [...new Set(globs.flatMap((glob) => placesOf(glob, userHome)))];
}

function placesOf(glob: string, userHome: () => string): string[] {
  if (glob.startsWith('**')) return [glob];
  const whole = glob.replace(/^~(?=\/|$)/, userHome);
  const parts = whole.split('/');
  const at = parts.findIndex((part) => WILDCARD.test(part));
  const [fixed, open] = at < 0 ? [parts, []] : [parts.slice(0, at), parts.slice(at)];
  return [resolve(whole), resolve(realOf(fixed.join('/') || '/'), ...open)];
}

/** Where a path leads; of one that is not there yet, what is there. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(realOf(above), basename(path));
  }
}
