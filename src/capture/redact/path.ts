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
const HARMLESS =
  /\.(?:example|sample|template|tmpl|tpl|dist|schema|pub|d\.ts)$|\.env\.(?:example|sample|template)\b/;

/** Most words of a command are no path; all names of the list have one of these. */
const MAYBE = /[._/\\]|kubeconfig/i;

function isBuiltIn(path: string): boolean {
  const [name = '', folder = ''] = path.split('/').toReversed();
  if (HARMLESS.test(name)) return false;
  const dot = name.lastIndexOf('.');
  return (
    NAMES.has(name) ||
    IN_FOLDER.has(`${folder}/${name}`) ||
    (dot > 0 && ENDINGS.has(name.slice(dot + 1))) ||
    BY_SHAPE.some((shape) => shape.test(name)) ||
    (folder === '.ssh' && name.startsWith('id_')) ||
    (folder === '.azure' && /^(?:msal_token_cache|service_principal_entries)\./.test(name)) ||
    (name === 'environ' && path.includes('proc/')) ||
    FOLDERS.some((part) => `/${path}`.includes(`/${part}`))
  );
}

/** Slashes forward, no quotes, no scheme, home folder as a relative path: so that one table fits every spelling. */
function normalised(path: string): string {
  return path
    .slice(-PATH_MAX)
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
  const plain = normalised(path);
  // The table looks at the end only, so a path of any length costs the same.
  const lower = (plain.length > END_MAX ? `.${plain.slice(-END_MAX)}` : plain).toLowerCase();
  if (isBuiltIn(lower)) return true;
  return (policy.deniedPaths ?? []).some((glob) => matchesAnywhere(normalised(glob), plain));
}

/** A glob that starts at the root matches there; any other at each folder. */
function matchesAnywhere(glob: string, path: string): boolean {
  if (glob === '') return false;
  if (glob.startsWith('/')) return matchesGlob(glob, path);
  return matchesGlob(`**/${glob.replace(/^(?:\*\*\/)+/, '')}`, path.replace(/^\/+/, ''));
}

/**
 * True where a word of a command, in which a shell would still expand wildcards, can mean a denied file:
 * `.env*`, `~/.ssh/*`, `keys/*.pem`, `.env{,.local}`.
 */
export function isDeniedPattern(word: string, policy: DeniedPaths): boolean {
  if (isDeniedPath(word, policy)) return true;
  if (!/[*?[{]/.test(word)) return false;
  const bare = word.replace(/\{([^{},]*)[^{}]*\}/g, '$1').replace(/[*?]|\[[^\]]*\]/g, '');
  if (/(?:^|[/\\])\.(?:ssh|gnupg)[/\\]$/.test(bare) || isDeniedPath(bare, policy)) return true;
  return isDeniedPath(word.replace(/[*?]/g, 'x').replace(/[{}[\],]/g, ''), policy);
}

/** An absolute path for a relative one, with `.` and `..` resolved; unchanged where the folder is not known. */
export function resolvePath(cwd: string | undefined, path: string): string {
  if (/^(?:[/~\\$%]|[A-Za-z]:)/.test(path) && !path.includes('/..')) return path;
  const parts: string[] = [];
  for (const part of `${/^\//.test(path) ? '' : (cwd ?? '')}/${path}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return `${cwd === undefined && !path.startsWith('/') ? '' : '/'}${parts.join('/')}`;
}
