import fc from 'fast-check';
import { promotionId } from '../../src/record/governance.ts';
import { recordId } from '../../src/record/record.ts';
import {
  decisionBody,
  excerptBody,
  exposureBody,
  extractionBody,
  memoryBody,
  pairBody,
  scoreBody,
  settlementBody,
  trustBody,
} from './belief.ts';
import { claimBody } from './claims.ts';
import { householdOf } from './fleet.ts';
import type { Scene } from './story.ts';

const homes = [householdOf('ann'), householdOf('bob')] as const;
const [ann, bob] = homes;
const hosts = homes.map(({ host }) => host);
const persons = homes.map(({ person }) => person);

/** Two claims of ours, and two things that their authors only suppose. */
const CLAIMS = [
  claimBody(ann, 'SSH listens on 2222.', { subject: ['ssh'] }),
  claimBody(bob, 'SSH listens on 22.', { subject: ['ssh'] }),
  claimBody(ann, 'It will be green by noon.', { claim_type: 'hypothesis' }),
  claimBody(ann, 'It is the scheduler.', { claim_type: 'hypothesis' }),
];
const IDS = CLAIMS.map((body) => recordId('claim', body));
const anyId = fc.constantFrom(...IDS, ...IDS, 'f'.repeat(64));
const anySupposed = fc.constantFrom(...IDS.slice(2));
const anyHost = fc.constantFrom(...hosts);
/** Sessions of stories: sealed now and then. */
const anySession = fc.constantFrom('s1', 's2');

const scene =
  (context: string) =>
  (body: Scene['body']): Scene => ({ context, body });

const FOUND = [
  excerptBody(ann.host, IDS[0] ?? '', { session: 's1' }),
  pairBody(ann.host, IDS[0] ?? '', [
    { claim_id: IDS[1] ?? '', answer: 'contradicts', reverse: 'contradicts' },
  ]),
];
const FOUND_IDS = FOUND.map((body) => recordId('finding', body));

const anyFinding = fc
  .oneof(
    fc.constantFrom(...FOUND),
    fc.tuple(anyHost, anySession).map(([host, session]) => exposureBody(host, session)),
    fc.tuple(anyHost, anyId).map(([host, id]) => pairBody(host, id)),
  )
  .map(scene('finding'));
const anyDecision = fc
  .tuple(
    anyHost,
    anyId,
    fc.constantFrom(
      { kind: 'candidate' } as const,
      { kind: 'promoted', segment: null } as const,
      { kind: 'expired' } as const,
      { kind: 'joined', into: IDS[1] ?? '' } as const,
    ),
    fc.subarray(FOUND_IDS),
  )
  .map(([host, id, said, findings]) => decisionBody(host, id, said, findings))
  .map(scene('decision'));
const anyScore = fc
  .tuple(anySupposed, fc.nat(2))
  .map(([id, expired]) =>
    scoreBody(ann.host, 'ann-cc', id, { totals: { correct: 0, incorrect: 0, expired } }),
  )
  .map(scene('score'));
const anyExtraction = fc
  .tuple(anyHost, anySession, fc.constantFrom('started', 'done'), fc.nat(5))
  .map(([host, session, state, spend_usd_micros]) =>
    extractionBody(host, session, { state: state as 'done', spend_usd_micros }),
  )
  .map(scene('extraction'));
const anySettlement = fc
  .tuple(
    fc.constantFrom(...persons),
    fc.subarray(IDS, { minLength: 1 }),
    fc.constantFrom('keep', 'reject', 'both_hold'),
  )
  .map(([person, ids, ruling]) => settlementBody(person, ids, ruling as 'keep'))
  .map(scene('settlement'));
const anyTrust = fc
  .tuple(
    fc.constantFrom(...persons),
    fc.constantFrom('ann-cc', 'bob-cc', bob.agents[0]?.signer.address ?? ''),
    fc.constantFrom(
      { weight_ppm: 1 },
      { status: 'quarantined' } as const,
      { status: 'active', weight_ppm: 2 } as const,
    ),
  )
  .map(([person, name, said]) => trustBody(person, name, said))
  .map(scene('trust'));
const anyMemory = fc
  .tuple(fc.constantFrom(...homes), fc.constantFrom('Likes tea.', 'Likes coffee.'))
  .map(
    ([
      {
        agents: [agent],
        host,
      },
      text,
    ]) => memoryBody(agent?.signer ?? host, agent?.id ?? '', text),
  )
  .map(scene('memory'));
const anyClaim = fc.constantFrom(...CLAIMS).map(scene('claim'));
const anyVerdict = fc
  .tuple(anyId, fc.constantFrom(...persons))
  .map(([id, { address }]) => ({
    spec: 'fg-agent-knowledge/v1',
    author: address,
    promotion_id: promotionId(id, 1),
    verdict: 'approve',
    basis: 'yes',
    issued_at: '2026-01-05T12:00:00.000Z',
  }))
  .map(scene('verdict'));

/** One thing that is found, decided, settled or kept, whether the rules take it or not. */
export const anyBelief: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 4, arbitrary: anyClaim },
  { weight: 3, arbitrary: anyFinding },
  { weight: 3, arbitrary: anyDecision },
  { weight: 1, arbitrary: anyVerdict },
  { weight: 2, arbitrary: anyScore },
  { weight: 2, arbitrary: anyExtraction },
  { weight: 2, arbitrary: anySettlement },
  { weight: 2, arbitrary: anyTrust },
  { weight: 2, arbitrary: anyMemory },
);

/** Histories in which much is taken: claims first, then what was found of them, then the rest. */
export const anyCase: fc.Arbitrary<readonly Scene[]> = fc
  .tuple(
    fc.subarray(CLAIMS, { minLength: 2 }).map((claims) => claims.map(scene('claim'))),
    fc.subarray(FOUND).map((found) => found.map(scene('finding'))),
    fc.array(anyBelief, { maxLength: 30, size: 'large' }),
  )
  .map((acts) => acts.flat());
