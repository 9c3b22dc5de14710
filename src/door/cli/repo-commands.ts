import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { objectOf } from '../../base/unknown.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { mapRepos } from '../../pipeline.ts';
import { listRepos, unresolvedFolders } from '../../query/session.ts';
import { normaliseRemote } from '../../runtime/remote.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { table } from './output.ts';
import { ensureSetUp } from './set-up-commands.ts';

/** Known repos whose name stands in a folder's path: what a person would try first. */
function suggestions(cwd: string, repos: readonly string[]): string[] {
  const parts = new Set(cwd.toLowerCase().split('/'));
  return repos.filter((repo) => parts.has(repo.split('/').at(-1)?.toLowerCase() ?? '')).slice(0, 3);
}

function listAction(context: Context): void {
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
  if (repos.length > 0) {
    context.out.text(
      table(
        ['repo', 'sessions', 'agents', 'last'],
        repos.map((row) => [
          sanitise(row.repo, 80),
          String(row.sessions),
          String(row.agents),
          row.lastAt.slice(0, 10),
        ]),
      ),
    );
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
  context.out.text(table(['folder', 'host', 'sessions', 'perhaps'], rows));
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

/** `credence repos` and `credence repos map`. */
export function reposCommand(program: Command, context: Context): void {
  const repos = program
    .command('repos')
    .description('the repos that sessions belong to, and the folders that nobody can place')
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
    .action(
      async (
        glob: string | undefined,
        remote: string | undefined,
        options: { file?: string; host?: string },
      ) => {
        await ensureSetUp(context, []);
        const given =
          options.file === undefined
            ? { [glob ?? '']: remote }
            : objectOf(context.local.readJson(options.file));
        const maps = Object.entries(given).map(([pattern, target]) => ({
          pattern,
          remote: remoteOf(String(target)),
        }));
        if (maps.some((map) => map.pattern === '')) {
          throw new CredenceError('usage', 'repos.map', 'which folder?', {
            next: 'credence repos map <glob> <remote>, or --file map.json',
          });
        }
        const done = await context.withParts((parts) => mapRepos(parts, maps, options.host));
        if (!done)
          throw new CredenceError(
            'busy',
            'machine.busy',
            'another credence process is at work on this machine',
            { next: 'run it again when that is done' },
          );
        context.out.value(done.value);
        context.out.text(
          `${done.value.added} maps added, ${done.value.known} were there already; ${done.value.unresolved} sessions are still unresolved`,
        );
      },
    );
}
