import type { Reader } from '../fold/state.ts';
import { pairsOf, rulingsOn } from '../gate/pairs.ts';
import type { ClaimView } from './claims.ts';

/** Claims of which the judge, both ways round, said that they say the same. */
export interface Duplicates {
  /** The one that the others were joined into, or the earliest of those that wait for it. */
  readonly claim: string;
  readonly others: readonly {
    readonly claim: string;
    /** `joined`: the gate made them one. `split`: a person said that they are two. `waits`: nobody has decided yet. */
    readonly state: 'joined' | 'split' | 'waits';
  }[];
}

/** The duplicates among claims, each group under its earliest. */
export function duplicatesAmong(reader: Reader, claims: readonly ClaimView[]): Duplicates[] {
  const known = new Map(claims.map((claim) => [claim.id, claim]));
  const groups = new Map<string, Map<string, Duplicates['others'][number]>>();
  for (const claim of [...claims].sort((a, b) => a.seq - b.seq)) {
    const row = reader.get('claims', claim.id);
    if (!row) continue;
    const rulings = rulingsOn(reader, claim.id);
    for (const { claim: id, verdict } of pairsOf(reader, [row]).judged) {
      const other = known.get(id);
      if (verdict !== 'same' || !other || other.seq <= claim.seq) continue;
      const head = claim.joinedInto ?? claim.id;
      if (head === other.id) continue;
      const isSplit = rulings.get(id) === 'split';
      const state = isSplit ? 'split' : other.joinedInto === head ? 'joined' : 'waits';
      const group = groups.get(head) ?? new Map();
      groups.set(head, group.set(id, { claim: id, state }));
    }
  }
  return [...groups].map(([claim, others]) => ({ claim, others: [...others.values()] }));
}
