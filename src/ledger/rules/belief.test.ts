import { describe, expect, test } from 'vitest';
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
} from '../../../test/kit/belief.ts';
import { claimBody, positionBody } from '../../../test/kit/claims.ts';
import {
  foundingOf,
  householdOf,
  keyOf,
  sealed,
  sessionBody,
  stateOf,
  T0,
} from '../../../test/kit/fleet.ts';
import type { Signer } from '../../base/ed25519.ts';
import { toInstant } from '../../base/time.ts';
import { admissionView } from '../../fold/admission.ts';
import { recordId, type SignedRecord, seal } from '../../record/record.ts';
import { scorePpm } from '../../record/score.ts';
import { admit } from '../admit.ts';
import { admissions } from '../found.ts';

const ann = householdOf('ann', ['cc', 'cu']);
const bob = householdOf('bob');
const agentOf = (home: typeof ann): Signer => home.agents[0]?.signer ?? home.host;
const said = (home: typeof ann, statement: string, fields = {}) =>
  seal('claim', claimBody(home, statement, fields), agentOf(home));
const idOf = ({ context, body }: SignedRecord) => recordId(context, body);

const first = said(ann, 'SSH listens on 2222.');
const second = said(bob, 'SSH listens on 22.');
const supposed = said(ann, 'The flake is of the scheduler.', { claim_type: 'hypothesis' });
const elsewhere = seal(
  'claim',
  {
    spec: 'fg-agent-knowledge/v1',
    author: agentOf(ann).address,
    scope: { space: 'yard', segment: null },
    kind: 'semantic',
    statement: 'Elsewhere.',
    topics: [],
    refs: [],
    episodes: [],
    asserted_at: toInstant(T0),
    supersedes: null,
  } as { spec: string; author: string },
  agentOf(ann),
);
const position = seal(
  'endorsement',
  positionBody(bob, idOf(first), { observed_by: 'bob-cc' }),
  agentOf(bob),
);
const found = seal('finding', exposureBody(ann.host, 's'), ann.host);
const fleet = [
  ...foundingOf(ann),
  ...admissions(bob, toInstant(T0)).map(({ record }) => record),
  sealed(ann, sessionBody(ann, 's')),
  first,
  second,
  supposed,
  elsewhere,
  position,
  found,
];

function ruling(records: readonly SignedRecord[], record: SignedRecord): string {
  const made = admit(record, admissionView(stateOf(records), records.length), T0);
  if (made.kind === 'wait') return `waits: ${made.code}`;
  return made.kind === 'reject' ? made.code : made.kind;
}

const UNKNOWN = 'e'.repeat(64);
const [ID, OTHER, SUPPOSED, YARD] = [first, second, supposed, elsewhere].map(idOf) as [
  string,
  string,
  string,
  string,
];

/** A body by a signer, what is made of it, and by whom it is signed where not by the host that does all. */
type Case = readonly [what: string, body: (by: Signer) => object, expected: string, by?: Signer];

function judges(context: string, cases: readonly Case[], before: readonly SignedRecord[] = fleet) {
  for (const [what, body, expected, by = ann.host] of cases) {
    test(what, () => {
      const record = seal(context, body(by) as { spec: string; author: string }, by);
      expect(ruling(before, record)).toBe(expected);
    });
  }
}

describe('what was found in a session', () => {
  judges('finding', [
    ['of a claim', (by) => excerptBody(by, ID), 'accept'],
    ['of a position on it', (by) => excerptBody(by, ID, { record_id: idOf(position) }), 'accept'],
    [
      'of a position on another',
      (by) => excerptBody(by, OTHER, { record_id: idOf(position) }),
      'finding.record',
    ],
    ['of no record', (by) => excerptBody(by, ID, { record_id: UNKNOWN }), 'finding.record'],
    ['of no claim', (by) => excerptBody(by, UNKNOWN), 'waits: claim.unknown'],
    ['of a claim in another space', (by) => excerptBody(by, YARD), 'scope.crossed'],
    [
      'in a session that nobody sealed',
      (by) => excerptBody(by, ID, { session: 't' }),
      'waits: session.unknown',
    ],
    ['of nothing', (by) => excerptBody(by, ID, { excerpts: [] }), 'record.body'],
    ['by an agent', (by) => excerptBody(by, ID), 'finding.role', agentOf(ann)],
    [
      'by a key that nobody admitted',
      (by) => excerptBody(by, ID),
      'waits: record.admission',
      keyOf('eve'),
    ],
  ]);
});

