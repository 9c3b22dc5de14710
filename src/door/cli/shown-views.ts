import { safeId } from '../../brief/sanitise.ts';
import type { HandoffView } from '../../query/handoff.ts';
import type { Injected } from '../../runtime/envelope.ts';
import type { Context } from './context.ts';

/** A note, a digest, or what is said of a session that runs, which counts as one. */
type Shown = HandoffView | { readonly session: string; readonly agent: string };

function itemOf(view: Shown): Injected {
  const from = { source: view.session, observed_by: view.agent };
  return 'summary' in view
    ? { kind: 'handoff', id: view.id, ...from }
    : { kind: 'digest', id: safeId(view.session, 200), ...from };
}

/** Records what a command is about to show, where an agent runs it inside its session. */
export function recordViews(context: Context, command: string, views: readonly Shown[]): void {
  context.local.recordShown(`credence ${command}`, views.map(itemOf));
}
