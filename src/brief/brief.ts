import { toMs } from '../base/time.ts';
import type { BriefLine, TriggerLine } from '../capture/brief-file.ts';
import { HEADING } from '../capture/fence.ts';
import type { LiveAgent } from '../live/live.ts';
import { isWithin, LIVE_MS } from '../live/observe.ts';
import { agentsOffered, type HandoffView, type Offer } from '../query/handoff.ts';
import type { Family, SessionView } from '../query/session.ts';
import type { Named } from '../query/shown-id.ts';
import type { ClaimLines } from './claim-lines.ts';
import { describeSession, isTroubled, troubledSubagents } from './describe.ts';
import { safeId, safeName, sanitise } from './sanitise.ts';

const LIVE_MAX = 8;
const HANDOFFS_MAX = 6;
const TROUBLED_MAX = 5;
const RECENT_MAX = 12;
/**
 * Trouble is looked for among this many of the newest sessions: older trouble is history. They are all that is
 * needed: whatever trouble takes, enough recent ones are among them.
 */
export const LATELY_MAX = 20;
const OFFERED_MAX = 3;
const TERMS_MAX = 6;
const SUMMARY_BYTES_MAX = 500;
const NEXT_BYTES_MAX = 240;

/** Everything that a briefing is made from; all of it is from the snapshot and the roster. */
export interface BriefInput {
  readonly repo: string;
  readonly sessions: readonly Family[];
  readonly handoffs: readonly HandoffView[];
  readonly live: readonly LiveAgent[];
  readonly now: number;
  /** What is printed of an id: it opens the record, in plain characters. */
  readonly shownId: (kind: Named, key: string) => string;
  /** Asked only for the handoffs that are shown. */
  readonly offersOf: (handoff: string) => readonly Offer[];
  /** Only where the reader may read claims. */
  readonly claims?: ClaimLines | undefined;
  /** What was refused of what the agent proposed. */
  readonly refused?: readonly BriefLine[] | undefined;
}

function line(text: string, items: BriefLine['items'] = [], until?: number): BriefLine {
  const bytes = Buffer.byteLength(text) + 1;
  return { text, bytes, items, ...(until === undefined ? {} : { until }) };
}

function under(heading: string, lines: readonly BriefLine[]): BriefLine[] {
  return lines.length > 0 ? [line(`${HEADING}${heading}`), ...lines] : [];
}

function liveLines({ live, repo, now, shownId }: BriefInput): BriefLine[] {
  return live
    .flatMap((agent) => agent.sessions.map((session) => ({ agent, session })))
    .filter(({ session }) => session.repo === repo)
    .filter(({ session }) => isWithin(LIVE_MS, toMs(session.last_at), now))
    .sort((a, b) => (a.session.last_at < b.session.last_at ? 1 : -1))
    .slice(0, LIVE_MAX)
    .map(({ agent, session }) => {
      const branch = session.branch === undefined ? '' : ` on ${safeName(session.branch, 60)}`;
      const asked = session.asked === undefined ? '' : ` “${sanitise(session.asked, 140)}”`;
      const since = `${session.started_at.slice(0, 16).replace('T', ' ')} UTC`;
      const id = shownId('session', session.session);
      const text = `- [${safeName(agent.agent, 40)}${branch}, since ${since}] (${id})${asked}`;
      // What is said of a running session is of its session, as a digest would be.
      const item = {
        kind: 'digest' as const,
        id: safeId(session.session, 200),
        source: session.session,
        observed_by: agent.agent,
      };
      return line(text, [item], toMs(session.last_at) + LIVE_MS);
    });
}

function handoffLines(input: BriefInput): BriefLine[] {
  const { handoffs, live, shownId, offersOf } = input;
  const urgency = (handoff: HandoffView) => ['blocked', 'partial', 'done'].indexOf(handoff.status);
  const sorted = [...handoffs].sort((a, b) => urgency(a) - urgency(b));
  return sorted.slice(0, HANDOFFS_MAX).map((handoff) => {
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
  });
}

function itemOf({ session, agent }: SessionView): BriefLine['items'][number] {
  return { kind: 'digest', id: safeId(session, 200), source: session, observed_by: agent };
}

function sessionLine(family: Family, { shownId }: BriefInput): BriefLine {
  const told = [family, ...troubledSubagents(family).slice(0, 1)];
  const text = describeSession(family, (session) => shownId('session', session));
  return line(text, told.map(itemOf));
}

/** The words by which a prompt calls a session's line up: the names of the files that it edited most. */
function termsOf(family: Family): string[] {
  const names = [family, ...family.subagents]
    .flatMap(({ digest }) => digest.files)
    .filter((file) => file.edits > 0)
    .map((file) => file.path.split('/').at(-1)?.toLowerCase() ?? '')
    .filter((name) => name.length >= 5 && name.includes('.'));
  return [...new Set(names)].slice(0, TERMS_MAX);
}

/**
 * A briefing's lines, the most useful first: who is at work, what waits for someone, what is held true, what went wrong
 * lately, what was done. Each line names who and when, and has an id that opens its record.
 */
export function composeBrief(input: BriefInput): { lines: BriefLine[]; triggers: TriggerLine[] } {
  const sessions = [...input.sessions].sort((a, b) =>
    a.lastAt < b.lastAt ? 1 : a.lastAt > b.lastAt ? -1 : 0,
  );
  const lately = sessions.slice(0, LATELY_MAX);
  const troubled = lately.filter(isTroubled).slice(0, TROUBLED_MAX);
  const recent = sessions.filter((one) => !troubled.includes(one)).slice(0, RECENT_MAX);
  const toLine = (family: Family) => sessionLine(family, input);
  const { lines: claims, triggers: named } = input.claims ?? { lines: [], triggers: [] };
  const body = [
    ...under('What you proposed and was refused', input.refused ?? []),
    ...under('At work now', liveLines(input)),
    ...under('Handoffs that nobody has picked up', handoffLines(input)),
    ...under(
      'What the fleet holds true (peer observations; verify before relying on these)',
      claims,
    ),
    ...under('Trouble lately', troubled.map(toLine)),
    ...under('Recent sessions', recent.map(toLine)),
  ];
  if (body.length === 0) return { lines: [], triggers: [] };
  const head = [
    line(`## Fleet context: ${sanitise(input.repo, 120)}`),
    line(
      'What other sessions did here, as recorded by their runtimes. Peer observations: verify before relying on these.',
    ),
    line(
      claims.length > 0
        ? '`credence sessions <id>` opens a record, `credence handoffs <id>` a handoff, `credence claims <id>` a claim with its evidence.'
        : '`credence sessions <id>` opens a record, `credence handoffs <id>` a handoff.',
    ),
  ];
  const triggers = [...troubled, ...recent].flatMap((family): TriggerLine[] => {
    const terms = termsOf(family);
    return terms.length > 0 ? [{ ...toLine(family), terms }] : [];
  });
  // What is held true of a thing that a prompt names comes before who was at it last.
  return { lines: [...head, ...body], triggers: [...named, ...triggers] };
}
