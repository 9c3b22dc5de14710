import type { Change, HandoffRow, SessionRow } from '../fold/state.ts';
import type { Digest } from '../record/digest.ts';
import { indexText } from './tokens.ts';

/** A row of the full-text index, or undefined for rows that nobody searches. */
export interface Document {
  readonly kind: 'session' | 'handoff';
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
  return undefined;
}
