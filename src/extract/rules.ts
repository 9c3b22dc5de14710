import { testRunOf } from '../digest/work.ts';
import { subjectOf } from '../record/claim.ts';
import type { Envelope } from '../runtime/envelope.ts';

/** The extractor that needs no model, and its version: another one may find more. */
export const RULES = 'rules/1';

/** So many outcomes are told of one session, the last ones: what came out in the end is what others rely on. */
const OUTCOMES_MAX = 8;

/** What came out of a run of tests, and the message that shows it. */
export interface Outcome {
  readonly statement: string;
  readonly subject: readonly string[];
  readonly message: string;
  readonly observedAt: string;
}

/** A command as it stands in a sentence. */
const named = (command: string) => `\`${command.replaceAll('`', "'")}\``;

/** Where a run took place: at a commit, or where that is not known at a time, on a branch. */
function placeOf({ git_sha, emitted_at, branch }: Envelope): string {
  if (git_sha !== undefined) return `at \`${git_sha.slice(0, 12)}\``;
  const time = `on ${emitted_at.slice(0, 10)} at ${emitted_at.slice(11, 16)} UTC`;
  return branch === undefined ? time : `${time} on branch ${named(branch)}`;
}

/**
 * The outcomes of a session's test runs, as claims that are true of their moment for ever: of each command at each commit the last run of
 * which it is known how it ended. Source: design page 4, "Three tiers", `rules`.
 */
export function outcomesIn(events: readonly Envelope[]): Outcome[] {
  const last = new Map<string, Outcome>();
  for (const event of events) {
    const run = event.message_id === undefined ? undefined : testRunOf(event);
    if (!run || event.message_id === undefined) continue;
    const key = JSON.stringify([run.command, event.git_sha ?? null]);
    last.delete(key);
    last.set(key, {
      statement: `${named(run.command)} ${run.passed ? 'passed' : 'failed'} ${placeOf(event)}.`,
      subject: subjectOf([run.command.slice(0, 256)]),
      message: event.message_id,
      observedAt: event.emitted_at,
    });
  }
  return [...last.values()].slice(-OUTCOMES_MAX);
}
