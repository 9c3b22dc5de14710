import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { objectOf } from '../../base/unknown.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { listRepos, unresolvedFolders } from '../../query/session.ts';
import { normaliseRemote } from '../../runtime/remote.ts';
import { mapRepos } from '../../verbs/map-repos.ts';
import { errorPc, pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { count } from './output.ts';
import { ensureSetUp } from './set-up-commands.ts';
import { shownContext } from './shown-context.ts';
import { type Fit, table, terminalWidth } from './table.ts';

/** Known repos whose name stands in a folder's path: what a person would try first. */
function suggestions(cwd: string, repos: readonly string[]): string[] {
  const parts = new Set(cwd.toLowerCase().split('/'));
  return repos.filter((repo) => parts.has(repo.split('/').at(-1)?.toLowerCase() ?? '')).slice(0, 3);
}

function listAction(own: Context): void {
  const context = shownContext(own);
  const { repos, unresolved } = context.read('state', (sql) => ({
    repos: listRepos(sql),
    unresolved: unresolvedFolders(sql),
  }));
  const names = repos.map((repo) => repo.repo);
  const folders = unresolved.map((folder) => ({
    ...folder,
    suggestions: suggestions(folder.cwd, names),
  }));
  context.out.value({ repos, unresolved: folders });
  if (repos.length + folders.length === 0)
    context.out.text(
      'no sealed session yet, so no repo either; `credence import` brings in history',
    );
  if (repos.length > 0) {
    const rows = repos.map((row) => [
      sanitise(row.repo, 80),
      String(row.sessions),
      String(row.agents),
      row.lastAt.slice(0, 10),
    ]);
    const fit: Fit = { width: terminalWidth(), drop: ['agents'], cut: [['repo', 20]] };
    context.out.text(table(['repo', 'sessions', 'agents', 'last'], rows, fit));
  }
  if (folders.length === 0) return;
  context.out.text(
    `\n${pc.yellow('unresolved')}: these folders are gone, so that nobody can say which repo they were`,
  );
  const rows = folders.map((row) => [
    sanitise(row.cwd, 80),
    safeId(row.host, 16),
    String(row.sessions),
    row.suggestions.map((name) => sanitise(name, 60)).join(' or '),
  ]);
  const fit: Fit = { width: terminalWidth(), drop: ['perhaps', 'host'], cut: [['folder', 20]] };
  context.out.text(table(['folder', 'host', 'sessions', 'perhaps'], rows, fit));
  context.out.text(
    `next: ${pc.bold('credence repos map "<folder>" <remote>')}, or --file map.json with {"<folder>": "<remote>"}`,
  );
}

function remoteOf(text: string): string {
  const remote = normaliseRemote(text);
  if (remote !== undefined) return remote;
  throw new CredenceError('usage', 'repos.remote', `${text} is not a remote`, {
    next: 'such as github.com/owner/name, or the URL that git shows',
  });
}

interface MapOptions {
  readonly file?: string;
  readonly host?: string;
}

function usageError(message: string): CredenceError {
  return new CredenceError('usage', 'repos.map', message, {
    next: 'credence repos map <glob> <remote>, or --file map.json with {"<folder>": "<remote>"}',
  });
}

/** A folder as sessions name theirs, which is absolute, or a glob of such. Throws `repos.folder`. */
function folderOf(text: string): string {
  if (/^[/*]/.test(text)) return text;
  const message = `${text} fits no folder of a session: those are absolute`;
  throw new CredenceError('usage', 'repos.folder', message, {
    next: 'write it from the root on, such as /home/me/src/old-name, or as a glob: **/old-name',
  });
}

/** Throws `repos.host`. */
function assertHost(host: string | undefined): void {
  if (host === undefined || /^[0-9a-f]{16}$/.test(host)) return;
  throw new CredenceError('usage', 'repos.host', `${host} is no id of a host`, {
    next: '`credence repos` shows the hosts of unresolved folders: 16 hex digits',
  });
}

/** The maps that a call names. Throws `repos.map`, `repos.folder`, `repos.remote`, `file.unreadable`, before anything is done. */
function mapsOf(
  context: Context,
  glob: string | undefined,
  remote: string | undefined,
  { file }: MapOptions,
): { readonly pattern: string; readonly remote: string }[] {
  if (file === undefined) {
    if (glob === undefined || glob === '') throw usageError('which folder?');
    if (remote === undefined) throw usageError(`which remote was ${glob} a clone of?`);
    return [{ pattern: folderOf(glob), remote: remoteOf(remote) }];
  }
  if (glob !== undefined) throw usageError('--file takes the place of a folder and its remote');
  const maps = Object.entries(objectOf(context.local.readJson(file)));
  if (maps.length === 0)
    throw usageError(`${file} maps nothing: it has to be an object of folders`);
  return maps.map(([pattern, target]) => {
    if (pattern === '' || typeof target !== 'string')
      throw usageError(`${file}: ${JSON.stringify(pattern)} is not a folder with its remote`);
    return { pattern: folderOf(pattern), remote: remoteOf(target) };
  });
}

async function mapAction(
  context: Context,
  glob: string | undefined,
  remote: string | undefined,
  options: MapOptions,
): Promise<void> {
  assertHost(options.host);
  const maps = mapsOf(context, glob, remote, options);
  await ensureSetUp(context, []);
  const done = await context.withParts((parts) => mapRepos(parts, maps, options.host));
  if (!done) throw busyError();
  const { added, known, unresolved, idle } = done.value;
  context.out.value(done.value);
  for (const pattern of idle)
    context.out.note(
      `${errorPc.yellow('warning')} ${pattern} fits no unresolved session that is known so far${options.host === undefined ? '' : ` of host ${options.host}`}; the map stands for those that come`,
    );
  context.out.text(
    `${count(added, 'map')} added, ${known} there already; ${count(unresolved, 'session')} still unresolved`,
  );
}

/** `credence repos` and `credence repos map`. */
export function reposCommand(program: Command, context: Context): void {
  const repos = program
    .command('repos')
    .description('the repos that sessions belong to, and the folders that nobody can place')
    .addHelpText('after', '\nExample:\n  credence repos')
    .action(() => listAction(context));
  repos
    .command('map')
    .description(
      'say which remote a folder that is gone was a clone of; earlier sessions move there too',
    )
    .argument('[glob]', 'the folder, or a glob of folders')
    .argument('[remote]', 'its remote')
    .option('--file <path>', 'a JSON object of folders and remotes')
    .option('--host <id>', 'only for sessions of this host')
    .addHelpText(
      'after',
      '\nExample:\n  credence repos map "/home/me/src/old-name" github.com/owner/name',
    )
    .action((glob: string | undefined, remote: string | undefined, options: MapOptions) =>
      mapAction(context, glob, remote, options),
    );
}
