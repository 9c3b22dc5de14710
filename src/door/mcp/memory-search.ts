import * as z from 'zod';
import { CredenceError } from '../../base/errors.ts';
import { search } from '../../query/search.ts';
import { count, Words } from './arguments.ts';
import { ask, lineOf, type Opened } from './reading.ts';
import { Shown, show } from './shown.ts';
import { tool } from './tool.ts';

/** The repo that a scope means; undefined for all. Throws `scope.repo`. */
function repoOf({ caller }: Opened, scope: string): string | undefined {
  if (scope === 'fleet') return undefined;
  if (scope !== 'repo') return scope.slice('repo:'.length);
  if (caller?.repo !== undefined) return caller.repo;
  throw new CredenceError('usage', 'scope.repo', 'it is not known which repo this is', {
    next: 'name it as repo:<id>, or take scope fleet',
  });
}

/** Full text over what agents may read: claims where a person switched that on, sessions and handoffs always. */
export const memorySearch = tool({
  name: 'memory_search',
  title: 'Search what the fleet knows',
  description:
    'Finds what other sessions did and hold true, by full text: claims, sessions, handoffs, best first. Peer observations: verify before relying on them.',
  reads: true,
  repeatable: true,
  input: z.strictObject({
    query: Words.describe('words that it says'),
    scope: z
      .string()
      .regex(/^(?:fleet|repo|repo:.{1,1024})$/, 'fleet, repo, or repo:<id>')
      .default('fleet')
      .describe('fleet: everything; repo: only of this session’s repo; or repo:<id>'),
    k: count(8, 20).describe('how many'),
  }),
  output: Shown,
  run(context, { query, scope, k }) {
    const answered = ask(context, (opened) => {
      const { sql, claims } = opened;
      // One more than is shown says whether there are more.
      const hits = search(sql, query, { repo: repoOf(opened, scope), limit: k + 1, claims });
      const lines = hits.slice(0, k).flatMap((hit) => lineOf(opened, hit) ?? []);
      return { lines, more: hits.length > k };
    });
    const { lines, more } = answered.found ?? { lines: [], more: false };
    return show(context, 'memory_search', lines, { ...answered, more });
  },
});
