import { describe, expect, test } from 'vitest';
import { keyOf } from '../../test/kit/fleet.ts';
import { CredenceError } from '../base/errors.ts';
import type { Trouble } from '../base/trouble.ts';
import { open, type SignedRecord } from '../record/record.ts';
import { HandoffBody } from '../record/session.ts';
import { draftHandoff, HandoffDraft, handoffBody } from './handoff.ts';
import type { Outbox } from './port.ts';
import { sendHandoffs } from './send.ts';

const policy = { secret: () => Buffer.alloc(32, 1), deniedPaths: [] };
const KEY = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
const given = {
  session: 's1',
  agent: 'cc-01',
  runtime: 'claude-code',
  status: 'partial' as const,
  summary: ' The parser is done. ',
  written_at: '2026-03-04T05:06:07.890Z',
};
const draft = (fields: Partial<typeof given> & { next?: string; repo?: string } = {}) =>
  draftHandoff({ ...given, ...fields }, policy);

describe('a draft', () => {
  test('is what was written, trimmed, without what the agent was told', () => {
    expect(draft({ next: 'The printer.', repo: 'github.com/acme/web' })).toEqual({
      ...given,
      version: 1,
      summary: 'The parser is done.',
      next: 'The printer.',
      repo: 'github.com/acme/web',
    });
    expect(
      draft({ summary: 'a <credence-context ids="x">told</credence-context> b' }).summary,
    ).toBe('a  b');
    expect(draft({ next: ' ' })).not.toHaveProperty('next');
    expect(draft({ next: `<credence-context>told ${KEY}` })).not.toHaveProperty('next');
  });

  test('holds no secret, no NUL, nothing that UTF-8 can’t say', () => {
    const { summary, next } = draft({ summary: `key ${KEY}\0\ud800`, next: `and ${KEY}` });
    expect(summary + next).not.toContain(KEY);
    expect(summary.isWellFormed()).toBe(true);
    expect(summary).not.toContain('\0');
  });

  test.each<[string, object, string]>([
    ['no summary', { summary: ' \n ' }, 'handoff.empty'],
    ['only what it was told', { summary: '<credence-context>told' }, 'handoff.empty'],
    ['a summary that is too long', { summary: 'é'.repeat(32_769) }, 'handoff.too_long'],
    ['a next step that is too long', { next: 'x'.repeat(65_537) }, 'handoff.too_long'],
  ])('%s is refused, with what to do', (_what, fields, code) => {
    expect(() => draft(fields)).toThrow(
      expect.objectContaining({ code, category: 'usage', next: expect.any(String) }),
    );
  });

  test('the longest that a record holds is taken', () => {
    expect(draft({ summary: 'x'.repeat(65_536) }).summary).toHaveLength(65_536);
  });

  test.each<[string, object]>([
    ['no session', { session: '' }],
    ['a session that no record holds', { session: 'x'.repeat(257) }],
    ['a time without an offset', { written_at: '2026-03-04T05:06:07' }],
  ])('%s is refused', (_what, fields) => {
    expect(() => draft(fields)).toThrow();
  });
});

describe('sending', () => {
  const signers: Record<string, ReturnType<typeof keyOf>> = {
    'cc-01': keyOf('cc-01'),
    'cc-02': keyOf('cc-02'),
  };
  const by = {
    hostId: 'h',
    now: Date.parse(given.written_at),
    signerOfAgent(agent: string) {
      const signer = signers[agent];
      if (!signer) throw new Error(`no ${agent}`);
      return signer;
    },
  };
  function outboxOf(
    notes: Record<string, HandoffDraft>,
  ): Outbox & { notes: Map<string, HandoffDraft> } {
    const kept = new Map(Object.entries(notes));
    return {
      notes: kept,
      add: (name, note) => void kept.set(name, note),
      list: () => [...kept].sort().map(([name, note]) => ({ name, draft: note })),
      remove: (name) => void kept.delete(name),
      unreadable: () => [],
    };
  }

  test('signs each with its own agent’s key, dated by the note, and takes it out', async () => {
    const outbox = outboxOf({
      b: { ...draft(), agent: 'cc-02' },
      a: draft({ next: 'x', repo: 'r' }),
    });
    const sent: SignedRecord[] = [];
    const troubles: Trouble[] = [];
    const send = async (record: SignedRecord) => void sent.push(record);
    expect([await sendHandoffs(outbox, by, send, troubles), troubles]).toEqual([2, []]);
    const bodies = sent.map((record) => HandoffBody.parse(open(record).body));
    expect(bodies).toMatchObject([
      {
        agent: 'cc-01',
        author: signers['cc-01']?.address,
        host: 'h',
        issued_at: given.written_at,
        summary: 'The parser is done.',
        next: 'x',
        repo: 'r',
      },
      { agent: 'cc-02', author: signers['cc-02']?.address },
    ]);
    expect(bodies[1]).not.toHaveProperty('next');
    expect(outbox.notes.size).toBe(0);
  });

  test('a note that could not be sent stays, and gives the same record the next time', async () => {
    const outbox = outboxOf({ a: draft(), b: draft() });
    const sent: SignedRecord[] = [];
    const send = async (record: SignedRecord) => {
      sent.push(record);
      if (sent.length === 2) throw new CredenceError('unavailable', 'store.test', 'down');
    };
    await expect(sendHandoffs(outbox, by, send, [])).rejects.toThrow('down');
    expect([...outbox.notes.keys()]).toEqual(['b']);
    await sendHandoffs(outbox, by, send, []);
    expect(sent[2]).toEqual(sent[1]);
    expect(outbox.notes.size).toBe(0);
  });

  test('a note from a clock that was ahead is dated when it is first sent, and keeps that date', async () => {
    const outbox = outboxOf({ a: draft({ written_at: '2999-01-01T00:00:00.000Z' }) });
    const sent: SignedRecord[] = [];
    const send = async (record: SignedRecord) => {
      sent.push(record);
      if (sent.length === 1) throw new CredenceError('unavailable', 'store.test', 'down');
    };
    await expect(sendHandoffs(outbox, by, send, [])).rejects.toThrow('down');
    expect(await sendHandoffs(outbox, { ...by, now: by.now + 60_000 }, send, [])).toBe(1);
    expect(HandoffBody.parse(sent[0]?.body)).toMatchObject({ issued_at: given.written_at });
    expect(sent[1]).toEqual(sent[0]);
  });

  test('a note whose agent’s key can not be used waits on, and stops no other', async () => {
    const outbox = outboxOf({ a: { ...draft(), agent: 'cc-03' }, b: draft() });
    const troubles: Trouble[] = [];
    const send = async () => undefined;
    expect(await sendHandoffs(outbox, by, send, troubles)).toBe(1);
    expect(troubles).toEqual([{ id: 'outbox/a.json', code: 'unknown', message: 'no cc-03' }]);
    expect([...outbox.notes.keys()]).toEqual(['a']);
  });

  test('the body is the draft’s, and nothing of the machine’s', () => {
    expect(handoffBody(draft(), { address: 'amp:key:x', host: 'h' })).toEqual({
      spec: 'credence/v1',
      author: 'amp:key:x',
      issued_at: given.written_at,
      session: 's1',
      agent: 'cc-01',
      runtime: 'claude-code',
      host: 'h',
      status: 'partial',
      summary: 'The parser is done.',
    });
    expect(HandoffDraft.safeParse({ ...draft(), extra: 1 }).success).toBe(false);
  });
});
