import { describe, expect, test } from 'vitest';
import { keyOf, T0 } from '../../test/kit/fleet.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import type { Trouble } from '../base/trouble.ts';
import { ClaimBody, EndorsementBody } from '../record/claim.ts';
import { open, recordId, type SignedRecord } from '../record/record.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { draftClaim, draftEndorsement, type ProposalDraft } from './draft.ts';
import type { Proposals, RefusedDraft } from './port.ts';
import { type SendParts, sendProposals } from './send.ts';

const policy = { secret: () => Buffer.alloc(32, 1), deniedPaths: [] };
const KEY = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
const cc = keyOf('cc-01');
const message: Envelope = {
  schema_version: 1,
  event_id: 'e',
  emitted_at: toInstant(T0),
  fleet_id: 'fleet',
  agent_id: 'cc-01',
  runtime: 'claude-code',
  host_id: 'h',
  session_id: 's1',
  event_type: 'tool_call',
  message_id: 't1',
  repo: 'github.com/acme/web',
  cwd: '/srv/web/api',
  tool: { paths: ['/srv/web/api/main.go', '/etc/hosts', 'rel.go', '../up.go'], result: 'exit 0' },
  redaction: { status: 'clean', rules_fired: [] },
};

const given = {
  agent: 'cc-01',
  statement: 'The tests pass.',
  claim_type: 'outcome' as const,
  subject: ['web', 'tests', 'web'],
  topics: ['CI'],
  segment: 'repo:github.com/acme/web',
  supersedes: null,
  evidence: [{ session_id: 's1', quote: 'exit 0' }],
  nonce: '0'.repeat(32),
  written_at: toInstant(T0),
};
const claim = (fields: Partial<typeof given> = {}) => draftClaim({ ...given, ...fields }, policy);

function queueOf(drafts: Record<string, ProposalDraft>): Proposals & {
  kept: Map<string, ProposalDraft>;
  gone: RefusedDraft[];
} {
  const kept = new Map(Object.entries(drafts));
  const gone: RefusedDraft[] = [];
  return {
    kept,
    gone,
    add: (name, draft) => void kept.set(name, draft),
    list: () => [...kept].sort().map(([name, draft]) => ({ name, draft })),
    remove: (name) => void kept.delete(name),
    refuse(refused) {
      gone.push(refused);
      kept.delete(refused.name);
    },
    refused: () => gone,
    unreadable: () => [],
  };
}

const parts = (fields: Partial<SendParts> = {}): SendParts => ({
  fleetId: 'fleet',
  now: T0 + 1_000,
  signerOfAgent(agent) {
    if (agent !== 'cc-01') throw new Error(`no ${agent}`);
    return cc;
  },
  messagesOf: async (session) =>
    session === 's1' ? { events: [message], sealed: true } : undefined,
  onFile: { same: () => undefined, isKnown: () => false },
  topOf: () => '/srv/web',
  repoOf: () => undefined,
  ...fields,
});

async function sendAll(queue: Proposals, with_: SendParts = parts()) {
  const sent: SignedRecord[] = [];
  const troubles: Trouble[] = [];
  const done = await sendProposals(queue, with_, async (one) => void sent.push(one), troubles);
  return { sent, troubles, done };
}

describe('a draft', () => {
  test('is redacted, in its normal form, and without what its author was told', () => {
    const { statement, subject, topics } = claim({
      statement: ` <credence-context ids="x">told</credence-context>e\u0301 ${KEY} `,
    });
    expect(statement.startsWith('é ')).toBe(true);
    expect(statement).not.toContain(KEY);
    expect([subject, topics]).toEqual([['tests', 'web'], ['ci']]);
  });

  test.each<[string, object, string]>([
    ['without evidence', { evidence: [] }, 'claim.evidence'],
    [
      'that only repeats what its author was told',
      { statement: '<credence-context ids="x">told' },
      'claim.text',
    ],
    ['that is too long', { statement: 'é'.repeat(32_769) }, 'claim.text'],
    ['of a type that there is not', { claim_type: 'truth' }, 'claim.form'],
  ])('%s is refused', (_what, fields, code) => {
    expect(() => claim(fields)).toThrow(expect.objectContaining({ code, category: 'usage' }));
  });
});

