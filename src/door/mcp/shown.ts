import * as z from 'zod';
import { LIMIT } from '../../base/limits.ts';
import { safeId, safeName } from '../../brief/sanitise.ts';
import type { BriefLine } from '../../capture/brief-file.ts';
import { fence } from '../../capture/fence.ts';
import { type Answered, AsOf } from './reading.ts';
import type { Reply, ToolContext } from './tool.ts';

/**
 * What every tool that reads answers. `items` are what the lines of `context` show, and what is recorded as shown; a digest
 * is of a session. `recorded` is false where nothing of the session that asks is captured. Without words in the schema: each
 * of them would stand in the list of tools five times.
 */
export const Shown = z.object({
  context: z.string(),
  items: z.array(
    z.object({
      kind: z.enum(['claim', 'handoff', 'digest']),
      id: z.string(),
      source: z.string(),
      observed_by: z.string(),
    }),
  ),
  truncated: z.boolean(),
  recorded: z.boolean(),
  notes: z.array(z.string()),
  as_of: AsOf.optional(),
});
export type Shown = z.infer<typeof Shown>;

const NOT_RECORDED =
  'what this shows is not recorded: nothing of the session that asks is captured now';

function itemOf({ kind, id, source, observed_by }: BriefLine['items'][number]) {
  return {
    kind,
    id: safeId(id, 200),
    source: safeId(source, 200),
    observed_by: safeName(observed_by, 80),
  };
}

/** What goes with the lines; `newestLast` where those that come first are left out, if there is no room for all. */
interface ShownWith extends Omit<Answered<unknown>, 'found'> {
  readonly more: boolean;
  readonly newestLast?: boolean;
  /** What is said where there are no lines. */
  readonly empty?: string;
}

function fitting(lines: readonly BriefLine[], now: number, newestLast: boolean) {
  const whole = fence(lines, now, LIMIT.mcp_reply_bytes_max);
  if (!newestLast || whole?.cut === false) return whole;
  const fits = lines.findIndex(
    (_, at) => fence(lines.slice(at), now, LIMIT.mcp_reply_bytes_max)?.cut === false,
  );
  const rest = fits < 0 ? undefined : fence(lines.slice(fits), now, LIMIT.mcp_reply_bytes_max);
  return rest && { ...rest, cut: true };
}

/**
 * Answers with lines, in a fence, as many as fit; what they show is in the caller's spool before this returns (law 9).
 * `more` says that there are more than were found. Throws where it can't be recorded.
 */
export function show(
  context: ToolContext,
  name: string,
  lines: readonly BriefLine[],
  { notes, as_of, more, newestLast = false, empty = 'nothing fits' }: ShownWith,
): Reply<Shown> {
  const fenced = fitting(lines, context.home().world.now(), newestLast);
  const recorded = context.local.recordShown(`mcp ${name}`, fenced?.items ?? []);
  // Where not even one line has room there is no fence.
  const truncated = more || (fenced?.cut ?? lines.length > 0);
  const all = [
    ...(lines.length === 0 ? [empty] : []),
    ...(truncated ? ['there is more: ask for something narrower, or for more of it'] : []),
    ...notes,
    ...(recorded ? [] : [NOT_RECORDED]),
  ];
  const value = {
    context: fenced?.text ?? '',
    items: (fenced?.items ?? []).map(itemOf),
    truncated,
    recorded,
    notes: all,
    ...(as_of === undefined ? {} : { as_of }),
  };
  const age = as_of && `as of position ${as_of.position}, synced ${as_of.synced_at ?? 'never'}`;
  const text = [value.context, ...all.map((note) => `(${note})`), ...(age ? [`(${age})`] : [])];
  return { text: text.filter((part) => part !== '').join('\n'), value };
}
