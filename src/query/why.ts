import type { Reader } from '../fold/state.ts';
import { evidenceOf } from '../gate/evidence.ts';
import { ExposureReader, type Step } from '../gate/exposure.ts';
import { neededFor } from '../gate/gates.ts';
import { independenceOf, type Merge } from '../gate/independence.ts';

/** A session that supports a claim. */
export interface WhySession {
  readonly session: string;
  readonly agent: string;
  readonly operator: string | undefined;
  readonly observedAt: string | undefined;
  /** The claim that it speaks for, where that was joined into this one. */
  readonly through: string | undefined;
}

/** How a session came to be no observation of its own. */
export type WhyMerge =
  | {
      readonly why: 'exposed';
      readonly session: string;
      /** The session it comes from; undefined where it is a claim that none of these supports. */
      readonly from: string | undefined;
      /** What was before whom, and through which channel, from the claim's session back. */
      readonly path: readonly Step[];
    }
  | {
      readonly why: Exclude<Merge['why'], 'exposed'>;
      readonly session: string;
      readonly with: string;
    };

/** Sessions that are one observation. */
export interface WhyClass {
  readonly counts: boolean;
  readonly sessions: readonly WhySession[];
  readonly merges: readonly WhyMerge[];
}

/** Why a claim's sessions are so many observations. */
export interface Why {
  readonly claim: string;
  /** The claims that say the same, and count for it. */
  readonly joined: readonly string[];
  readonly sessions: number;
  readonly independent: number;
  readonly needs: number;
  readonly classes: readonly WhyClass[];
  /** Sessions of which nobody has said yet what was before them. */
  readonly unread: readonly string[];
}

function mergeOf(merge: Merge): WhyMerge {
  if (merge.why !== 'exposed') return merge;
  const { session, trace } = merge;
  return { why: 'exposed', session, from: trace.from, path: trace.steps };
}

/** Counts a claim's observations as the gate does, and says how. Undefined for a claim that is not known. */
export function whyOf(reader: Reader, id: string): Why | undefined {
  const claim = reader.get('claims', id);
  if (!claim) return undefined;
  const evidence = evidenceOf(reader, claim);
  const { classes, count, unread } = independenceOf(reader, evidence, new ExposureReader(reader));
  const claimOf = new Map(
    evidence.claims.flatMap(({ key }) =>
      reader.where('citations', 'claim', key).map(({ record, claim: of }) => [record, of] as const),
    ),
  );
  const told = classes.map(({ counts, supports, merges }) => ({
    counts,
    sessions: supports.map(({ session, observedBy, record, episodes }): WhySession => {
      const of = claimOf.get(record);
      return {
        session,
        agent: observedBy,
        operator: reader.where('principals', 'principal', observedBy)[0]?.operator,
        observedAt: episodes.map(({ observedAt }) => observedAt).sort()[0],
        through: of === id ? undefined : of,
      };
    }),
    merges: merges.map(mergeOf),
  }));
  return {
    claim: id,
    joined: evidence.claims.map(({ key }) => key).filter((key) => key !== id),
    sessions: told.reduce((sum, { sessions }) => sum + sessions.length, 0),
    independent: count,
    needs: neededFor(reader, claim),
    classes: told,
    unread,
  };
}
