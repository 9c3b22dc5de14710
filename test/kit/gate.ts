import type { Signer } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import type { MapState } from '../../src/fold/map-state.ts';
import { runGate } from '../../src/gate/run.ts';
import type { Household } from '../../src/ledger/found.ts';
import type { ClaimBody, EndorsementBody } from '../../src/record/claim.ts';
import { type Citation, episodeIdOf } from '../../src/record/evidence.ts';
import type { ExcerptFound, PairFound } from '../../src/record/finding.ts';
import { type SignedRecord, seal } from '../../src/record/record.ts';
import type { SessionBody } from '../../src/record/session.ts';
import { excerptBody, exposureBody, pairBody } from './belief.ts';
import { cited, claimBody, positionBody } from './claims.ts';
import { entriesOf, fleetState, foldOnto, idOf, sealed, sessionBody, T0 } from './fleet.ts';

type Found = Parameters<typeof exposureBody>[2];
type Exposures = NonNullable<NonNullable<Found>['exposures']>;

/** A ledger that grows by what fleets do, with what would be found of it; and the gate over it. */
export class GateScene {
  readonly records: SignedRecord[] = [];
  readonly state: MapState = fleetState();
  /** Where what is cited from here on was read. */
  readFrom: NonNullable<ExcerptFound['artifact']> | undefined;
  readonly #host: Household;

  /** `host` reads sessions, and gates. */
  constructor(host: Household) {
    this.#host = host;
  }

  add(record: SignedRecord): string {
    const [entry] = entriesOf([record], this.records.length + 1);
    if (entry) foldOnto(this.state, [entry]);
    this.records.push(record);
    const refused = this.state
      .where('unusable')
      .find(({ key }) => key === String(this.records.length));
    if (refused) throw new Error(`the fold refused a ${record.context}: ${refused.code}`);
    return idOf(record);
  }

  say(context: string, body: object, signer: Signer): string {
    return this.add(seal(context, body as { spec: string; author: string }, signer));
  }

  /** A sealed session of a household's agent, of which somebody looked what had been before it. */
  session(
    home: Household,
    name: string,
    exposures: Exposures = [],
    fields: Partial<SessionBody> = {},
  ): void {
    this.add(sealed(home, sessionBody(home, name, fields)));
    this.say('finding', exposureBody(this.#host.host, name, { exposures }), this.#host.host);
  }

  /** A claim of a household's agent, whose citations were looked up. */
  claim(
    home: Household,
    statement: string,
    fields: Partial<ClaimBody> & { readonly session?: string },
  ): string {
    const { session = 's', ...rest } = fields;
    const body = claimBody(home, statement, { evidence: [citedFrom(session)], ...rest });
    const id = this.say('claim', body, signerOf(home));
    this.#lookUp(id, id, body.evidence);
    return id;
  }

  /** A position of a household's agent, whose citations were looked up. */
  position(
    home: Household,
    claim: string,
    session: string,
    fields: Partial<EndorsementBody> = {},
  ): string {
    const body = positionBody(home, claim, { evidence: [citedFrom(session)], ...fields });
    const id = this.say('endorsement', body, signerOf(home));
    this.#lookUp(claim, id, body.evidence);
    return id;
  }

  #lookUp(claim: string, record: string, evidence: readonly Citation[]): void {
    const excerpts = evidence.map((citation) => ({
      episode: episodeIdOf(citation),
      session: citation.session_id,
      revision: 1,
      state: 'resolved' as const,
      position: 10,
      excerpt_hash: citation.excerpt_hash,
      ...(this.readFrom ? { artifact: this.readFrom } : {}),
    }));
    this.say(
      'finding',
      excerptBody(this.#host.host, claim, { record_id: record, excerpts }),
      this.#host.host,
    );
  }

  /** What the judge says of a claim and others: that it is unrelated to all of them where nothing is given. */
  judged(claim: string, pairs: Readonly<Record<string, PairFound['answer']>> = {}): string {
    const found = Object.entries(pairs).map(([claim_id, answer]) => ({
      claim_id,
      answer,
      reverse: answer,
    }));
    const body = { ...pairBody(this.#host.host, claim, found), searched: this.records.length };
    return this.say('finding', body, this.#host.host);
  }

  /** Runs the gate over all claims, and adds what it decides; answers the kinds of decisions by claim. */
  gate(now = toInstant(T0)): Record<string, string> {
    const due = this.state
      .where('claims')
      .sort((a, b) => a.seq - b.seq)
      .map(({ key }) => key);
    const position = this.records.length;
    const parts = { reader: this.state, position, now, signer: this.#host.host };
    const decided = runGate(parts, due);
    for (const record of decided) this.add(record);
    return Object.fromEntries(
      decided.map(({ body }) => [String(body['claim_id']), String(body['kind'])]),
    );
  }

  /** What each gate said of a claim in the last decision on it: `gate outcome reason`. */
  said(claim: string): string[] {
    const rows = this.state.where('decisions', 'claim', claim).sort((a, b) => b.at - a.at);
    const gates = JSON.parse(rows[0]?.gates ?? '[]') as {
      gate: string;
      outcome: string;
      reason: string;
    }[];
    return gates.map(({ gate, outcome, reason }) => `${gate} ${outcome} ${reason}`);
  }

  statusOf(claim: string): string | undefined {
    return this.state.get('claims', claim)?.status;
  }
}

/** A citation of a message that only this session has. */
export const citedFrom = (session: string) => cited(session, 'm1', `exit 0 in ${session}`);

function signerOf({ agents }: Household): Signer {
  const [agent] = agents;
  if (!agent) throw new Error('a household without an agent');
  return agent.signer;
}
