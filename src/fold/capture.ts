import { matchesGlob } from '../base/glob.ts';
import { digestText } from '../record/digest.ts';
import type { RepoMapBody } from '../record/fleet.ts';
import type { HandoffBody, SessionBody } from '../record/session.ts';
import type { Folding } from './folding.ts';
import type { Change, HandoffRow, Reader, RepoMapRow, SessionRow } from './state.ts';

/** A sealed revision of a session, with what it had before it, and the handoffs that it took. */
export function foldSession({ reader, record, at }: Folding, body: SessionBody): Change[] {
  const row: SessionRow = {
    key: body.session,
    at,
    record: record.id,
    revision: body.revision,
    parent: body.parent ?? null,
    agent: body.agent,
    runtime: body.runtime,
    host: body.host,
    captured_repo: body.repo ?? null,
    repo: body.repo ?? homeOf(body, reader.where('repo_maps')),
    cwd: body.cwd ?? null,
    first_at: body.window.first,
    last_at: body.window.last,
    parts: JSON.stringify(body.parts.map(({ key, hash }) => ({ key, hash }))),
    digest: digestText(body.digest),
    imported: body.imported ? 1 : 0,
  };
  const lineage = body.lineage.map(
    (item): Change => ({
      table: 'lineage',
      row: {
        key: `${body.session}\n${item.kind}\n${item.id}`,
        at,
        session: body.session,
        ...item,
      },
    }),
  );
  return [
    { table: 'sessions', row },
    ...lineage,
    ...taken(reader, body, row.repo, at),
    ...followHome(reader, row, at),
  ];
}

/** An agent's note. One that names no repo lives where its session does. */
export function foldHandoff({ reader, record, at }: Folding, body: HandoffBody): Change[] {
  const session = reader.get('sessions', body.session);
  const row: HandoffRow = {
    key: record.id,
    at,
    session: body.session,
    agent: body.agent,
    runtime: body.runtime,
    host: body.host,
    captured_repo: body.repo ?? null,
    repo: body.repo ?? session?.repo ?? null,
    status: body.status,
    summary: body.summary,
    next: body.next ?? null,
    issued_at: body.issued_at,
    taken_by: null,
  };
  return [{ table: 'handoffs', row }];
}

/** Sessions without a repo of their own move to where the newest map that fits says. */
export function foldRepoMap({ reader, record, at }: Folding, body: RepoMapBody): Change[] {
  const row: RepoMapRow = {
    key: record.id,
    at,
    pattern: body.pattern,
    remote: body.remote,
    host: body.host ?? null,
  };
  const maps = [...reader.where('repo_maps'), row];
  const moved = reader.where('sessions', 'captured_repo', null).flatMap((session): Change[] => {
    const repo = homeOf({ cwd: session.cwd ?? undefined, host: session.host }, maps);
    if (repo === session.repo) return [];
    const next = { ...session, at, repo };
    return [{ table: 'sessions', row: next }, ...followHome(reader, next, at)];
  });
  return [{ table: 'repo_maps', row }, ...moved];
}
/** Where a session lives: as captured, else by the newest map that matches its folder. */
function homeOf(
  session: {
    readonly repo?: string | undefined;
    readonly cwd?: string | undefined;
    readonly host: string;
  },
  maps: readonly RepoMapRow[],
): string | null {
  if (session.repo !== undefined) return session.repo;
  const { cwd } = session;
  if (cwd === undefined) return null;
  const fits = maps.filter(
    (map) => (map.host === null || map.host === session.host) && matchesGlob(map.pattern, cwd),
  );
  return fits.sort((a, b) => b.at - a.at)[0]?.remote ?? null;
}

/** Handoffs that named no repo live where their session lives. */
function followHome(reader: Reader, session: SessionRow, at: number): Change[] {
  return reader
    .where('handoffs', 'session', session.key)
    .filter((row) => row.captured_repo === null && row.repo !== session.repo)
    .map((row) => ({ table: 'handoffs', row: { ...row, at, repo: session.repo } }));
}

/**
 * A handoff is taken by the first sealed session of its repo that had it before it and whose digest shows work. An agent
 * elsewhere that only listed what waits takes nothing away.
 */
function taken(reader: Reader, body: SessionBody, repo: string | null, at: number): Change[] {
  if (!body.digest.worked) return [];
  return body.lineage
    .filter((item) => item.kind === 'handoff')
    .flatMap((item): Change[] => {
      const row = reader.get('handoffs', item.id);
      if (!row || row.taken_by !== null || row.session === body.session) return [];
      if (row.repo !== repo && row.repo !== null && repo !== null) return [];
      return [{ table: 'handoffs', row: { ...row, at, taken_by: body.session } }];
    });
}
