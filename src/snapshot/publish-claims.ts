import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Change } from '../fold/state.ts';
import { applyChanges, meta, readerOf, removeRow, setMeta } from './database.ts';
import type { Sql } from './port.ts';
import type { READ_TABLES } from './schema.ts';

/*
 * What of the claims agents may see, in `agent.sqlite`. Other tables only grow; a claim comes and goes: one that becomes
 * visible brings what was said about it before, and one that is withdrawn takes all of that with it.
 */

/** Whose eyes claims are published for. */
export interface Eyes {
  /** The fleet's own space: claims of other spaces are for those who ask for them by name. */
  readonly space: string;
  /** The ids of this home's agents. */
  readonly own: readonly string[];
}

/**
 * True for a claim that agents of a home may see: promoted, contested if it ever was or with what was, or an own agent's candidate. Never what was retired,
 * superseded or rejected, and never what another agent only supposes. Source: design page 6, "What agents are shown".
 */
export function isVisible(claim: ClaimRow, { space, own }: Eyes): boolean {
  if (claim.space !== space || claim.retired !== null || claim.superseded_by !== null) return false;
  // What contests a claim stands beside it, also where it was never promoted itself.
  const isContested = claim.promoted_at !== null || claim.against !== '[]';
  const isShown = claim.status === 'accepted' || (claim.status === 'contested' && isContested);
  if (isShown) return claim.claim_type !== 'hypothesis';
  return claim.status === 'pending' && own.includes(claim.observed_by);
}

/** The key of an artifact's latest change. */
const artifactKey = (space: string, uri: string) => JSON.stringify([space, uri]);

function artifactsOf({ space, refs }: Pick<ClaimRow, 'space' | 'refs'>): string[] {
  return (JSON.parse(refs) as { uri: string }[]).map(({ uri }) => artifactKey(space, uri));
}

/** Rows as they stand in a table, as changes. */
function rowsIn(
  state: Sql,
  table: (typeof READ_TABLES)[number],
  where: string,
  ...values: (string | number)[]
): Change[] {
  const rows = state.all(`SELECT * FROM ${table} WHERE ${where}`, ...values);
  return rows.map((row) => ({ table, row }) as unknown as Change);
}

/** A claim with all that its standing rests on. */
function appear(state: Sql, agent: Sql, claim: ClaimRow): void {
  applyChanges(agent, [
    { table: 'claims', row: claim },
    ...rowsIn(state, 'endorsements', 'claim = ?', claim.key),
    ...rowsIn(state, 'citations', 'claim = ?', claim.key),
    ...artifactsOf(claim).flatMap((key) => rowsIn(state, 'artifacts', 'key = ?', key)),
  ]);
}

/** Its bytes too: what was withdrawn is not to be found in the pages that it left. */
function disappear(agent: Sql, key: string): void {
  agent.exec('PRAGMA secure_delete = ON');
  agent.run("INSERT INTO search (search, rank) VALUES ('secure-delete', 1)");
  removeRow(agent, 'claims', key);
  agent.run('DELETE FROM endorsements WHERE claim = ?', key);
  agent.run('DELETE FROM citations WHERE claim = ?', key);
}

/** The artifacts that visible claims refer to. */
function artifactsIn(agent: Sql): Set<string> {
  const rows = agent.all('SELECT space, refs FROM claims');
  return new Set(rows.flatMap((row) => artifactsOf(row as unknown as ClaimRow)));
}

/** What is said of a claim that was visible before, and goes on to be. */
function publishPositions(state: Sql, agent: Sql, from: number): void {
  for (const change of rowsIn(state, 'endorsements', 'at > ?', from)) {
    const claim = String((change.row as { readonly claim?: string }).claim);
    if (readerOf(agent).get('claims', claim) === undefined) continue;
    const cited = rowsIn(state, 'citations', 'claim = ? AND record = ?', claim, change.row.key);
    applyChanges(agent, [change, ...cited]);
  }
}

function publishArtifacts(state: Sql, agent: Sql, from: number, someLeft: boolean): void {
  const changed = rowsIn(state, 'artifacts', 'at > ?', from);
  if (changed.length === 0 && !someLeft) return;
  const wanted = artifactsIn(agent);
  applyChanges(
    agent,
    changed.filter(({ row }) => wanted.has(row.key)),
  );
  if (!someLeft) return;
  for (const { key } of readerOf(agent).where('artifacts'))
    if (!wanted.has(key)) removeRow(agent, 'artifacts', key);
}

/**
 * Brings the claims of the agents' snapshot from a position to the state's, for the eyes of this home. To be called in the
 * transaction that moves its position. Where the home has other agents than before every claim is looked at again.
 */
export function publishClaims(state: Sql, agent: Sql, position: number, eyes: Eyes): void {
  const whose = JSON.stringify([eyes.space, [...eyes.own].sort()]);
  const from = meta(agent, 'eyes') === whose ? position : 0;
  let someLeft = false;
  for (const { row } of rowsIn(state, 'claims', 'at > ?', from)) {
    const claim = row as ClaimRow;
    if (isVisible(claim, eyes)) appear(state, agent, claim);
    else if (readerOf(agent).get('claims', claim.key) !== undefined) {
      disappear(agent, claim.key);
      someLeft = true;
    }
  }
  publishPositions(state, agent, from);
  publishArtifacts(state, agent, from, someLeft);
  for (const table of ['policies', 'scores'] as const)
    applyChanges(agent, rowsIn(state, table, 'at > ?', from));
  setMeta(agent, 'eyes', whose);
}
