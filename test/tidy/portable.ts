import { dirname } from 'node:path';
import { complaint, type TextFile } from './tree.ts';

/** Absolute folders that no file may name: the checkout itself and the shared data beside it. */
export function placesOf(root: string): string[] {
  const places = [root, `${dirname(root)}/shared`];
  // A checkout at the top of the file system has a name too short to tell from an ordinary word.
  return places.filter((place) => place.split('/').filter(Boolean).length > 1);
}

/** A home folder of anybody but `me`, the stand-in that examples use. */
const HOME = /(?<![\w.*~-])(?:\/home|\/Users|[A-Z]:\\{1,2}Users)[/\\]+(?!me\b)\w/;
const REGISTRY =
  /\bregistry\.[\w-]+\.[a-z]{2,}|\bnpm\.pkg\.|\bpypi\.org|\bpythonhosted\.|\.jfrog\.io/;

function objection(line: string, places: readonly string[]): string | undefined {
  if (HOME.test(line))
    return 'names a home folder: use ~, /home/me, or a folder that the test makes';
  if (places.some((place) => line.includes(place)))
    return 'names this checkout: use a relative path';
  return REGISTRY.test(line)
    ? 'names a package registry: leave that to the settings of npm'
    : undefined;
}

/** Nothing in the tree belongs to one machine or names where packages come from. Samples are made-up transcripts. */
export function noMachine(files: readonly TextFile[], places: readonly string[]): string[] {
  return files
    .filter(({ path }) => !/(?:^|\/)(?:samples|fixtures)\//.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, at) => {
        const fix = objection(line, places);
        return fix ? [complaint('machine', path, at + 1, fix)] : [];
      }),
    );
}

/** The lock file says what is installed, not from which host: every user of it has their own registry. */
export function lockWithoutHosts(files: readonly TextFile[]): string[] {
  const lock = files.find(({ path }) => path === 'package-lock.json');
  return (lock?.text.split('\n') ?? []).flatMap((line, at) =>
    /"resolved":\s*"[^"]*:\/\//.test(line)
      ? [
          complaint(
            'lock',
            'package-lock.json',
            at + 1,
            'npm install --omit-lockfile-registry-resolved',
          ),
        ]
      : [],
  );
}

/** Files and folders of src are named in kebab-case, with only their kind after a dot. */
export function kebabCase(files: readonly TextFile[]): string[] {
  const word = '[a-z0-9]+(?:-[a-z0-9]+)*';
  const good = new RegExp(`^src(?:/${word})*/${word}(?:\\.[a-z0-9]+)+$`);
  return files
    .filter(({ path }) => path.startsWith('src/') && !good.test(path))
    .map(({ path }) => complaint('name', path, 1, 'rename it to kebab-case'));
}
