import type { ClaimRow } from '../fold/knowledge-rows.ts';
import type { Sql } from './port.ts';
import { lookUp } from './rarest.ts';

/** So many are judged beside a claim: those that are nearest in words, and those on the same subject. */
const NEAREST_MAX = 16;
const SUBJECT_MAX = 16;

/** Claims that are near another one: by the rarest words of its statement, the nearest first, then those about the same. */
export function neighboursIn(state: Sql): (claim: ClaimRow) => string[] {
  return (claim) => {
    const near = lookUp(state, claim.statement, NEAREST_MAX, (expression) =>
      state.all(
        `SELECT documents.key AS key FROM search JOIN documents ON documents.id = search.rowid
         WHERE search MATCH ? AND documents.kind = 'claim' AND documents.key <> ?
         ORDER BY bm25(search), documents.key LIMIT ?`,
        expression,
        claim.key,
        NEAREST_MAX,
      ),
    );
    const about =
      claim.subject === '[]'
        ? []
        : state.all(
            'SELECT key FROM claims WHERE subject = ? AND key <> ? ORDER BY seq LIMIT ?',
            claim.subject,
            claim.key,
            SUBJECT_MAX,
          );
    return [...new Set([...near, ...about].map(({ key }) => String(key)))];
  };
}
