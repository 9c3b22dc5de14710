import { CredenceError } from '../base/errors.ts';
import type { LiveAgent } from '../live/live.ts';
import { keysMeant } from './shown-id.ts';

/** What is known of a session before its seal: what its host says of it. */
export interface RunningView {
  readonly session: string;
  readonly agent: string;
  readonly runtime: string;
  readonly host?: string;
  readonly repo?: string | undefined;
  readonly branch?: string | undefined;
  readonly startedAt?: string;
  readonly lastAt?: string;
  readonly asked?: string | undefined;
}

/** The session of the roster that an id, or its beginning, means; undefined where none does. Throws `session.ambiguous`. */
export function findRunning(live: readonly LiveAgent[], id: string): RunningView | undefined {
  const views = live.flatMap(({ agent, runtime, host, sessions }): RunningView[] =>
    sessions.map(({ session, repo, branch, started_at: startedAt, last_at: lastAt, asked }) => {
      return { session, agent, runtime, host, repo, branch, startedAt, lastAt, asked };
    }),
  );
  const [key, ...others] = keysMeant([...new Set(views.map(({ session }) => session))], id);
  if (others.length === 0) return views.find(({ session }) => session === key);
  throw new CredenceError(
    'incorrect',
    'session.ambiguous',
    `${others.length + 1} running sessions begin with ${id}`,
    { data: { id, candidates: [key ?? '', ...others].slice(0, 10) }, next: 'give more of the id' },
  );
}
