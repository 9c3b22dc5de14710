import { toInstant } from '../../src/base/time.ts';
import type { ClaimRow } from '../../src/fold/knowledge-rows.ts';
import type { MapState } from '../../src/fold/map-state.ts';
import type { Change } from '../../src/fold/state.ts';
import { step } from '../../src/fold/step.ts';
import {
  excerptFindings,
  exposureFindings,
  type FindParts,
  gatedClaims,
  pairFindings,
} from '../../src/gate/find.ts';
import { decide } from '../../src/gate/run.ts';
import type { PolicyBody } from '../../src/record/governance.ts';
import { type SignedRecord, SPEC } from '../../src/record/record.ts';
import type { Envelope } from '../../src/runtime/envelope.ts';
import { entryOf, fleetRows, fleetState, householdOf, T0 } from '../../test/kit/fleet.ts';

/** A record that nobody signed: its context and body. */
export type Said = readonly [context: string, body: object];

/** Who reads sessions, and gates. */
const keeper = householdOf('keeper');
const NOW = toInstant(T0);

/** A ledger in memory, folded as it grows; its rows can be written to a database. */
export class Ledger {
  readonly state: MapState = fleetState();
  readonly changes: Change[] = fleetRows();
  #seq = 0;

  /** Throws for a record that the ledger's rules refuse. */
  add([context, body]: Said): void {
    this.#seq += 1;
    const changes = step(this.state, entryOf(this.#seq, context, body as SignedRecord['body']));
    const refused = changes.find(({ table }) => table === 'unusable');
    if (refused) throw new Error(`a ${context} was refused: ${JSON.stringify(refused.row)}`);
    this.state.apply(changes);
    this.changes.push(...changes);
  }

  get position(): number {
    return this.#seq;
  }
}

/** How the gates of the fleet's scope are set. */
export function policyOf(fields: Partial<PolicyBody>): Said {
  const policy: PolicyBody = {
    spec: SPEC,
    author: keeper.person.address,
    scope: { space: 'fleet', segment: null },
    mode: 'gates',
    required_approvals: 1,
    protected_topics: [],
    issued_at: NOW,
    ...fields,
  };
  return ['policy', policy];
}

/** Claims on the subject of another one. */
export const onSubject =
  ({ state }: Ledger) =>
  ({ subject, key }: ClaimRow): string[] =>
    state.where('claims', 'subject', subject).flatMap((one) => (one.key === key ? [] : one.key));

/** What the product finds for the claims of a ledger, of sessions with these events. */
export async function findingsOn(
  { state: reader, position }: Ledger,
  eventsOf: (session: string) => readonly Envelope[],
  neighbours: FindParts['neighbours'],
): Promise<Said[]> {
  const parts: FindParts = {
    ...{ reader, position, now: NOW, signer: keeper.host, neighbours },
    sealedEvents: async (session) => ({ revision: 1, events: eventsOf(session) }),
  };
  const claims = gatedClaims(reader);
  const records = [
    ...(await excerptFindings(parts, claims)),
    ...(await exposureFindings(parts, claims)),
    ...pairFindings(parts, claims),
  ];
  return records.map(({ context, body }) => [context, body]);
}

/** Runs the gate over all that is open; answers how many claims it looked at. */
export function gate(ledger: Ledger): number {
  const { state: reader, position } = ledger;
  const due = gatedClaims(reader).map(({ key }) => key);
  const decided: Said[] = [];
  decide({ reader, position, now: NOW, author: keeper.host.address }, due, (body, isRepeated) => {
    if (isRepeated) return undefined;
    decided.push(['decision', body]);
    return body;
  });
  for (const one of decided) ledger.add(one);
  return due.length;
}
