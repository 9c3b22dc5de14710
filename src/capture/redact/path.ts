import { matchesGlob } from '../../base/glob.ts';
import type { DeniedPaths } from './policy.ts';

const PATH_MAX = 4096;
const END_MAX = 400;

/*
 * Files that hold credentials and little else, in lower case: by name, by folder and name, by ending, by folder.
 * Examples and templates of them (`.env.example`, `id_rsa.pub`) are not denied: they are evidence.
 */
const setOf = (names: string) => new Set(names.split(' '));
const NAMES = setOf(
  '.netrc _netrc .npmrc .pypirc .pgpass .git-credentials .dockercfg .htpasswd .vault-token .boto .s3cfg .my.cnf .mylogin.cnf .terraformrc .databrickscfg kubeconfig application_default_credentials.json',
);
const IN_FOLDER = setOf(
  '.aws/credentials .ssh/identity .kube/config .docker/config.json .gem/credentials .cargo/credentials .cargo/credentials.toml gcloud/credentials.db gcloud/access_tokens.db .azure/accesstokens.json .terraform.d/credentials.tfrc.json gh/hosts.yml .config/hub rclone/rclone.conf age/keys.txt .composer/auth.json .streamlit/secrets.toml .snowsql/config .gnupg/secring.gpg etc/shadow .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json opencode/auth.json .hermes/auth.json',
);
const ENDINGS = setOf('pem key p12 pfx p8 jks keystore kdbx ppk tfstate kubeconfig');
const FOLDERS = [
  '.aws/sso/cache/',
  '.aws/cli/cache/',
  '.kube/cache/',
  'gcloud/legacy_credentials/',
  '.gnupg/private-keys-v1.d/',
];
const BY_SHAPE = [
  /^\.env(?:rc|\d{1,2})?(?:[._~-].*)?$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-].*)?$/,
  /^.+\.tfstate\./,
  /(?:service[-_]?account|client[-_]secret|firebase-adminsdk).*\.json$/,
];
const SHAPE_HINTS = setOf(
  '.env id_rsa id_dsa id_ecdsa id_ed25519 .ssh/id_ ccount -secret _secret adminsdk msal_ service_principal /environ',
);
const HARMLESS =
  /\.(?:example|sample|template|tmpl|tpl|dist|schema|pub|d\.ts)$|\.env\.(?:example|sample|template)\b/;

/** Literals of which one stands in every path of the list. */
export function denialHints(): readonly string[] {
  return [
    ...NAMES,
    ...[...IN_FOLDER].map((path) => path.slice(path.indexOf('/'))),
    ...[...ENDINGS].map((ending) => `.${ending}`),
    ...FOLDERS,
    ...SHAPE_HINTS,
  ];
}

/** Most words of a command are no path; all names of the list have one of these. */
const MAYBE = /[._/\\]|kubeconfig/i;

/** Names that a wildcard in a project folder or at home can be meant for. */
const EXPANDABLE = ['.env', '.npmrc', '.netrc', '.pgpass', '.htpasswd', 'id_rsa', 'id_ed25519'];
const WILDCARD = /[*?]|\[[^[\]]*\]/g;
const PATTERN_MAX = 1024;
const ALTERNATIVES_MAX = 64;

function isBuiltIn(path: string): boolean {
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  const inFolder = path.slice(path.lastIndexOf('/', slash - 1) + 1);
  const dot = name.lastIndexOf('.');
  const isOne =
    NAMES.has(name) ||
    IN_FOLDER.has(inFolder) ||
    (dot > 0 && ENDINGS.has(name.slice(dot + 1))) ||
    BY_SHAPE.some((shape) => shape.test(name)) ||
    inFolder.startsWith('.ssh/id_') ||
    /^\.azure\/(?:msal_token_cache|service_principal_entries)\./.test(inFolder) ||
    (name === 'environ' && path.includes('proc/')) ||
    FOLDERS.some((part) => path.includes(part) || path.endsWith(part.slice(0, -1)));
  return isOne && !HARMLESS.test(name);
}