describe('what was before a session', () => {
  judges('finding', [
    ['nothing', (by) => exposureBody(by, 's', { searched: 6 }), 'accept'],
    [
      'of a revision that is not sealed',
      (by) => exposureBody(by, 's', { revision: 2 }),
      'waits: session.unknown',
    ],
    ['of no session', (by) => exposureBody(by, 't'), 'waits: session.unknown'],
    ['by another host that reads', (by) => exposureBody(by, 's'), 'accept', bob.host],
    ['by an agent', (by) => exposureBody(by, 's'), 'finding.role', agentOf(ann)],
  ]);
});

describe('pairs that were judged', () => {
  const pair = (claim_id: string) => ({ claim_id, answer: 'same', reverse: 'unrelated' }) as const;
  judges('finding', [
    ['none', (by) => pairBody(by, ID), 'accept'],
    ['one', (by) => pairBody(by, ID, [pair(OTHER)]), 'accept'],
    ['with itself', (by) => pairBody(by, ID, [pair(ID)]), 'finding.pairs'],
    ['one twice', (by) => pairBody(by, ID, [pair(OTHER), pair(OTHER)]), 'finding.pairs'],
    ['with no claim', (by) => pairBody(by, ID, [pair(UNKNOWN)]), 'waits: claim.unknown'],
    ['with one of another space', (by) => pairBody(by, ID, [pair(YARD)]), 'scope.crossed'],
    ['by an agent', (by) => pairBody(by, ID), 'finding.role', agentOf(ann)],
  ]);
});

describe('a decision', () => {
  const promoted = { kind: 'promoted', segment: null } as const;
  judges('decision', [
    ['a promotion', (by) => decisionBody(by, ID, promoted, [idOf(found)]), 'accept'],
    [
      'that rests on nothing that was found',
      (by) => decisionBody(by, ID, promoted, [UNKNOWN]),
      'waits: finding.unknown',
    ],
    ['on no claim', (by) => decisionBody(by, UNKNOWN, promoted), 'waits: claim.unknown'],
    [
      'a promotion of what is supposed',
      (by) => decisionBody(by, SUPPOSED, promoted),
      'decision.hypothesis',
    ],
    [
      'that what is supposed waits',
      (by) => decisionBody(by, SUPPOSED, { kind: 'candidate' }),
      'accept',
    ],
    ['a contest', (by) => decisionBody(by, ID, { kind: 'contested', against: [OTHER] }), 'accept'],
    [
      'a contest with itself',
      (by) => decisionBody(by, ID, { kind: 'contested', against: [ID] }),
      'decision.itself',
    ],
    [
      'a contest with another space',
      (by) => decisionBody(by, ID, { kind: 'contested', against: [YARD] }),
      'scope.crossed',
    ],
    ['a join', (by) => decisionBody(by, ID, { kind: 'joined', into: OTHER }), 'accept'],
    [
      'a join with itself',
      (by) => decisionBody(by, ID, { kind: 'joined', into: ID }),
      'decision.itself',
    ],
    [
      'a join with nothing',
      (by) => decisionBody(by, ID, { kind: 'joined', into: UNKNOWN }),
      'waits: claim.unknown',
    ],
    ['a supersession', (by) => decisionBody(by, ID, { kind: 'superseded', by: OTHER }), 'accept'],
    ['an expiry', (by) => decisionBody(by, ID, { kind: 'expired' }), 'accept'],
    [
      'a value that is current now',
      (by) =>
        decisionBody(by, ID, {
          kind: 'settled',
          key: { segment: null, subject: 'staging', predicate: 'ssh port' },
          in: ID,
          out: OTHER,
          rule: 'own_revision',
        }),
      'accept',
    ],
    [
      'of a kind that is none',
      (by) => decisionBody(by, ID, { kind: 'forgotten' } as never),
      'record.body',
    ],
    [
      'with a reason that is a sentence',
      (by) => ({
        ...decisionBody(by, ID, promoted),
        gates: [{ gate: 'evidence', outcome: 'passed', reason: 'Looks fine' }],
      }),
      'record.body',
    ],
    ['by an agent', (by) => decisionBody(by, ID, promoted), 'decision.role', agentOf(ann)],
    ['by a person', (by) => decisionBody(by, ID, promoted), 'decision.role', ann.person],
  ]);
});

