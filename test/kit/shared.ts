import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, test } from 'vitest';

/**
 * The absolute path of the folder of test data that lies beside the repository: the one that CREDENCE_SHARED
 * names, else `../shared` where it exists, else undefined. Where the variable is set and there is no such
 * folder, importing this file throws, so that a run that was meant to read the data can't pass without it.
 */
export const shared: string | undefined = findShared(process.env['CREDENCE_SHARED']);

/**
 * A `describe` whose body gets the path of the shared folder. Where that is absent, a skipped suite of the
 * same name says so: the only skip that the repository allows.
 */
export function describeShared(name: string, body: (shared: string) => void): void {
  if (shared !== undefined) {
    describe(name, () => body(shared));
    return;
  }
  // The body is not run at all: a skipped one would still be read for its tests, with no path to give it.
  describe.skip(name, () => {
    test('needs the shared test data: set CREDENCE_SHARED to its folder', () => {});
  });
}

function findShared(named: string | undefined): string | undefined {
  if (named !== undefined) {
    const path = resolve(named);
    if (named !== '' && isFolder(path)) return path;
    throw new Error(`CREDENCE_SHARED is "${named}", which is not a folder; name one, or unset it`);
  }
  const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
  const beside = join(root, '..', 'shared');
  return isFolder(beside) ? beside : undefined;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
