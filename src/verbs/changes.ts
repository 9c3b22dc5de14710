import { toInstant, toMs } from '../base/time.ts';
import { deposit } from '../ledger/inbox.ts';
import type { Parts } from '../pipeline.ts';
import { repoUri } from '../record/knowledge.ts';
import { SPEC, seal } from '../record/record.ts';
import type { GitChanges } from '../runtime/git-changes.ts';
import { readerOf } from '../snapshot/database.ts';

/** The checkouts of this machine, by their tops, with the head that was last looked at; '' for one that was not. */
export type SeenHeads = Readonly<Record<string, string>>;

/** What looking for changes works with, beside the parts of a sync. */
export interface ChangesParts {
  readonly seen: SeenHeads;
  readonly keep: (seen: SeenHeads) => void;
  readonly changes: (root: string, since: string, head: string) => Promise<GitChanges>;
}

/** Records of one look, and checkouts of one machine. */
const PATHS_MAX = 200;
const CHECKOUTS_MAX = 200;

/** What was said to have changed, and what there was no room to look at. */
export interface Changed {
  readonly paths: number;
  readonly leftOut: number;
}

/** The artifacts that claims refer to which stand, or may yet. */
function referredTo({ state, identity }: Parts): Set<string> {
  const rows = readerOf(state)
    .where('claims', 'space', identity.fleetId)
    .filter(({ retired, superseded_by, status }) => {
      const isOpen = status === 'accepted' || status === 'pending' || status === 'contested';
      return isOpen && retired === null && superseded_by === null;
    });
  return new Set(
    rows.flatMap(({ refs }) => (JSON.parse(refs) as { uri: string }[]).map(({ uri }) => uri)),
  );
}

/** The tops of the checkouts that sessions of this host worked in, and of those that were seen before. */
function rootsOf({ state, identity, checkout }: Parts, seen: SeenHeads): string[] {
  const folders = new Set(
    readerOf(state)
      .where('sessions', 'host', identity.hostId)
      .flatMap(({ cwd }) => cwd ?? []),
  );
  const roots = [...folders].flatMap((cwd) => checkout(cwd)?.root ?? []);
  return [...new Set([...Object.keys(seen), ...roots])].slice(0, CHECKOUTS_MAX);
}

/**
 * Says of files that claims refer to which commits changed them since the last look, in this machine's checkouts: then these claims are
 * suspect until they are met again. Git is started only where a head moved and a claim refers into the repo. Source: design
 * page 4, "Standing"; decision 0045.
 */
export async function noteChanges(
  parts: Parts,
  { seen, keep, changes }: ChangesParts,
): Promise<Changed> {
  const { identity, world, state } = parts;
  const wanted = referredTo(parts);
  const heads: Record<string, string> = {};
  const newest = new Map<string, number>();
  let leftOut = 0;
  for (const root of rootsOf(parts, seen)) {
    const at = parts.checkout(root);
    if (at?.root !== root) continue;
    const [before = '', now = ''] = [seen[root], at.sha];
    heads[root] = now === '' ? before : now;
    const prefix = repoUri(at.repo, '');
    const isReferred = [...wanted].some((uri) => uri.startsWith(prefix));
    if (before === '' || before === now || now === '' || !isReferred) continue;
    const said = await changes(root, before, now);
    // It may be there at the next look.
    if (said.kind === 'absent') heads[root] = before;
    if (said.kind !== 'read') {
      leftOut += 1;
      continue;
    }
    if (said.isCut) leftOut += 1;
    for (const change of said.changes) {
      const uri = repoUri(at.repo, change.path.normalize('NFC'));
      // A clock that is ahead would have the ledger refuse it.
      const changedAt = Math.min(change.at, world.now());
      if (wanted.has(uri)) newest.set(uri, Math.max(changedAt, newest.get(uri) ?? 0));
    }
  }
  const { fleetId: space, host } = identity;
  const fresh = [...newest].filter(([uri, at]) => {
    const known = readerOf(state).get('artifacts', JSON.stringify([space, uri]));
    return !known || toMs(known.changed_at) < at;
  });
  const issued_at = toInstant(world.now());
  const records = fresh.slice(0, PATHS_MAX).map(([uri, at]) => {
    const body = {
      spec: SPEC,
      author: host.address,
      issued_at,
      space,
      uri,
      changed_at: toInstant(at),
    };
    return seal('artifact-change', body, host);
  });
  if (records.length > 0) await deposit(parts.store, identity.hostId, parts.nextCounter(), records);
  // Only once what was found is on its way: a crash before looks again.
  if (JSON.stringify(heads) !== JSON.stringify(seen)) keep(heads);
  return { paths: records.length, leftOut: leftOut + fresh.length - records.length };
}
