import * as z from 'zod';
import { sessionLine } from '../../brief/lines.ts';
import { safeId } from '../../brief/sanitise.ts';
import { listFamilies } from '../../query/session.ts';
import { findKey } from '../../query/shown-id.ts';
import { opened as byAnyForm } from '../cli/opened.ts';
import { count, Repo, Since } from './arguments.ts';
import { speakerOf } from './caller.ts';
import { ownMessages } from './own-events.ts';
import { ask, lineOf } from './reading.ts';
import { Shown, show } from './shown.ts';
import { type ToolContext, tool } from './tool.ts';

const CURRENT = 'current';

const Input = z.strictObject({
  repo: Repo.optional().describe('only this repo, or `all`; the session’s own unless told'),
  since: Since.optional(),
  limit: count(10, 40).describe('how many'),
  session: z
    .string()
    .min(1)
    .max(256)
    .optional()
    .describe(
      '`current`: what this session said and did, with the message ids that evidence cites; or another one’s id',
    ),
});

const Output = Shown.extend({
  messages: z
    .array(z.object({ message_id: z.string(), at: z.string(), what: z.string() }))
    .optional()
    .describe('of the current session: what a citation can name'),
});

const NAME = 'fleet_history';

/** The caller's own messages, from the spool alone. */
function own(context: ToolContext, { since = '', limit }: z.output<typeof Input>) {
  const caller = speakerOf(context, 'the current session');
  const all = ownMessages(context.held(caller.session), caller);
  const wanted = all.filter(({ message }) => message.at >= since);
  const last = wanted.slice(-limit);
  const more = wanted.length > last.length;
  const notes = [`session_id of these: ${safeId(caller.session, 256)}`];
  const shown = show(
    context,
    NAME,
    last.map((one) => one.line),
    { notes, as_of: undefined, more, newestLast: true },
  );
  const messages = last
    .filter(({ message }) => shown.value.context.includes(`(${message.message_id})`))
    .map(({ message }) => message);
  return { text: shown.text, value: { ...shown.value, messages } };
}

/** What other sessions did, and what this one did so far. */
export const fleetHistory = tool({
  name: NAME,
  title: 'What sessions did',
  description:
    'The sessions of a repo, the newest first, as their runtimes recorded them: what was asked, what went wrong, what was done. With session `current`: this session’s own messages, to cite from.',
  reads: true,
  repeatable: true,
  input: Input,
  output: Output,
  run(context, given) {
    if (given.session === CURRENT) return own(context, given);
    const answered = ask(context, (opened) => {
      const { sql, caller, ground } = opened;
      if (given.session !== undefined) {
        const id = byAnyForm(given.session, (typed) => findKey(sql, 'session', typed));
        return { lines: [lineOf(opened, { kind: 'session', id }) ?? []].flat(), more: false };
      }
      const repo = given.repo === 'all' ? undefined : (given.repo ?? caller?.repo);
      const families = listFamilies(sql, repo, given.limit + 1, given.since);
      const lines = families.slice(0, given.limit).map((family) => sessionLine(family, ground));
      return { lines, more: families.length > given.limit };
    });
    const { lines, more } = answered.found ?? { lines: [], more: false };
    return show(context, NAME, lines, { ...answered, more });
  },
});