describe('a score', () => {
  const once = [...fleet, seal('score', scoreBody(ann.host, 'ann-cc', SUPPOSED), ann.host)];
  const again = said(ann, 'It was the clock.', { claim_type: 'hypothesis' });
  const next = (totals: { correct: number; incorrect: number; expired: number }) => (by: Signer) =>
    scoreBody(by, 'ann-cc', idOf(again), { result: 'correct', outcome_id: ID, totals });
  judges('score', [
    ['of what nobody answered', (by) => scoreBody(by, 'ann-cc', SUPPOSED), 'accept'],
    [
      'of what came true',
      (by) => scoreBody(by, 'ann-cc', SUPPOSED, { result: 'correct', outcome_id: ID }),
      'accept',
    ],
    [
      'of what came true, by no outcome',
      (by) => scoreBody(by, 'ann-cc', SUPPOSED, { result: 'correct' }),
      'score.outcome',
    ],
    [
      'of what nobody answered, by an outcome',
      (by) => scoreBody(by, 'ann-cc', SUPPOSED, { outcome_id: ID }),
      'score.outcome',
    ],
    [
      'by an outcome that is not there',
      (by) => scoreBody(by, 'ann-cc', SUPPOSED, { result: 'correct', outcome_id: UNKNOWN }),
      'waits: claim.unknown',
    ],
    ['of a claim that supposes nothing', (by) => scoreBody(by, 'ann-cc', ID), 'score.hypothesis'],
    ['for another agent', (by) => scoreBody(by, 'ann-cu', SUPPOSED), 'score.agent'],
    [
      'that the totals do not give',
      (by) => scoreBody(by, 'ann-cc', SUPPOSED, { score_ppm: 0 }),
      'score.value',
    ],
    ['by a person', (by) => scoreBody(by, 'ann-cc', SUPPOSED), 'score.role', ann.person],
  ]);
  judges(
    'score',
    [
      [
        'of what was scored',
        (by) =>
          scoreBody(by, 'ann-cc', SUPPOSED, { totals: { correct: 0, incorrect: 0, expired: 2 } }),
        'score.repeated',
      ],
    ],
    once,
  );
  judges(
    'score',
    [
      ['that goes on from the last', next({ correct: 1, incorrect: 0, expired: 1 }), 'accept'],
      ['that forgets the last', next({ correct: 1, incorrect: 0, expired: 0 }), 'score.totals'],
      ['that counts twice', next({ correct: 2, incorrect: 0, expired: 1 }), 'score.totals'],
    ],
    [...once, again],
  );

  test.each([
    [{ correct: 0, incorrect: 0, expired: 9 }, 500_000],
    [{ correct: 3, incorrect: 0, expired: 0 }, 400_000],
    [{ correct: 0, incorrect: 3, expired: 0 }, 600_000],
    [{ correct: 300, incorrect: 0, expired: 0 }, 19_231],
    [{ correct: 1, incorrect: 0, expired: 0 }, 461_538],
  ])('of %o is %d in a million', (totals, expected) => expect(scorePpm(totals)).toBe(expected));
});

describe('an extraction', () => {
  const done = [...fleet, seal('extraction', extractionBody(ann.host, 's'), ann.host)];
  judges('extraction', [
    ['that is done', (by) => extractionBody(by, 's'), 'accept'],
    [
      'that is with a provider',
      (by) => extractionBody(by, 's', { state: 'submitted', batch_id: 'b1' }),
      'accept',
    ],
    [
      'that is with a provider, under no id',
      (by) => extractionBody(by, 's', { state: 'submitted' }),
      'extraction.batch',
    ],
    ['that failed', (by) => extractionBody(by, 's', { state: 'failed', error: '529' }), 'accept'],
    [
      'that failed for no reason',
      (by) => extractionBody(by, 's', { state: 'failed' }),
      'extraction.error',
    ],
    ['of no session', (by) => extractionBody(by, 't'), 'waits: session.unknown'],
    ['by an agent', (by) => extractionBody(by, 's'), 'extraction.role', agentOf(ann)],
  ]);
  judges(
    'extraction',
    [
      ['of what is done', (by) => extractionBody(by, 's', { state: 'started' }), 'extraction.done'],
      [
        'of the same by another extractor',
        (by) => extractionBody(by, 's', { extractor: 'ollama/1' }),
        'accept',
      ],
    ],
    done,
  );
});

