import { expect, test } from 'vitest';
import { fleetState, householdOf, idOf, keyOf, T0 } from '../../test/kit/fleet.ts';
import { toInstant } from '../base/time.ts';
import { admissionView } from '../fold/admission.ts';
import { promotionId } from '../record/governance.ts';
import { KNOWLEDGE_SPEC } from '../record/knowledge.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import { admit } from './admit.ts';

householdOf('bob');
const agent = keyOf('bob agent cc');
const reviewer = keyOf('a reviewer whom nobody admitted');
const nobodys = 'f'.repeat(64);
const uuid = promotionId(nobodys, 1);
const at = toInstant(T0);
const DAYS_60 = 60 * 24 * 3_600_000;

function said(context: string, fields: object, by = agent): SignedRecord {
  return seal(context, { spec: KNOWLEDGE_SPEC, author: by.address, ...fields }, by);
}

const claim = {
  scope: { space: 'shop', segment: null },
  kind: 'semantic',
  statement: 'It rains.',
  topics: [],
  refs: [],
  episodes: [] as string[],
  asserted_at: at,
  supersedes: null as string | null,
};
const position = { verdict: 'corroborate', basis: 'seen', episodes: [], issued_at: at };
const verdict = { promotion_id: uuid, verdict: 'approve', basis: 'read', issued_at: at };

test.each<[string, SignedRecord, string]>([
  ['a claim that supersedes it', said('claim', { ...claim, supersedes: nobodys }), 'claim.unknown'],
  ['a claim that rests on it', said('claim', { ...claim, episodes: [uuid] }), 'episode.unknown'],
  ['an endorsement', said('endorsement', { ...position, claim_id: nobodys }), 'claim.unknown'],
  ['a verdict', said('verdict', verdict, reviewer), 'promotion.unknown'],
  [
    'a retirement',
    said('retirement', { claim_id: nobodys, reason: 'wrong', issued_at: at }),
    'claim.unknown',
  ],
  [
    'a proposal',
    said('proposal', { spec: SPEC, issued_at: at, claim_id: nobodys, attempt: 2 }),
    'claim.unknown',
  ],
])(
  '%s of what the ledger has not waits for it 60 days, and is then refused',
  (_what, record, code) => {
    const view = admissionView(fleetState(), 0);
    const id = idOf(record);
    for (const now of [T0, T0 + DAYS_60])
      expect(admit(record, view, now)).toMatchObject({ kind: 'wait', for: 'reference', id, code });
    expect(admit(record, view, T0 + DAYS_60 + 1)).toEqual({ kind: 'reject', code, id });
  },
);
