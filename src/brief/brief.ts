import type { BriefLine, TriggerLine } from '../capture/brief-file.ts';
import { HEADING } from '../capture/fence.ts';
import type { HandoffView } from '../query/handoff.ts';
import type { Family } from '../query/session.ts';
import type { ClaimLines } from './claim-lines.ts';
import { isTroubled } from './describe.ts';
import { handoffLine, type LineGround, line, liveLines, sessionLine } from './lines.ts';
import { sanitise } from './sanitise.ts';

const HANDOFFS_MAX = 6;
const TROUBLED_MAX = 5;
const RECENT_MAX = 12;
/**
 * Trouble is looked for among this many of the newest sessions: older trouble is history. They are all that is
 * needed: whatever trouble takes, enough recent ones are among them.
 */
export const LATELY_MAX = 20;
const TERMS_MAX = 6;

/** Everything that a briefing is made from; all of it is from the snapshot and the roster. */
export interface BriefInput extends LineGround {
  readonly repo: string;
  readonly sessions: readonly Family[];
  readonly handoffs: readonly HandoffView[];
  /** Only where the reader may read claims. */
  readonly claims?: ClaimLines | undefined;
  /** What was refused of what the agent proposed. */
  readonly refused?: readonly BriefLine[] | undefined;
}

function under(heading: string, lines: readonly BriefLine[]): BriefLine[] {
  return lines.length > 0 ? [line(`${HEADING}${heading}`), ...lines] : [];
}

/** The most urgent first. */
function handoffLines(input: BriefInput): BriefLine[] {
  const urgency = (handoff: HandoffView) => ['blocked', 'partial', 'done'].indexOf(handoff.status);
  const sorted = [...input.handoffs].sort((a, b) => urgency(a) - urgency(b));
  return sorted.slice(0, HANDOFFS_MAX).map((handoff) => handoffLine(handoff, input));
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
    ...under('At work now', liveLines(input, input.repo)),
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
