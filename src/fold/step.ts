import { ZodError } from 'zod';
import { matchesGlob } from '../base/glob.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import { AdmissionBody, FleetBody, RejectionBody, RepoMapBody } from '../record/fleet.ts';
import type { OpenedRecord } from '../record/record.ts';
import { HandoffBody, SessionBody } from '../record/session.ts';
import type { Change, HandoffRow, Reader, RepoMapRow, SessionRow } from './state.ts';

type Step = (reader: Reader, record: OpenedRecord, at: number) => Change[];

/**
 * One entry → the rows that it changes. Total: an entry that cannot be used is kept and counted as `unusable`,
 * never thrown, so that an older reader can follow a newer writer. Throws what the reader throws, and nothing else.
 */
export function step(reader: Reader, entry: OpenedEntry): Change[] {
  const { seq: at, context } = entry;
  if ('fault' in entry) return [unusable(at, context, entry.fault)];
  const { record } = entry;
  const decided: Change = { table: 'decided', row: { key: record.id, at, context, code: null } };
  const fold = Object.hasOwn(STEPS, context) ? STEPS[context] : undefined;
  if (!fold) return [decided, unusable(at, context, 'fold.unknown_context')];
  try {
    return [decided, ...fold(reader, record, at)];
  } catch (error) {
    // A reader that fails is no fault of the entry: what was folded then would be wrong for ever.
    if (!(error instanceof ZodError)) throw error;
    return [decided, unusable(at, context, 'record.body')];
  }
}

function unusable(at: number, context: string, code: string): Change {
  return { table: 'unusable', row: { key: String(at), at, context, code } };
}

const STEPS: Readonly<Record<string, Step>> = {
  fleet(_reader, record, at) {
    const body = FleetBody.parse(record.body);
    if (at !== 1) return [unusable(at, 'fleet', 'fleet.not_first')];
    const row = {
      key: 'fleet',
      at,
      fleet_id: body.fleet_id,
      admission: body.admission,
      record: record.id,
    };
    return [{ table: 'fleet', row }];
  },

  admission(_reader, record, at) {
    const { address, principal, kind, operator, roles } = AdmissionBody.parse(record.body);
    const row = {
      key: address,
      at,
      principal,
      kind,
      operator,
      roles: [...new Set(roles)].sort().join(' '),
    };
    return [{ table: 'principals', row }];
  },

  rejection(_reader, record, at) {
    const body = RejectionBody.parse(record.body);
    const key = body.record ?? `${body.item}#${body.line ?? 0}`;
    return [{ table: 'decided', row: { key, at, context: 'rejection', code: body.code } }];
  },

  session(reader, record, at) {
    const body = SessionBody.parse(record.body);
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
      digest: JSON.stringify(body.digest),
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
  },

  handoff(reader, record, at) {
    const body = HandoffBody.parse(record.body);
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
  },

  'repo-map'(reader, record, at) {
    const body = RepoMapBody.parse(record.body);
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
  },
};

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
