import * as z from 'zod';
import { timeline } from '../../query/timeline.ts';
import { count, Since, Words } from './arguments.ts';
import { ask, lineOf } from './reading.ts';
import { Shown, show } from './shown.ts';
import { tool } from './tool.ts';

/** What is known of a subject, in order of time. */
export const memoryTimeline = tool({
  name: 'memory_timeline',
  title: 'What happened to a thing',
  description:
    'What is known of one thing in order of time, the oldest first: sessions that touched it, outcomes, claims and handoffs that name it. Of more than the limit the newest are shown.',
  reads: true,
  repeatable: true,
  input: z.strictObject({
    subject: Words.describe(
      'its name: a file, a test, a service; every word of it has to stand there',
    ),
    since: Since.optional(),
    limit: count(12, 40).describe('how many'),
  }),
  output: Shown,
  run(context, { subject, since, limit }) {
    const answered = ask(context, (opened) => {
      const { sql, claims } = opened;
      const moments = timeline(sql, subject, { since, limit: limit + 1, claims });
      const more = moments.length > limit;
      const lines = moments.slice(more ? 1 : 0).flatMap((one) => lineOf(opened, one) ?? []);
      return { lines, more };
    });
    const { lines, more } = answered.found ?? { lines: [], more: false };
    return show(context, 'memory_timeline', lines, { ...answered, more, newestLast: true });
  },
});