describe('a person’s ruling', () => {
  judges('settlement', [
    ['that one is kept', (by) => settlementBody(by, [ID, OTHER]), 'accept', ann.person],
    ['that one is rejected', (by) => settlementBody(by, [ID], 'reject'), 'accept', ann.person],
    [
      'that both hold',
      (by) =>
        settlementBody(by, [ID, OTHER], 'both_hold', {
          spans: [{ claim_id: ID, valid_until: toInstant(T0) }],
        }),
      'accept',
      ann.person,
    ],
    [
      'that one holds both',
      (by) => settlementBody(by, [ID], 'both_hold'),
      'settlement.claims',
      ann.person,
    ],
    [
      'that splits one from none',
      (by) => settlementBody(by, [ID], 'split'),
      'settlement.claims',
      ann.person,
    ],
    ['that names one twice', (by) => settlementBody(by, [ID, ID]), 'settlement.claims', ann.person],
    [
      'with spans where one is kept',
      (by) => settlementBody(by, [ID, OTHER], 'keep', { spans: [{ claim_id: ID }] }),
      'settlement.spans',
      ann.person,
    ],
    [
      'with the span of another',
      (by) => settlementBody(by, [ID, OTHER], 'both_hold', { spans: [{ claim_id: SUPPOSED }] }),
      'settlement.spans',
      ann.person,
    ],
    [
      'with an empty span',
      (by) =>
        settlementBody(by, [ID, OTHER], 'both_hold', {
          spans: [{ claim_id: ID, valid_from: toInstant(T0), valid_until: toInstant(T0) }],
        }),
      'settlement.span',
      ann.person,
    ],
    ['on no claim', (by) => settlementBody(by, [UNKNOWN]), 'waits: claim.unknown', ann.person],
    ['across spaces', (by) => settlementBody(by, [ID, YARD]), 'scope.crossed', ann.person],
    [
      'by a person who does not review',
      (by) => settlementBody(by, [ID, OTHER]),
      'settlement.role',
      bob.person,
    ],
    ['by an agent', (by) => settlementBody(by, [ID, OTHER]), 'settlement.role', agentOf(ann)],
    ['by a host', (by) => settlementBody(by, [ID, OTHER]), 'settlement.role'],
  ]);

  const own = seal(
    'claim',
    {
      ...claimBody(ann, 'We squash.', { observed_by: 'human', claim_type: 'convention' }),
      author: ann.person.address,
    },
    ann.person,
  );
  judges(
    'settlement',
    [['on their own', (by) => settlementBody(by, [ID, idOf(own)]), 'settlement.own', ann.person]],
    [...fleet, own],
  );
});

describe('an admin’s word', () => {
  judges('trust', [
    ['a weight', (by) => trustBody(by, 'bob-cc', { weight_ppm: 800_000 }), 'accept', ann.person],
    [
      'a quarantine',
      (by) => trustBody(by, 'nobody yet', { status: 'quarantined' }),
      'accept',
      ann.person,
    ],
    ['nothing', (by) => trustBody(by, 'bob-cc'), 'trust.empty', ann.person],
    [
      'a weight above one',
      (by) => trustBody(by, 'bob-cc', { weight_ppm: 1_000_001 }),
      'record.body',
      ann.person,
    ],
    [
      'by another person',
      (by) => trustBody(by, 'bob-cc', { weight_ppm: 0 }),
      'trust.role',
      bob.person,
    ],
    ['by a host', (by) => trustBody(by, 'bob-cc', { weight_ppm: 0 }), 'trust.role'],
  ]);
});

describe('a memory', () => {
  const fact = {
    subject: 'Alice',
    predicate: 'employer',
    value: 'Acme',
    cardinality: 'one',
  } as const;
  const agent = agentOf(ann);
  judges('memory', [
    ['for oneself', (by) => memoryBody(by, 'ann-cc', 'Likes tea.'), 'accept', agent],
    [
      'for the fleet',
      (by) => memoryBody(by, 'ann-cc', 'Likes tea.', { scope: { space: 'fleet', segment: null } }),
      'accept',
      agent,
    ],
    [
      'with a fact',
      (by) => memoryBody(by, 'ann-cc', 'Works at Acme.', { facts: [fact] }),
      'accept',
      agent,
    ],
    [
      'with an inverted fact',
      (by) =>
        memoryBody(by, 'ann-cc', 'x', {
          facts: [{ ...fact, valid_from: toInstant(T0), valid_until: toInstant(T0) }],
        }),
      'fact.span',
      agent,
    ],
    [
      'put before another alone',
      (by) => memoryBody(by, 'ann-cc', 'x', { scope: { space: 'fleet', segment: 'agent:bob-cc' } }),
      'memory.segment',
      agent,
    ],
    [
      'in another space',
      (by) => memoryBody(by, 'ann-cc', 'x', { scope: { space: 'yard', segment: null } }),
      'scope.space',
      agent,
    ],
    ['of another agent', (by) => memoryBody(by, 'ann-cu', 'x'), 'memory.observed_by', agent],
    ['of a person', (by) => memoryBody(by, ann.person.address, 'x'), 'accept', ann.person],
    ['of a host', (by) => memoryBody(by, ann.hostId, 'x'), 'memory.role'],
    ['of nothing', (by) => memoryBody(by, 'ann-cc', ' '), 'record.body', agent],
    ['too long', (by) => memoryBody(by, 'ann-cc', 'é'.repeat(32_769)), 'record.text_size', agent],
  ]);
});
