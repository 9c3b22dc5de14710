import type { Command } from 'commander';
import { observer } from '../../brief/describe-claim.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { type ClaimView, getClaim } from '../../query/claims.ts';
import { firstCited } from '../../query/claims-for.ts';
import { getHandoff, type HandoffView } from '../../query/handoff.ts';
import { type ClaimsSought, type Hit, search } from '../../query/search.ts';
import { getSession, type SessionView } from '../../query/session.ts';
import { shownId } from '../../query/shown-id.ts';
import { type Moment, timeline } from '../../query/timeline.ts';
import { readerOf } from '../../snapshot/database.ts';
import type { Sql } from '../../snapshot/port.ts';
import { limitOf, remoteOrId } from './arguments.ts';
import { claimReader, fleetSpace } from './claim-reader.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { narrowed } from './read-commands.ts';
import { shownContext } from './shown-context.ts';
import { recordViews, shownClaim } from './shown-views.ts';
import { type Fit, table, terminalWidth } from './table.ts';

type View = SessionView | HandoffView | ClaimView;

/** What a hit is of, as of `now`. */
function viewOf(sql: Sql, { kind, id }: Pick<Hit, 'kind' | 'id'>, now: number): View | undefined {
  if (kind === 'session') return getSession(sql, id);
  return kind === 'handoff' ? getHandoff(sql, id) : getClaim(readerOf(sql), id, { now });
}

/** The day, who, and what about. */
function cellsOf(view: View): string[] {
  if ('digest' in view)
    return [
      view.lastAt.slice(0, 10),
      sanitise(view.agent, 28),
      sanitise(view.digest.asked ?? '', 80),
    ];
  if ('statement' in view) {
    const mark = view.status === 'promoted' ? '' : ` (${view.status})`;
    return [view.assertedAt.slice(0, 10), observer(view), `${sanitise(view.statement, 80)}${mark}`];
  }
  return [view.issuedAt.slice(0, 10), sanitise(view.agent, 28), sanitise(view.summary, 80)];
}

interface SearchOptions {
  readonly repo?: string;
  readonly limit: number;
  readonly timeline?: boolean;
}

/** What fits, the best first; or what says every word, in order of time. One more than is shown says whether there are more. */
function found(
  sql: Sql,
  words: string,
  { repo, limit, timeline: inTime }: SearchOptions,
  claims: ClaimsSought,
): { readonly hits: readonly (Hit | Moment)[]; readonly isAll: boolean } {
  const most = limit + 1;
  if (inTime !== true) {
    const hits = search(sql, words, { repo, limit: most, claims });
    return { hits: hits.slice(0, limit), isAll: hits.length <= limit };
  }
  const moments = timeline(sql, words, { repo, limit: most, claims });
  return { hits: moments.slice(-limit), isAll: moments.length <= limit };
}

function printFound(context: Context, words: string, options: SearchOptions): void {
  const { limit } = options;
  const { shown, isAll, note } = context.read('state', (sql) => {
    const { searches, note } = claimReader(context, fleetSpace(sql));
    const { hits, isAll } = found(sql, words, options, searches);
    const shown = hits.flatMap((hit) => {
      const view = viewOf(sql, hit, context.home().world.now());
      if (!view) return [];
      const item =
        'statement' in view ? shownClaim(view, firstCited(readerOf(sql), view.id)) : view;
      return [{ hit, view, item, id: shownId(sql, hit.kind, hit.id) }];
    });
    return { shown, isAll, note };
  });
  recordViews(
    context,
    'search',
    shown.map(({ item }) => item),
  );
  // A claim has a kind of its own: what was found keeps the name of the hit's.
  context.out.value(shown.map(({ hit, view }) => ({ ...view, ...hit })));
  if (note !== undefined) context.out.note(note);
  if (shown.length === 0) {
    context.out.text(`nothing fits “${sanitise(words, 200)}”${narrowed(options)}`);
    return;
  }
  const rows = shown.map(({ hit, view, id }) => [id, hit.kind, ...cellsOf(view)]);
  const fit: Fit = {
    width: terminalWidth(),
    drop: ['day'],
    cut: [
      ['about', 30],
      ['agent', 12],
      ['about', 8],
    ],
  };
  context.out.text(table(['id', 'kind', 'day', 'agent', 'about'], rows, fit));
  if (!isAll)
    context.out.text(
      pc.dim(`the ${options.timeline ? 'newest' : 'best'} ${limit}; --limit shows more`),
    );
}

/** `credence search <words>`. */
export function searchCommand(program: Command, context: Context): void {
  program
    .command('search')
    .description('full-text search over sessions, handoffs and claims')
    .argument('<words...>')
    .option('--repo <id>', 'only this repo', remoteOrId)
    .option('--limit <n>', 'how many', limitOf, 10)
    .option('--timeline', 'in order of time, what says every word')
    .addHelpText(
      'after',
      '\nExample:\n  credence search flaky upload test\n  credence search --timeline config.ts',
    )
    .action((words: string[], options: SearchOptions) =>
      printFound(shownContext(context), words.join(' '), options),
    );
}
