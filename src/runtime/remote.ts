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

/**
 * A git remote → `host/path`: ssh and https forms of one remote are equal; credentials, default ports and
 * `.git` are gone. Undefined for a remote that is a path on this machine.
 */
export function normaliseRemote(url: string): string | undefined {
  const trimmed = url.trim();
  if (trimmed.length > URL_LENGTH_MAX) return undefined;
  // Up to the last `@`: a password can hold one.
  const full = /^([a-z][a-z0-9+.-]*):\/\/(?:[^/]*@)?([^/:@]+|\[[^\]]+\])(?::(\d+))?\/+(.+)$/i.exec(
    trimmed,
  );
  if (full) {
    const [, scheme = '', host = '', port, path = ''] = full;
    const kind = scheme.toLowerCase().replace(/^git\+/, '');
    if (kind === 'file') return undefined;
    return join(port === undefined || port === DEFAULT_PORT[kind] ? host : `${host}:${port}`, path);
  }
  const scp = /^(?:[^@/:]+@)?([^/:[\]]{2,}|\[[^\]]+\]):(?!\/\/)(.+)$/.exec(trimmed);
  if (scp) return join(scp[1] ?? '', scp[2] ?? '');
  // Written without a scheme, as a person would: a host has a dot, and no path starts with one.
  const bare = /^([a-z0-9-]+(?:\.[a-z0-9-]+)+)\/(.+)$/i.exec(trimmed);
  return bare ? join(bare[1] ?? '', bare[2] ?? '') : undefined;
}

function join(host: string, path: string): string | undefined {
  const name = host.toLowerCase();
  const clean = path
    .replace(/[?#].*$/, '')
    .replace(/^\/+|\/+$/g, '')
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
  const bare = value.replace(/\s+[#;].*$/, '').trim();
  return bare.startsWith('"') && bare.endsWith('"') ? bare.slice(1, -1) : bare;
}
