import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { CredenceError } from '../base/errors.ts';
import { readBytesIfThere } from '../io/small-file.ts';
import type { Checkout } from '../runtime/repo.ts';
import type { WrittenFile, WrittenFiles } from '../verbs/conventions.ts';

/** What runtimes read at the top of a checkout. */
const NAMED = [
  'AGENTS.md',
  'AGENT.md',
  'CLAUDE.md',
  '.claude/CLAUDE.md',
  'GEMINI.md',
  '.cursorrules',
  '.windsurfrules',
  '.clinerules',
  '.goosehints',
  '.rules',
  'CONVENTIONS.md',
  '.github/copilot-instructions.md',
  '.junie/guidelines.md',
];

/** Folders whose files they read, by the end of their names. */
const FOLDERS: readonly (readonly [string, string])[] = [
  ['.cursor/rules', '.mdc'],
  ['.claude/rules', '.md'],
  ['.windsurf/rules', '.md'],
  ['.clinerules', '.md'],
  ['.github/instructions', '.instructions.md'],
  ['.amazonq/rules', '.md'],
  ['.kiro/steering', '.md'],
];

const BYTES_MAX = 262_144;
const FILES_MAX = 200;

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function found(root: string): string[] {
  const inFolders = FOLDERS.flatMap(([folder, end]) =>
    namesIn(join(root, folder))
      .filter((name) => name.endsWith(end))
      .map((name) => `${folder}/${name}`),
  );
  return [...NAMED, ...inFolders];
}

/** Why a file is not read; undefined for one that is. A link that leads out of its checkout is hostile. */
function faultOf(path: string, root: string): string | undefined {
  const [real, top] = [realpathSync(path), realpathSync(root)];
  if (!real.startsWith(`${top}/`)) return 'leads out of its checkout';
  const { size } = statSync(real);
  if (!statSync(real).isFile()) return 'is no file';
  return size > BYTES_MAX ? `is larger than ${BYTES_MAX} bytes` : undefined;
}

/** The files of a checkout that tell agents what to do. Throws `conventions.checkout`, `conventions.path`. */
export function conventionFiles(
  paths: readonly string[],
  named: string | undefined,
  checkout: (folder: string) => Checkout | undefined,
): WrittenFiles {
  const at = checkout(process.cwd());
  if (!at) {
    throw new CredenceError('usage', 'conventions.checkout', 'this folder is in no checkout', {
      next: 'run it inside the checkout whose files are meant',
    });
  }
  const root = at.root;
  const files: WrittenFile[] = [];
  const unread: { path: string; why: string }[] = [];
  const wanted =
    paths.length > 0
      ? paths.map((path) => relative(root, resolve(process.cwd(), path)))
      : found(root);
  const seen = new Set<string>();
  for (const path of wanted.slice(0, FILES_MAX)) {
    const whole = join(root, path);
    const bytes = statSync(whole, { throwIfNoEntry: false });
    if (!bytes && paths.length > 0) {
      throw new CredenceError('missing', 'conventions.path', `there is no ${whole}`, {
        next: 'name files of this checkout, or none to look for all that agents read',
      });
    }
    if (!bytes || (bytes.isDirectory() && paths.length === 0)) continue;
    const why = path.startsWith('..') ? 'leads out of its checkout' : faultOf(whole, root);
    const real = realpathSync(whole);
    if (why !== undefined) unread.push({ path, why });
    // A link beside the file that it names says nothing twice.
    else if (!seen.has(real)) files.push({ path, bytes: readBytesIfThere(whole) ?? Buffer.of() });
    seen.add(real);
  }
  if (wanted.length > FILES_MAX)
    unread.push({ path: `${wanted.length - FILES_MAX} more`, why: 'are too many files' });
  return { root, repo: named ?? at.repo, whole: paths.length === 0, files, unread };
}
