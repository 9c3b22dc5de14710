import { countHandoffs } from '../../query/handoff.ts';
import { countSessions } from '../../query/session.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';

/** True where anything is recorded: of this home, or of the fleet that it joined. */
export function hasOwn(context: Context): boolean {
  const own = context.tryRead(
    'state',
    (sql) => countSessions(sql) > 0 || countHandoffs(sql, { waiting: false }) > 0,
  );
  return own === true;
}

/**
 * The context that a command reads from: this home's; where nothing of it is recorded yet and the made-up fleet was
 * shown, that fleet's, and it says so.
 */
export function shownContext(context: Context): Context {
  if (hasOwn(context)) return context;
  const sample = context.sampled();
  if (!sample) return context;
  const mark = 'made up: nothing of your own is recorded yet, so this is of the fleet in samples/';
  if (context.out.json) context.out.note(mark);
  else context.out.text(`${pc.yellow('made up')}${mark.slice('made up'.length)}\n`);
  return sample;
}
