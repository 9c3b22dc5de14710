import { matchesGlob } from '../base/glob.ts';
import { toInstant } from '../base/time.ts';
import { deposit } from '../ledger/inbox.ts';
import { type Parts, sync } from '../pipeline.ts';
import type { RepoMapBody } from '../record/fleet.ts';
import { SPEC, seal } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { settle } from '../snapshot/settle.ts';

/** What maps came to. `idle` are the patterns that no session known so far fits, which has no repo of its own. */
export interface Mapped {
  readonly added: number;
  readonly known: number;
  readonly unresolved: number;
  readonly idle: readonly string[];
}

/** Re-homes sessions whose folder is gone, by maps that this host signs; those that stand already are not said again. */
export async function mapRepos(
  parts: Parts,
  maps: readonly { readonly pattern: string; readonly remote: string }[],
  host: string | undefined,
): Promise<Mapped> {
  const { identity, world, state } = parts;
  await settle({ ...parts, ...identity });
  const standing = readerOf(state).where('repo_maps');
  const fresh = maps.filter(
    ({ pattern, remote }) =>
      !standing.some(
        (map) => map.pattern === pattern && map.remote === remote && map.host === (host ?? null),
      ),
  );
  const records = fresh.map(({ pattern, remote }) => {
    const body: RepoMapBody = {
      spec: SPEC,
      author: identity.host.address,
      issued_at: toInstant(world.now()),
      pattern,
      remote,
      ...(host === undefined ? {} : { host }),
    };
    return seal('repo-map', body, identity.host);
  });
  if (records.length > 0) await deposit(parts.store, identity.hostId, parts.nextCounter(), records);
  await sync(parts);
  const homeless = readerOf(state).where('sessions', 'captured_repo', null);
  const fits = (pattern: string) =>
    homeless.some(
      (session) =>
        (host === undefined || session.host === host) && matchesGlob(pattern, session.cwd ?? ''),
    );
  return {
    added: fresh.length,
    known: maps.length - fresh.length,
    unresolved: homeless.filter((session) => session.repo === null).length,
    idle: maps.map(({ pattern }) => pattern).filter((pattern) => !fits(pattern)),
  };
}
