import { safeId } from '../../brief/sanitise.ts';
import type { ClaimView } from '../../query/claims.ts';
import type { HandoffView } from '../../query/handoff.ts';
import type { Injected } from '../../runtime/envelope.ts';
import type { Context } from './context.ts';

/** A note, a digest, or what is said of a session that runs, which counts as one; or a claim, as an item already. */
type Shown = HandoffView | { readonly session: string; readonly agent: string } | Injected;

function itemOf(view: Shown): Injected {
  if ('kind' in view) return view;
  const from = { source: view.session, observed_by: view.agent };
  return 'summary' in view
    ? { kind: 'handoff', id: view.id, ...from }
    : { kind: 'digest', id: safeId(view.session, 200), ...from };
}

/** A claim, as shown. What cites no session comes from none: its own id is no session's. */
export function shownClaim(claim: ClaimView, source: string | undefined): Injected {
  const { id, observedBy: observed_by } = claim;
  return { kind: 'claim', id, source: source ?? id, observed_by };
}

/** Records what a command is about to show, where an agent runs it inside its session. */
export function recordViews(context: Context, command: string, views: readonly Shown[]): void {
  context.local.recordShown(`credence ${command}`, views.map(itemOf));
}
