import { describe, expect, test } from 'vitest';
import { cited, claimBody, positionBody } from '../../../test/kit/claims.ts';
import { foundingOf, householdOf, stateOf, T0 } from '../../../test/kit/fleet.ts';
import type { Signer } from '../../base/ed25519.ts';
import { toInstant } from '../../base/time.ts';
import { admissionView } from '../../fold/admission.ts';
import type { ClaimBody, EndorsementBody } from '../../record/claim.ts';
import { recordId, type SignedRecord, seal } from '../../record/record.ts';
import { admit } from '../admit.ts';
import { admissions } from '../found.ts';

const ann = householdOf('ann', ['cc', 'cu']);
const bob = householdOf('bob');
const eve = householdOf('eve');
const signerOf = (home: typeof ann, n = 0): Signer => home.agents[n]?.signer ?? home.host;

const first = claimBody(ann, 'SSH listens on 2222.');
const ID = recordId('claim', first);
const fleet = [
  ...foundingOf(ann),
  ...admissions(bob, toInstant(T0)).map(({ record }) => record),
  seal('claim', first, signerOf(ann)),
];

function ruling(record: SignedRecord, now = T0): string {
  const made = admit(record, admissionView(stateOf(fleet), fleet.length), now);
  return made.kind === 'reject' ? made.code : made.kind;
}

const claimed = (fields: Partial<ClaimBody>, by: Signer = signerOf(ann)) =>
  ruling(seal('claim', { ...claimBody(ann, 'x', fields), author: by.address }, by));
const endorsed = (fields: Partial<EndorsementBody>, by: Signer = signerOf(ann), claim = ID) =>
  ruling(seal('endorsement', { ...positionBody(ann, claim, fields), author: by.address }, by));

const LATE = toInstant(T0 + 3_600_000);
const days = (n: number) => toInstant(T0 + n * 86_400_000);

describe('a claim with evidence', () => {
  test.each<[string, Partial<ClaimBody>, string, Signer?]>([
    ['by an agent, of itself', {}, 'accept'],
    ['of another agent of its person', { observed_by: 'ann-cu' }, 'claim.observed_by'],
    ['of another agent, by the host that extracts', { observed_by: 'ann-cu' }, 'accept', ann.host],
    ['of a stranger’s agent, by a host', { observed_by: 'bob-cc' }, 'claim.observed_by', ann.host],
    ['of nobody, by a host', { observed_by: 'zed' }, 'claim.observed_by', ann.host],
    ['of people, by a reviewer', { observed_by: 'human' }, 'accept', ann.person],
    ['of people, by an agent', { observed_by: 'human' }, 'claim.observed_by'],
    [
      'of people, by a person without a role',
      { observed_by: 'human' },
      'claim.observed_by',
      bob.person,
    ],
    [
      'of themselves, by a person without a role',
      { observed_by: bob.person.address },
      'claim.role',
      bob.person,
    ],
    ['by a key that nobody admitted', {}, 'wait', signerOf(eve)],
    ['in another space', { scope: { space: 'elsewhere', segment: null } }, 'scope.space'],
    ['without evidence', { evidence: [] }, 'record.body'],
    ['with episodes that are not its citations', { episodes: [] }, 'evidence.episodes'],
    ['with a kind that its type has not', { kind: 'relational' }, 'claim.kind'],
    [
      'with a kind that its fact gives',
      { fact: { subject: 'a', predicate: 'p', value: 1, cardinality: 'one' } },
      'accept',
    ],
    [
      'with an inverted span',
      {
        fact: {
          subject: 'a',
          predicate: 'p',
          value: null,
          cardinality: 'one',
          valid_from: days(1),
          valid_until: days(0),
        },
      },
      'fact.span',
    ],
    [
      'with an empty span',
      {
        fact: {
          subject: 'a',
          predicate: 'p',
          value: null,
          cardinality: 'one',
          valid_from: days(1),
          valid_until: days(1),
        },
      },
      'fact.span',
    ],
    [
      'with a fraction in its fact',
      { fact: { subject: 'a', predicate: 'p', value: '1.5', cardinality: 'one' } },
      'accept',
    ],
    [
      'that answers itself by a date, and is no hypothesis',
      { resolves_at: days(3) },
      'claim.resolves_at',
    ],
    [
      'that is a hypothesis with a date',
      { claim_type: 'hypothesis', resolves_at: days(3) },
      'accept',
    ],
    ['with subjects out of order', { subject: ['b', 'a'] }, 'record.body'],
    ['asserted in the future', { asserted_at: LATE }, 'wait'],
    [
      'with something observed in the future',
      { evidence: [{ ...cited('s'), observed_at: days(2) }] },
      'record.future',
    ],
    [
      'with an empty range',
      { evidence: [{ ...cited('s'), range: { start: 4, end: 4 } }] },
      'record.body',
    ],
    ['that supersedes its author’s own', { supersedes: ID }, 'accept'],
    ['that supersedes what nobody said', { supersedes: 'f'.repeat(64) }, 'wait'],
    [
      'that supersedes another’s',
      { supersedes: ID, observed_by: 'bob-cc' },
      'claim.author',
      signerOf(bob),
    ],
    ['with a statement that is too long', { statement: 'é'.repeat(32_769) }, 'record.text_size'],
    ['with another nonce than 16 bytes', { nonce: '00' }, 'record.body'],
  ])('%s', (_what, fields, expected, by) => {
    expect(claimed(fields, by)).toBe(expected);
  });
});

describe('a position with evidence', () => {
  test.each<[string, Partial<EndorsementBody>, string, Signer?, string?]>([
    ['by another agent', { observed_by: 'bob-cc' }, 'accept', signerOf(bob)],
    ['without evidence', { observed_by: 'bob-cc', evidence: [] }, 'accept', signerOf(bob)],
    ['of people, by a reviewer', { observed_by: 'human' }, 'accept', ann.person],
    ['for another', { observed_by: 'bob-cc' }, 'endorsement.observed_by'],
    [
      'by a person without a role',
      { observed_by: bob.person.address },
      'endorsement.role',
      bob.person,
    ],
    ['on what nobody claimed', {}, 'wait', signerOf(ann), 'f'.repeat(64)],
    ['with episodes that are not its citations', { episodes: [] }, 'evidence.episodes'],
    [
      'with something observed in the future',
      { evidence: [{ ...cited('s'), observed_at: days(2) }] },
      'record.future',
    ],
  ])('%s', (_what, fields, expected, by, claim) => {
    expect(endorsed(fields, by, claim)).toBe(expected);
  });
});
