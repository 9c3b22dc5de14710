import { CredenceError } from '../base/errors.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import { TAKEN_IN } from '../fold/take-in.ts';
import { repoUri } from '../record/knowledge.ts';
import { readerOf } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { statusOf } from './claims.ts';

/** Which claims are to leave. Those that are named, whatever became of them; else promoted ones, or all. */
export interface ExportWish {
  /** Ids of claims, or beginnings of them. */
  readonly claims?: readonly string[] | undefined;
  /** Of these spaces. Claims of more than one space leave only where all of these are named. */
  readonly spaces?: readonly string[] | undefined;
  /** About a repo: by their segment, or by what they refer to. */
  readonly repo?: string | undefined;
  /** With one of these topics. */
  readonly topics?: readonly string[] | undefined;
  /** Also those that are not promoted. */
  readonly all?: boolean | undefined;
}

/** Of so many claims that begin alike the ids are told. */
const CANDIDATES_MAX = 10;

/** The claims that are meant, by their ids. Throws `claim.missing`, `claim.ambiguous`, `claim.foreign`, `export.spaces`. */
export function selectClaims(state: Sql, wish: ExportWish): ClaimRow[] {
  const { claims = [], spaces = [], repo, topics = [], all = false } = wish;
  const reader = readerOf(state);
  const isOwn = ({ key }: ClaimRow) => reader.get('decided', key)?.context !== TAKEN_IN;
  const named = claims.map((id) => claimMeant(state, id));
  const foreign = named.find((row) => !isOwn(row));
  if (foreign) throw ofAnother(foreign.key);
  const chosen = (claims.length > 0 ? named : reader.where('claims').filter(isOwn))
    .filter((row) => all || claims.length > 0 || statusOf(row) === 'promoted')
    .filter(({ space }) => spaces.length === 0 || spaces.includes(space))
    .filter((row) => repo === undefined || isAbout(row, repo))
    .filter((row) => topics.length === 0 || hasTopic(row, topics));
  const found = [...new Set(chosen.map(({ space }) => space))].sort();
  if (found.length > 1 && spaces.length === 0) throw severalSpaces(found);
  return [...new Map(chosen.map((row) => [row.key, row])).values()];
}

function claimMeant(state: Sql, beginning: string): ClaimRow {
  const isId = /^[0-9a-f]{4,64}$/.test(beginning);
  const rows = isId
    ? state.all(
        'SELECT * FROM claims WHERE key >= ? AND key < ? ORDER BY key LIMIT ?',
        ...[beginning, `${beginning}g`, CANDIDATES_MAX],
      )
    : [];
  const [row, other] = rows as unknown as ClaimRow[];
  if (row && !other) return row;
  if (row) {
    const candidates = rows.map(({ key }) => String(key));
    const more = { data: { id: beginning, candidates }, next: 'give more of the id' };
    throw new CredenceError(
      'incorrect',
      'claim.ambiguous',
      `several claims begin with ${beginning}`,
      more,
    );
  }
  throw new CredenceError('missing', 'claim.missing', `no claim here is ${beginning}`, {
    data: { id: beginning },
    next: 'give the id of a claim, or its beginning of 4 hex digits or more',
  });
}

function ofAnother(id: string): CredenceError {
  const what = `claim ${id} came with a bundle of another fleet, and is that one's to pass on`;
  return new CredenceError('forbidden', 'claim.foreign', what, {
    data: { id },
    next: 'ask its own fleet for a bundle: `credence bundles` names it',
  });
}

function isAbout({ segment, refs }: ClaimRow, repo: string): boolean {
  const uris = (JSON.parse(refs) as { readonly uri: string }[]).map(({ uri }) => uri);
  return segment === `repo:${repo}` || uris.some((uri) => uri.startsWith(repoUri(repo, '')));
}

function hasTopic(row: ClaimRow, topics: readonly string[]): boolean {
  const own = JSON.parse(row.topics) as string[];
  return topics.some((topic) => own.includes(topic.toLowerCase()));
}

function severalSpaces(spaces: readonly string[]): CredenceError {
  const what = `these claims are of ${spaces.length} spaces, and nobody said that all of them may leave`;
  return new CredenceError('forbidden', 'export.spaces', what, {
    data: { spaces },
    next: 'name each space that may leave: --space, more than once where you mean several',
  });
}
