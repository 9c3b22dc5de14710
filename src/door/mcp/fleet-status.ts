import * as z from 'zod';
import { handoffLine, line, liveLines } from '../../brief/lines.ts';
import { refusedLines } from '../../brief/refused-lines.ts';
import { safeId, safeName, sanitise } from '../../brief/sanitise.ts';
import { isPartOf } from '../../capture/answer.ts';
import type { BriefLine, Intent } from '../../capture/brief-file.ts';
import { HEADING } from '../../capture/fence.ts';
import { listHandoffs } from '../../query/handoff.ts';
import { type Caller, callerOf } from './caller.ts';
import { intentLine } from './intent-line.ts';
import { ask } from './reading.ts';
import { Shown, show } from './shown.ts';
import { type ToolContext, tool } from './tool.ts';

const HANDOFFS_MAX = 6;
const INTENTS_MAX = 8;

const Output = Shown.extend({
  session: z.string().optional(),
  agent: z.string().optional(),
  repo: z.string().optional(),
  waiting: z.object({
    proposals: z.int(),
    handoffs: z.int(),
    refused: z.int(),
  }),
});

function under(heading: string, lines: readonly BriefLine[]): BriefLine[] {
  return lines.length > 0 ? [line(`${HEADING}${heading}`), ...lines] : [];
}

/** The caller itself; it is not recorded as shown to itself. */
function selfLine({ session, agent, repo }: Caller): BriefLine {
  const where = repo === undefined ? 'in no known repo' : `in ${sanitise(repo, 200)}`;
  const item = {
    kind: 'digest' as const,
    id: safeId(session, 200),
    source: session,
    observed_by: agent,
  };
  return line(`- [you: ${safeName(agent, 40)}] (${safeId(session, 64)}) ${where}`, [item]);
}

function intentsOf(context: ToolContext, caller: Caller | undefined): Intent[] {
  const now = context.home().world.now();
  return context
    .liveIntents()
    .filter(({ until, repo }) => until > now && (!caller?.repo || repo === caller.repo))
    .filter(({ session }) => !caller || !isPartOf(caller.session, session))
    .slice(0, INTENTS_MAX);
}

/** Who is at work, what waits, and who asks. */
export const fleetStatus = tool({
  name: 'fleet_status',
  title: 'Who is at work',
  description:
    'Who is at work in this repo now and on which files, handoffs that nobody has picked up, what of your own proposals was refused; and which session, agent and repo this is.',
  reads: true,
  repeatable: true,
  input: z.strictObject({}),
  output: Output,
  run(context) {
    const caller = callerOf(context);
    const now = context.home().world.now();
    const proposals = context.local.proposals();
    const refused = caller ? refusedLines(proposals.refused(), caller.agent, now) : [];
    const answered = ask(context, ({ sql, ground }) => {
      const others = ground.live.map((agent) => ({
        ...agent,
        sessions: agent.sessions.filter(
          ({ session }) => !caller || !isPartOf(caller.session, session),
        ),
      }));
      const filter = { repo: caller?.repo, waiting: true, limit: HANDOFFS_MAX + 1 };
      const handoffs = listHandoffs(sql, filter);
      const notes = handoffs.slice(0, HANDOFFS_MAX).map((one) => handoffLine(one, ground));
      const more = handoffs.length > HANDOFFS_MAX;
      return { live: liveLines({ ...ground, live: others }, caller?.repo), notes, more };
    });
    const { live, notes, more } = answered.found ?? { live: [], notes: [], more: false };
    const lines = [
      ...(caller ? [selfLine(caller)] : []),
      ...under('What you proposed and was refused', refused),
      ...under('At work now', live),
      ...under('What others work on', intentsOf(context, caller).map(intentLine)),
      ...under('Handoffs that nobody has picked up', notes),
    ];
    const queued = proposals.list().length;
    const outbox = context.local.outbox();
    const waits = `waiting here for the next sync: proposals ${queued}, handoffs ${outbox}`;
    const shown = show(context, 'fleet_status', lines, {
      ...answered,
      notes: [...answered.notes, ...(queued + outbox > 0 ? [waits] : [])],
      more,
    });
    const known = caller && {
      session: caller.session,
      agent: caller.agent,
      ...(caller.repo === undefined ? {} : { repo: caller.repo }),
    };
    const waiting = { proposals: queued, handoffs: outbox, refused: refused.length };
    return { text: shown.text, value: { ...shown.value, ...known, waiting } };
  },
});
