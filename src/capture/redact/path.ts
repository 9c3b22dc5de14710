import { matchesGlob } from './glob.ts';
import type { DeniedPaths } from './policy.ts';

const PATH_MAX = 4096;
const END_MAX = 400;

/*
 * Files that hold credentials and little else. Examples and templates of them (`.env.example`, `id_rsa.pub`) are
 * not denied: they are evidence. Matched against the end of the path, without case.
 */
const FILES = [
  String.raw`\.env(?:rc|\d{1,2})?(?:[._~-][^/]*)?`,
  String.raw`\.(?:netrc|npmrc|pypirc|pgpass|git-credentials|dockercfg|htpasswd|vault-token|boto|s3cfg|my\.cnf|mylogin\.cnf|terraformrc|databrickscfg|snowsql/config)`,
  '_netrc',
  'id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[._-][^/]*)?',
  String.raw`\.ssh/(?:id_[^/]*|identity)`,
  String.raw`[^/]+\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx|ppk|tfstate|tfstate\.[^/]*|kubeconfig)`,
  String.raw`\.aws/(?:credentials|(?:sso|cli)/cache/[^/]+)`,
  String.raw`(?:\.kube/(?:config|cache/[^/]+)|kubeconfig)`,
  String.raw`\.docker/config\.json`,
  String.raw`(?:\.gem|\.cargo)/credentials(?:\.toml)?`,
  String.raw`(?:gcloud/(?:.*/)?(?:application_default_credentials\.json|credentials\.db|access_tokens\.db|legacy_credentials/.+)|application_default_credentials\.json)`,
  String.raw`\.azure/(?:accesstokens\.json|msal_token_cache\.[^/]+|service_principal_entries\.[^/]+)`,
  String.raw`\.terraform\.d/credentials\.tfrc\.json`,
  String.raw`(?:gh/hosts\.yml|\.config/hub|rclone/rclone\.conf|sops/age/keys\.txt|\.composer/auth\.json|\.streamlit/secrets\.toml)`,
  String.raw`(?:\.claude/\.credentials\.json|\.codex/auth\.json|\.gemini/oauth_creds\.json|opencode/auth\.json|\.hermes/auth\.json)`,
  String.raw`[^/]*(?:service[-_]?account|client[-_]secret|firebase-adminsdk)[^/]*\.json`,
  String.raw`\.gnupg/(?:private-keys-v1\.d/.+|secring\.gpg)`,
  '(?:etc/shadow|proc/[^/]+/environ)',
];
const HARMLESS =
  /\.(?:example|sample|template|tmpl|tpl|dist|schema)$|\.env\.(?:example|sample|template)(?:[._-][^/]*)?$|\.pub$|\.d\.ts$/;

let denied: RegExp | undefined;

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
  if (path === '') return false;
  const plain = normalised(path);
  // The table looks at the end only, so a path of any length costs the same.
  const lower = (plain.length > END_MAX ? `.${plain.slice(-END_MAX)}` : plain).toLowerCase();
  denied ??= new RegExp(`(?:^|/)(?:${FILES.join('|')})$`);
  if (denied.test(lower) && !HARMLESS.test(lower)) return true;
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
