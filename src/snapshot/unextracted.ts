import type { Unextracted } from '../extract/rule-claims.ts';
import { RULES } from '../extract/rules.ts';
import { principalOf } from '../fold/view.ts';
import { operatorOf } from '../gate/exposure.ts';
import { readerOf } from './database.ts';
import type { Sql } from './port.ts';

/** So many sessions are extracted in one pass: the next one goes on. */
const SESSIONS_MAX = 500;

/**
 * The sealed sessions with test runs whose newest revision no rule has read yet, the oldest first; of those agents for whom a key may
 * speak, which are its operator's.
 */
export function unextractedIn(state: Sql, address: string): Unextracted[] {
  const reader = readerOf(state);
  const operator = principalOf(reader, address)?.operator;
  const rows = state.all(
    `SELECT key, agent, repo FROM sessions WHERE json_array_length(digest, '$.tests') > 0 AND NOT EXISTS (
       SELECT 1 FROM extractions WHERE session = sessions.key AND revision = sessions.revision AND extractor = ? AND state = 'done')
     ORDER BY last_at, key`,
    RULES,
  );
  return rows
    .map(({ key, agent, repo }) => {
      return {
        session: String(key),
        agent: String(agent),
        repo: repo === null ? undefined : String(repo),
      };
    })
    .filter(({ agent }) => operatorOf(reader, agent) === operator)
    .slice(0, SESSIONS_MAX);
}
