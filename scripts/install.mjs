// Installing, shared by the scripts that a clone begins with. Needs no package itself.
import { readFileSync, statSync } from 'node:fs';

const LOCK = 'package-lock.json';
const INSTALLED = 'node_modules/.package-lock.json';

/** True where node_modules holds exactly what the lock file names, packages for other platforms left out. */
export function isInstalled() {
  try {
    if (statSync(INSTALLED).mtimeMs < statSync(LOCK).mtimeMs) return false;
    const { '': _project, ...wanted } = JSON.parse(readFileSync(LOCK, 'utf8')).packages;
    const found = JSON.parse(readFileSync(INSTALLED, 'utf8')).packages;
    return (
      Object.keys(found).every((path) => path in wanted) &&
      Object.entries(wanted).every(([path, { version, integrity, optional }]) =>
        found[path]
          ? found[path].version === version && found[path].integrity === integrity
          : optional === true,
      )
    );
  } catch (error) {
    // Not there, or cut short by an install that was stopped: either way it has to be done again.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return false;
    throw error;
  }
}

/** npm as it runs us, so that the same version installs; by name where this file is run directly. */
export function npm(...args) {
  const path = process.env['npm_execpath'];
  return path ? [process.execPath, path, ...args] : ['npm', ...args];
}