const UNUSUAL = /[\\"'~$%]|^file:|\/\.?(?:\/|$)/;

/** Slashes forward, no quotes, no scheme, home folder as a relative path: so that one table fits every spelling. */
function normalised(path: string): string {
  const end = path.slice(-PATH_MAX);
  if (!UNUSUAL.test(end)) return end;
  return end
    .replace(/\\/g, '/')
    .replace(/["']/g, '')
    .replace(/^file:\/\//, '')
    .replace(/^(?:~|\$\{?HOME\}?|\$env:USERPROFILE|%USERPROFILE%)\//i, '')
    .replace(/\/(?:\.?\/)+/g, '/')
    .replace(/\/+$/, '');
}

/**
 * True for a file whose content is not recorded: those of the built-in list, and those that the globs of the
 * policy match. Never throws; a path that is cut off, quoted or written for Windows is understood.
 */
export function isDeniedPath(path: string, policy: DeniedPaths): boolean {
  if (!MAYBE.test(path) && !policy.deniedPaths?.length) return false;
  return isDenied(normalised(path), policy);
}

function isDenied(plain: string, { deniedPaths }: DeniedPaths): boolean {
  return isListed(plain) || (deniedPaths !== undefined && isMatched(plain, deniedPaths));
}

function isListed(plain: string): boolean {
  // The table looks at the end only, so a path of any length costs the same.
  const end = plain.length > END_MAX ? `.${plain.slice(-END_MAX)}` : plain;
  return isBuiltIn(end.toLowerCase());
}

function isMatched(plain: string, deniedPaths: readonly string[]): boolean {
  return globsOf(deniedPaths).some((glob) => matches(glob, plain));
}

interface Glob {
  /** It starts at the root; any other matches at each folder. */
  readonly rooted: boolean;
  readonly pattern: string;
  /** What every match holds: most paths are told by this alone. */
  readonly literal: string;
}

const known = new WeakMap<readonly string[], readonly Glob[]>();

function globsOf(deniedPaths: readonly string[]): readonly Glob[] {
  const found = known.get(deniedPaths) ?? deniedPaths.map(normalised).flatMap(globOf);
  known.set(deniedPaths, found);
  return found;
}

function globOf(text: string): readonly Glob[] {
  if (text === '') return [];
  const rooted = text.startsWith('/');
  const bare = text.replace(/^(?:\*\*\/)+/, '');
  const [literal = ''] = bare
    .split(/[*?]+/)
    .map((part) => part.replace(/^\/|\/$/g, ''))
    .sort((a, b) => b.length - a.length);
  return [{ rooted, pattern: rooted ? text : `**/${bare}`, literal }];
}

function matches({ rooted, pattern, literal }: Glob, path: string): boolean {
  if (!path.includes(literal)) return false;
  return matchesGlob(pattern, rooted ? path : path.replace(/^\/+/, ''));
}

/** A folder and those above it, at most `most` of them; none where it is not known. */
export function foldersAbove(folder: string | undefined, most: number): readonly string[] {
  const found: string[] = [];
  for (
    let at = folder ?? '';
    at !== '' && found.length < most;
    at = at.slice(0, at.lastIndexOf('/'))
  )
    found.push(at);
  return found;
}

/** True where a path means a denied file, from one of these folders where it is relative. */
export function isDeniedFrom(
  folders: readonly string[],
  path: string,
  policy: DeniedPaths,
): boolean {
  return (
    isDeniedPath(path, policy) ||
    folders.some((folder) => isDeniedPath(resolvePath(folder, path), policy))
  );
}

/** The ways to read a word with `{a,b}` in it. */
function alternatives(word: string): string[] {
  const words = [word];
  for (let i = 0; i < words.length && words.length < ALTERNATIVES_MAX; i++) {
    const at = words[i] ?? '';
    const braces = /\{([^{}]*)\}/.exec(at);
    if (!braces) continue;
    const [before, after] = [at.slice(0, braces.index), at.slice(braces.index + braces[0].length)];
    words.push(...(braces[1] ?? '').split(',').map((part) => before + part + after));
  }
  return words.slice(0, ALTERNATIVES_MAX);
}

/**
 * True where a word of a command, in which a shell would still expand wildcards, can mean a denied file or a
 * folder of such: `.env*`, `~/.ssh/*`, `keys/*.pem`, `.env{,.local}`, `.e?v`. Relative words start at `cwd`. In quotes
 * a shell expands nothing, and `.*` is a pattern of another kind.
 */
export function isDeniedWord(
  word: string,
  policy: DeniedPaths,
  cwd: string | undefined,
  isQuoted = false,
): boolean {
  if (reaches(word, policy, cwd)) return true;
  if (!/[*?[{]/.test(word) || word.length > PATTERN_MAX) return false;
  const words = alternatives(word);
  const isTold = cwd !== undefined && TELLING.test(cwd);
  if (isTold) words.push(...words.map((one) => resolvePath(cwd, one)));
  return words.some((one) => {
    const bare = one.replace(WILDCARD, '');
    if (/(?:^|[/\\])\.(?:ssh|gnupg)[/\\]$/.test(bare)) return true;
    return (
      (!isQuoted && canExpand(one)) ||
      reaches(bare, policy, cwd) ||
      reaches(one.replace(WILDCARD, 'x'), policy, cwd)
    );
  });
}

/** True for a pattern that starts like a name of the list and matches it, or matches one of the list in its folder. */
function canExpand(pattern: string): boolean {
  const slash = pattern.lastIndexOf('/');
  const name = pattern.slice(slash + 1).replace(/\[[^[\]]*\]/g, '?');
  if (/^(?:\.|id)/.test(name) && EXPANDABLE.some((file) => matchesGlob(name, file))) return true;
  if (!HIDDEN.test(pattern.slice(0, Math.max(0, slash)))) return false;
  const folder = pattern.slice(pattern.lastIndexOf('/', slash - 1) + 1, slash + 1).toLowerCase();
  return [...IN_FOLDER].some((path) => {
    const file = path.slice(folder.length);
    // A wildcard means no dot at the start.
    return path.startsWith(folder) && file[0] !== '.' && matchesGlob(name, file);
  });
}

/** Folders that are no project's own, and those in them. */
const HIDDEN = /^\/etc$|(?:^|\/)\.[^/.][^/]*(?:\/[^/]+)?$/i;
/** Folders in which a bare name can be one of the list. */
const TELLING = /(?:^|\/)(?:\.[^/]+|etc|gcloud|gh|rclone|age|opencode)(?:\/[^/]+)?\/?$/i;

/** A glob that matches a path matches what lies below it too, so that asking for that finds folders as well. */
function reaches(
  path: string,
  { deniedPaths = [] }: DeniedPaths,
  cwd: string | undefined,
): boolean {
  const isClimbing = path.includes('..');
  const isTold = isClimbing || (cwd !== undefined && TELLING.test(cwd));
  if (!isTold && deniedPaths.length === 0 && !MAYBE.test(path)) return false;
  const plain = normalised(path);
  if (isListed(plain) || isMatched(`${plain}/_`, deniedPaths)) return true;
  if (plain.startsWith('/') ? !isClimbing : cwd === undefined && !isClimbing) return false;
  if (!isTold && deniedPaths.length === 0) return false;
  const whole = normalised(resolvePath(cwd, path));
  return (isTold && isListed(whole)) || isMatched(`${whole}/_`, deniedPaths);
}

const DOTS = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** An absolute path for a relative one, with `.` and `..` resolved; unchanged where the folder is not known. */
export function resolvePath(cwd: string | undefined, path: string): string {
  const here = path.replace(/^\$(?:PWD|\{PWD\})\//, '');
  if (/^(?:[/~\\$%]|[A-Za-z]:)/.test(here) && !here.includes('/..')) return path;
  if (cwd !== undefined && !DOTS.test(here)) return `${cwd}/${here}`;
  const parts: string[] = [];
  for (const part of `${/^\//.test(here) ? '' : (cwd ?? '')}/${here}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${cwd === undefined && !path.startsWith('/') ? '' : '/'}${parts.join('/')}`;
}
