import { resolve } from 'node:path';
import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { toInstant, toMs } from '../../base/time.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { type ClaimView, listClaims } from '../../query/claims.ts';
import { shownId } from '../../query/shown-id.ts';
import { repoUri } from '../../record/knowledge.ts';
import { readerOf } from '../../snapshot/database.ts';
import { momentOf, remoteOrId } from './arguments.ts';
import { claimReader, fleetSpace } from './claim-reader.ts';
import { claimTable } from './claim-text.ts';
import type { Context } from './context.ts';
import { count } from './output.ts';
import { ownWords, say } from './said.ts';
import { terminalWidth } from './table.ts';

interface InvalidateOptions {
  readonly at?: number;
  readonly repo?: string;
  readonly dryRun?: boolean;
}

const URI = /^[a-z][a-z0-9+.-]*:\/\//i;

/** What is meant: a URI as it is; a path of a named repo, or of the checkout that it is in. Throws `artifact.place`. */
function uriOf(context: Context, typed: string, repo: string | undefined): string {
  if (URI.test(typed)) return ownWords(context, typed);
  if (repo !== undefined) return repoUri(repo, typed.replace(/^(?:\.?\/)+/, ''));
  const place = context.local.placeOf(resolve(process.cwd(), typed));
  if (place) return repoUri(place.repo, place.path);
  throw new CredenceError('usage', 'artifact.place', `${typed} is in no folder of a repo`, {
    next: 'give a path inside a checkout, a path with --repo <id>, or a whole URI',
  });
}

/** A key of this home that may say so: the person's where it has a role for it, else the host's, which captures. */
function signerOf(context: Context) {
  const { keys } = context.home();
  const person = keys.signer('person');
  const roles = context.read(
    'state',
    (sql) => readerOf(sql).get('principals', person.address)?.roles.split(' ') ?? [],
  );
  return roles.some((role) => role === 'propose' || role === 'capture')
    ? person
    : keys.signer('host');
}

/** The claims that refer to an artifact, and are not withdrawn. */
function referring(context: Context, uri: string): ClaimView[] {
  const now = context.home().world.now();
  return context.read('state', (sql) =>
    listClaims(readerOf(sql), fleetSpace(sql), { now })
      .filter(({ refs }) => refs.some((ref) => ref.uri === uri))
      .filter(({ status }) => status === 'promoted' || status === 'candidate'),
  );
}

async function invalidateAction(
  context: Context,
  typed: string,
  options: InvalidateOptions,
): Promise<void> {
  const uri = uriOf(context, typed, options.repo);
  const at = toInstant(options.at ?? context.home().world.now());
  const before = referring(context, uri);
  const space = context.read('state', fleetSpace);
  if (options.dryRun === true) {
    const metAt = (claim: ClaimView) =>
      context.home().world.now() - claim.staleness_seconds * 1_000;
    print(
      context,
      { uri, at, dryRun: true },
      before.filter((one) => one.suspect || metAt(one) < toMs(at)),
    );
    return;
  }
  const signer = signerOf(context);
  const record = await say(context, sanitise(uri, 200), (base) =>
    base.invalidate(space, uri, at, signer),
  );
  const suspects = referring(context, uri).filter(({ suspect }) => suspect);
  print(context, { uri, at, record }, suspects);
}

function print(
  context: Context,
  told: {
    readonly uri: string;
    readonly at: string;
    readonly dryRun?: boolean;
    readonly record?: string;
  },
  suspects: readonly ClaimView[],
): void {
  const { table, count: held } = context.read('state', (sql) => {
    const { maySee } = claimReader(context, fleetSpace(sql));
    const seen = suspects.filter(maySee);
    const shown = claimTable(seen, (kind, key) => shownId(sql, kind, key), terminalWidth());
    return { table: shown, count: seen.length };
  });
  context.out.value({ ...told, suspect: suspects.map(({ id }) => id) });
  const be = suspects.length === 1 ? 'is' : 'are';
  const would = told.dryRun === true ? 'would be' : be;
  const claims =
    suspects.length === 0
      ? 'no claim refers to it that was not met since'
      : `${count(suspects.length, 'claim')} ${would} suspect until somebody meets ${suspects.length === 1 ? 'it' : 'them'} again`;
  context.out.text(
    `${sanitise(told.uri, 300)} changed at ${told.at.slice(0, 16).replace('T', ' ')} UTC: ${claims}`,
  );
  if (held > 0) context.out.text(table);
}

/** `credence invalidate <uri|path>`. */
export function invalidateCommand(program: Command, context: Context): void {
  program
    .command('invalidate')
    .description(
      'say that an artifact changed: claims about it are suspect until they are met again',
    )
    .argument('<artifact>', 'a URI, or a path inside a checkout')
    .option('--at <moment>', 'when it changed, if not now', momentOf)
    .option('--repo <id>', 'the repo that a path belongs to', remoteOrId)
    .option('--dry-run', 'say which claims would be suspect, and record nothing')
    .addHelpText(
      'after',
      '\nExample:\n  credence invalidate src/config.ts\n  credence invalidate Makefile --repo github.com/owner/name --at 2d',
    )
    .action((artifact: string, options: InvalidateOptions) =>
      invalidateAction(context, artifact, options),
    );
}
