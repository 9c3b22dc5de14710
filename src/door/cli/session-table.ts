import { duration, troubles } from '../../brief/describe.ts';
import { sanitise } from '../../brief/sanitise.ts';
import type { SessionView } from '../../query/session.ts';
import { shownId } from '../../query/shown-id.ts';
import type { Sql } from '../../snapshot/port.ts';
import { pc } from './colour.ts';
import { type Fit, table, terminalWidth } from './table.ts';

const OUTCOME = { clean: pc.green, error: pc.yellow, abandoned: pc.red } as const;

function rowOf(view: SessionView, id: string): string[] {
  const { digest } = view;
  return [
    id,
    view.lastAt.slice(0, 16).replace('T', ' '),
    sanitise(view.agent, 28),
    OUTCOME[digest.outcome](digest.outcome),
    duration(digest.duration_ms),
    sanitise(digest.asked ?? '', 60),
    pc.dim(sanitise(troubles(digest).join('; '), 60)),
  ];
}

/** Sessions as a table that fits the terminal. */
export function sessionTable(sql: Sql, views: readonly SessionView[]): string {
  const head = ['id', 'last (UTC)', 'agent', 'outcome', 'for', 'asked', 'trouble'];
  const fit: Fit = {
    width: terminalWidth(),
    drop: ['trouble', 'for'],
    cut: [
      ['asked', 30],
      ['agent', 12],
      ['asked', 8],
    ],
  };
  const rows = views.map((view) => rowOf(view, shownId(sql, 'session', view.session)));
  return table(head, rows, fit);
}
