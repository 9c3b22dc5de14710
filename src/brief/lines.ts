import { toMs } from '../base/time.ts';
import type { BriefLine } from '../capture/brief-file.ts';
import type { LiveAgent } from '../live/live.ts';
import { isWithin, LIVE_MS } from '../live/observe.ts';
import type { ClaimView } from '../query/claims.ts';
import { firstCited, type Reach } from '../query/claims-for.ts';
import { agentsOffered, type HandoffView, type Offer } from '../query/handoff.ts';
import type { Family, SessionView } from '../query/session.ts';
import { type Named, shownId } from '../query/shown-id.ts';
import { readerOf } from '../snapshot/database.ts';
import type { Sql } from '../snapshot/port.ts';
import { describeSession, troubledSubagents } from './describe.ts';
import { describeClaim, observer } from './describe-claim.ts';
import { safeId, safeName, sanitise } from './sanitise.ts';

/*
 * One line for each thing that is put before an agent, wherever that is: who, when, an id that opens it, and what of it
 * counts as shown.
 */

const LIVE_MAX = 8;
const OFFERED_MAX = 3;
const SUMMARY_BYTES_MAX = 500;
const NEXT_BYTES_MAX = 240;
/** Of what a claim is contested with this much is shown. */
const SIDES_MAX = 2;
const SIDE_BYTES_MAX = 240;

/** What lines need to know beside what they are of. */
export interface LineGround {
  readonly live: readonly LiveAgent[];
  readonly now: number;
  /** What is printed of an id: it opens the record, in plain characters. */
  readonly shownId: (kind: Named, key: string) => string;
  /** Asked only for the handoffs that are shown. */
  readonly offersOf: (handoff: string) => readonly Offer[];
}

/** A line of a briefing. `until` is in milliseconds since the epoch. */
export function line(text: string, items: BriefLine['items'] = [], until?: number): BriefLine {
  const bytes = Buffer.byteLength(text) + 1;
  return { text, bytes, items, ...(until === undefined ? {} : { until }) };
}

/** What is shown of a session, sealed or running: it counts as its digest. */
function sessionItem({ session, agent }: Pick<SessionView, 'session' | 'agent'>) {
  const id = safeId(session, 200);
  return { kind: 'digest' as const, id, source: session, observed_by: agent };
}

/** Who is at work in a repo, or in any where none is named: the last heard of first. */
export function liveLines(
  { live, now, shownId }: Omit<LineGround, 'offersOf'>,
  repo?: string,
): BriefLine[] {
  return live
    .flatMap((agent) => agent.sessions.map((session) => ({ agent, session })))
    .filter(({ session }) => repo === undefined || session.repo === repo)
    .filter(({ session }) => isWithin(LIVE_MS, toMs(session.last_at), now))
    .sort((a, b) => (a.session.last_at < b.session.last_at ? 1 : -1))
    .slice(0, LIVE_MAX)
    .map(({ agent, session }) => {
      const branch = session.branch === undefined ? '' : ` on ${safeName(session.branch, 60)}`;
      const asked = session.asked === undefined ? '' : ` “${sanitise(session.asked, 140)}”`;
      const since = `${session.started_at.slice(0, 16).replace('T', ' ')} UTC`;
      const id = shownId('session', session.session);
      const text = `- [${safeName(agent.agent, 40)}${branch}, since ${since}] (${id})${asked}`;
      const item = sessionItem({ session: session.session, agent: agent.agent });
      return line(text, [item], toMs(session.last_at) + LIVE_MS);
    });
}

/** A note with whom it was offered to. */
export function handoffLine(
  handoff: HandoffView,
  { live, shownId, offersOf }: Omit<LineGround, 'now'>,
): BriefLine {
  const agents = agentsOffered(offersOf(handoff.id), live, handoff.id);
  const offered = [...new Set(agents.map((agent) => safeName(agent, 40)))].slice(0, OFFERED_MAX);
  const to = offered.length > 0 ? `offered to ${offered.join(', ')}` : 'not offered yet';
  const facts = [
    safeName(handoff.agent, 40),
    handoff.issuedAt.slice(0, 10),
    handoff.status,
    to,
  ].join(', ');
  const next =
    handoff.next === undefined ? '' : `\n  Next: ${sanitise(handoff.next, NEXT_BYTES_MAX)}`;
  const text = `- [${facts}] (${shownId('handoff', handoff.id)}) ${sanitise(handoff.summary, SUMMARY_BYTES_MAX)}${next}`;
  return line(text, [
    { kind: 'handoff', id: handoff.id, source: handoff.session, observed_by: handoff.agent },
  ]);
}

/** A session with the first of its subagents that had trouble. */
export function sessionLine(family: Family, { shownId }: Pick<LineGround, 'shownId'>): BriefLine {
  const told = [family, ...troubledSubagents(family).slice(0, 1)];
  const text = describeSession(family, (session) => shownId('session', session));
  return line(text, told.map(sessionItem));
}

/** A claim with its standing. */
export function claimLine(
  snapshot: Sql,
  { claim, reach }: { readonly claim: ClaimView; readonly reach: Reach | 'elsewhere' },
  verifyFirst: boolean,
): BriefLine {
  const id = shownId(snapshot, 'claim', claim.id);
  // What cites no session comes from none: its own id is no session's.
  const source = firstCited(readerOf(snapshot), claim.id) ?? claim.id;
  const item = { kind: 'claim' as const, id: claim.id, source, observed_by: claim.observedBy };
  const others = otherSides(snapshot, claim);
  const text = [
    describeClaim(claim, { reach, verifyFirst, id }),
    ...others.map(({ text }) => text),
  ];
  return line(text.join('\n'), [item, ...others.flatMap(({ items }) => items)]);
}

/** What a contested claim is contested with, as far as this reader may know it: both sides count as shown. */
function otherSides(snapshot: Sql, { status, against }: ClaimView): BriefLine[] {
  if (status !== 'contested') return [];
  const reader = readerOf(snapshot);
  const others = against.flatMap((id) => reader.get('claims', id) ?? []);
  return others.slice(0, SIDES_MAX).map(({ key, statement, observed_by, asserted_at }) => {
    const who = observer({ observedBy: observed_by });
    const id = shownId(snapshot, 'claim', key);
    const said = sanitise(statement, SIDE_BYTES_MAX);
    const source = firstCited(reader, key) ?? key;
    return line(`  against it: [${who}, ${asserted_at.slice(0, 10)}] (${id}) ${said}`, [
      { kind: 'claim', id: key, source, observed_by },
    ]);
  });
}
