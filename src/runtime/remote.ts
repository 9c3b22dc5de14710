/** Hosts whose paths are the same in any case. */
const CASELESS = new Set(['github.com', 'gitlab.com', 'bitbucket.org']);
const DEFAULT_PORT: Readonly<Record<string, string>> = {
  ssh: '22',
  https: '443',
  http: '80',
  git: '9418',
};

/** Longer than any remote, and than any line of a git config that names one. */
const URL_LENGTH_MAX = 4_096;
/** As much of a config as is looked at: remotes stand near its beginning, and an agent waits meanwhile. */
const CONFIG_LENGTH_MAX = 512 * 1024;

/** Git's own prefix for the address of a transport helper: `helper::<address>`. */
const HELPERS = /^(?:[a-z][a-z0-9+.-]*::)+/i;
/** What an address begins with. Of the web's a slash is often lost, and no host of `host:path` is called so. */
const SCHEME = /^(?:([a-z][a-z0-9+.-]*):\/\/|(https?|ftps?|file):\/)/i;

/**
 * A git remote → `host/path`: ssh and https forms of one remote are equal; credentials, default ports and
 * `.git` are gone. Undefined for a remote that is a path on this machine, and for one that may still hold credentials.
 */
export function normaliseRemote(url: string): string | undefined {
  if (url.length > URL_LENGTH_MAX) return undefined;
  const bare = url.trim().replace(HELPERS, '');
  const scheme = SCHEME.exec(bare);
  const kind = (scheme?.[1] ?? scheme?.[2])?.toLowerCase().replace(/^git\+/, '');
  const address = withoutUser(bare.slice(scheme?.[0].length ?? 0));
  if (kind === 'file' || address === undefined) return undefined;
  if (kind !== undefined) {
    const full = /^([^/:]+|\[[^\]]+\])(?::(\d+))?\/+(.+)$/.exec(address);
    if (!full) return undefined;
    const [, host = '', port, path = ''] = full;
    return join(port === undefined || port === DEFAULT_PORT[kind] ? host : `${host}:${port}`, path);
  }
  const scp = /^([^/:[\]]{2,}|\[[^\]]+\]):(?!\/\/)(.+)$/.exec(address);
  if (scp) return join(scp[1] ?? '', scp[2] ?? '');
  // Written without a scheme, as a person would: a host has a dot, and no path starts with one.
  const plain = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/(.+)$/i.exec(address);
  return plain ? join(plain[1] ?? '', plain[2] ?? '') : undefined;
}

/**
 * An address without user and password, which end at the last `@` before the path: a password can hold one. One with a
 * slash can't be told from a host and a path, nor one URL in the path of another: undefined for any other `@`.
 */
function withoutUser(address: string): string | undefined {
  const slash = address.indexOf('/');
  const head = slash < 0 ? address : address.slice(0, slash);
  const path = address.slice(head.length);
  return path.includes('@') ? undefined : head.slice(head.lastIndexOf('@') + 1) + path;
}

function join(host: string, path: string): string | undefined {
  const name = host.toLowerCase();
  const clean = path
    .replace(/[?#].*$/, '')
    .replace(/^\/+|(?<!\/)\/+$/g, '')
    .replace(/\.git$/i, '');
  if (clean === '') return undefined;
  return `${name}/${CASELESS.has(name) ? clean.toLowerCase() : clean}`;
}

/** The remotes of a git config file, by name, in file order. Includes are not followed: no file outside the repository is read. */
export function remotesOf(config: string): Map<string, string> {
  const remotes = new Map<string, string>();
  let section: string | undefined;
  for (const raw of config.slice(0, CONFIG_LENGTH_MAX).split(/\r?\n/)) {
    if (raw.length > URL_LENGTH_MAX) continue;
    const line = raw.trim();
    const header = /^\[\s*([a-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/i.exec(line);
    if (header) {
      section = header[1]?.toLowerCase() === 'remote' ? header[2] : undefined;
      continue;
    }
    const url = /^url\s*=\s*(.*)$/i.exec(line)?.[1];
    if (section === undefined || url === undefined || remotes.has(section)) continue;
    const value = unquote(url);
    if (value !== '') remotes.set(section, value);
  }
  return remotes;
}

function unquote(value: string): string {
  // Looked for where white space begins alone: from each blank of a long line anew, an agent would wait for seconds.
  const bare = value.replace(/(?<!\s)\s+[#;].*$/, '').trim();
  return bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1) : bare;
}