describe('sending', () => {
  test('signs what was found, about the files that were worked on', async () => {
    const queue = queueOf({ a: claim() });
    const { sent, troubles, done } = await sendAll(queue);
    expect([troubles, queue.kept.size]).toEqual([[], 0]);
    const [record] = sent;
    const body = ClaimBody.parse(record && open(record).body);
    expect(body).toMatchObject({
      author: cc.address,
      observed_by: 'cc-01',
      kind: 'semantic',
      scope: { space: 'fleet', segment: 'repo:github.com/acme/web' },
      asserted_at: given.written_at,
      evidence: [{ session_id: 's1', message_id: 't1', observed_at: toInstant(T0) }],
      refs: [
        { uri: 'repo://github.com/acme/web/api/main.go', kind: 'file' },
        { uri: 'repo://github.com/acme/web/rel.go', kind: 'file' },
      ],
    });
    expect(done).toMatchObject([{ name: 'a', id: recordId('claim', body) }]);
  });

  test('of what is claimed already is a position on that, with its own evidence', async () => {
    const id = 'f'.repeat(64);
    const onFile = { same: () => ({ id }), isKnown: () => false };
    const { sent } = await sendAll(queueOf({ a: claim() }), parts({ onFile }));
    expect(EndorsementBody.parse(sent[0]?.body)).toMatchObject({
      claim_id: id,
      verdict: 'corroborate',
      basis: 'The tests pass.',
      evidence: [{ session_id: 's1' }],
    });
  });

  test('again what the ledger has of it is the same record, and no position on itself', async () => {
    const first = await sendAll(queueOf({ a: claim() }));
    const onFile = { same: () => ({ id: 'x' }), isKnown: (id: string) => id === first.done[0]?.id };
    const again = await sendAll(queueOf({ a: claim() }), parts({ onFile }));
    expect(again.sent).toEqual(first.sent);
  });

  test('a position is signed as it was taken', async () => {
    const draft = draftEndorsement(
      {
        agent: 'cc-01',
        claim_id: 'a'.repeat(64),
        verdict: 'contradict',
        basis: 'no',
        evidence: [],
        written_at: given.written_at,
      },
      policy,
    );
    const { sent } = await sendAll(queueOf({ a: draft }));
    expect(EndorsementBody.parse(sent[0]?.body)).toMatchObject({
      verdict: 'contradict',
      evidence: [],
    });
  });

  test('what cites a session that is not known waits a day, and is refused then', async () => {
    const queue = queueOf({ a: claim({ evidence: [{ session_id: 'zz', quote: 'x' }] }) });
    expect((await sendAll(queue)).troubles).toEqual([]);
    expect(queue.kept.size).toBe(1);
    const late = await sendAll(queue, parts({ now: T0 + 25 * 3_600_000 }));
    expect(late.troubles).toMatchObject([{ code: 'citation.session' }]);
    expect(queue.gone).toMatchObject([{ name: 'a', code: 'citation.session' }]);
    expect(queue.kept.size).toBe(0);
  });

  test('what cites wrongly is refused, and stops no other', async () => {
    const queue = queueOf({
      a: claim({ evidence: [{ session_id: 's1', quote: 'exit 9' }] }),
      b: claim(),
    });
    const { sent, troubles } = await sendAll(queue);
    expect(sent).toHaveLength(1);
    expect(troubles).toMatchObject([{ id: 'proposals/a.json', code: 'citation.quote' }]);
    expect(queue.gone.map(({ name }) => name)).toEqual(['a']);
  });

  test('what could not be sent stays, and gives the same record the next time', async () => {
    const queue = queueOf({ a: claim({ written_at: '2999-01-01T00:00:00.000Z' }) });
    const sent: SignedRecord[] = [];
    const down = async (record: SignedRecord) => {
      sent.push(record);
      throw new CredenceError('unavailable', 'store.test', 'down');
    };
    await expect(sendProposals(queue, parts(), down, [])).rejects.toThrow('down');
    const again = await sendAll(queue, parts({ now: T0 + 60_000 }));
    expect(again.sent).toEqual(sent);
    expect(queue.kept.size).toBe(0);
  });

  test('one whose key can’t be used waits on', async () => {
    const queue = queueOf({ a: claim({ agent: 'cc-02' }), b: claim() });
    const { troubles, done } = await sendAll(queue);
    expect(done.map(({ name }) => name)).toEqual(['b']);
    expect(troubles).toEqual([{ id: 'proposals/a.json', code: 'unknown', message: 'no cc-02' }]);
    expect([...queue.kept.keys()]).toEqual(['a']);
  });
});
