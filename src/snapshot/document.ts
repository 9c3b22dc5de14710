import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Change, HandoffRow, SessionRow, TableName } from '../fold/state.ts';
import type { Digest } from '../record/digest.ts';
import { indexText } from './tokens.ts';

/** What is searched for. */
export type DocumentKind = 'session' | 'handoff' | 'claim';

/** Which table's rows are searched, and as what. */
export const KINDS: Readonly<Partial<Record<TableName, DocumentKind>>> = {
  sessions: 'session',
  handoffs: 'handoff',
  claims: 'claim',
};

/** A row of the full-text index, or undefined for rows that nobody searches. */
export interface Document {
  readonly kind: DocumentKind;
  readonly key: string;
  readonly repo: string | null;
  readonly text: string;
}

function sessionText(row: SessionRow): string {
  const digest = JSON.parse(row.digest) as Digest;
  return [
    digest.asked,
    digest.replied,
    digest.branch,
    row.agent,
    ...digest.files.map((file) => file.path),
    ...digest.commands.map((line) => line.command),
    ...digest.tests.map((line) => line.command),
    ...digest.commits.map((commit) => `${commit.sha} ${commit.subject}`),
  ].join('\n');
}

function handoffText(row: HandoffRow): string {
  return [row.summary, row.next, row.agent, row.status].join('\n');
}

function claimText(row: ClaimRow): string {
  const names = [row.subject, row.topics].flatMap((list) => JSON.parse(list) as string[]);
  return [row.statement, ...names, row.claim_type, row.observed_by].join('\n');
}

/** How a segment says that a claim is of one repo. */
const OF_REPO = 'repo:';

/** The repo that a segment narrows a claim to; null where it is another segment, or none. */
export function repoOfSegment(segment: string | null): string | null {
  return segment?.startsWith(OF_REPO) === true ? segment.slice(OF_REPO.length) : null;
}

/** What a changed row puts into the index. */
export function documentOf(change: Change): Document | undefined {
  if (change.table === 'sessions') {
    const { row } = change;
    return {
      kind: 'session',
      key: row.key,
      repo: row.repo,
      text: indexText(sessionText(row)),
    };
  }
  if (change.table === 'handoffs') {
    const { row } = change;
    return {
      kind: 'handoff',
      key: row.key,
      repo: row.repo,
      text: indexText(handoffText(row)),
    };
  }
  if (change.table === 'claims') {
    const { row } = change;
    return {
      kind: 'claim',
      key: row.key,
      repo: repoOfSegment(row.segment),
      text: indexText(claimText(row)),
    };
  }
  return undefined;
}
