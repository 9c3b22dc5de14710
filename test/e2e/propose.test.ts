import { describe, expect, test, vi } from 'vitest';
import { filledFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const SESSION = 'a1f0c9d2-0000-4000-8000-000000000001';

const begun = filledFolder('propose', (folder) => {
  const { run, hook } = machine(folder);
  run('init', '--agent-id', 'cc-01');
  const call = { session_id: SESSION, tool_use_id: 'toolu_1', tool_name: 'Bash' };
  hook('PostToolUse', {
    ...call,
    tool_input: { command: 'just test' },
    tool_response: { stdout: 'dial tcp 127.0.0.1:6380: connection refused', stderr: '' },
  });
});

/** A home whose agent ran a command in a session that goes on. */
const atWork = async () => machine(await begun());

const CLAIM = ['claim', 'propose', 'The tests need redis on port 6380.', '--type', 'environment'];
const CITED = ['--session', SESSION, '--quote', '127.0.0.1:6380: connection refused'];

describe('claim propose', () => {
  test('finds the words in what a running session captured, and signs what stands there', async () => {
    const { run, json } = await atWork();
    const done = json(...CLAIM, ...CITED, '--subject', 'redis');
    expect(done).toMatchObject({ state: 'sent', agent: 'cc-01', subject: ['redis'] });
    const text = run('prove', String(done['id'])).stdout;
    const { entry } = JSON.parse(text) as { entry: { record: { body: object } } };
    expect(entry.record.body).toMatchObject({
      statement: 'The tests need redis on port 6380.',
      observed_by: 'cc-01',
      evidence: [{ session_id: SESSION, message_id: 'toolu_1' }],
    });
  });

  test('inside a session is of that session, queued for its next sync, and refused at once where that is wrong', async () => {
    const { run, json, hook } = await atWork();
    // By this the command finds that a session runs it.
    hook('SessionStart', { session_id: SESSION, source: 'startup' });
    const wrong = run(...CLAIM, '--message', 'toolu_9');
    expect([wrong.status, wrong.stderr]).toEqual([1, expect.stringContaining('citation.message')]);
    expect(json(...CLAIM, '--message', 'toolu_1')).toMatchObject({ state: 'queued' });
    expect(json('sync', '--once')).toMatchObject({ proposed: [{ id: expect.any(String) }] });
    expect(json('status')).toMatchObject({ proposals: { queued: 0, refused: 0 } });
  });

  test('said again by the same words is a position on the first', async () => {
    const { json } = await atWork();
    const first = json(...CLAIM, ...CITED);
    const again = json(...CLAIM, ...CITED);
    const proof = json('prove', String(again['id'])) as {
      entry: { record: { context: string; body: object } };
    };
    expect(proof.entry.record).toMatchObject({
      context: 'endorsement',
      body: { claim_id: first['id'], verdict: 'corroborate' },
    });
  });

  test.each<[string, string[], number, string]>([
    ['no evidence', [], 2, 'claim.evidence'],
    [
      'words that nobody said, in a session that goes on',
      ['--session', SESSION, '--quote', 'exit 7'],
      0,
      '',
    ],
    ['a session that nobody knows', ['--session', 'zz', '--quote', 'x'], 1, 'session.missing'],
    ['an agent that this home has not', [...CITED, '--agent', 'cc-99'], 2, 'agent.unknown'],
    ['evidence that is no citation', ['--evidence', '[{"quote":"x"}]'], 2, 'citation.form'],
  ])('with %s', async (_what, options, status, code) => {
    const { run, json } = await atWork();
    const done = run(...CLAIM, ...options);
    expect(done.status).toBe(status);
    if (code !== '') expect(done.stderr).toContain(code);
    else expect(json('status')).toMatchObject({ proposals: { queued: 1, refused: 0 } });
  });

  test('shows what it would queue, and queues nothing', async () => {
    const { json } = await atWork();
    expect(json(...CLAIM, ...CITED, '--dry-run')).toMatchObject({ state: 'dry run' });
    expect(json('status')).toMatchObject({ proposals: { queued: 0 } });
  });

  test('keeps no secret', async () => {
    const { json } = await atWork();
    const key = ['AKIA', 'QWERTYUIOPASDFGH'].join('');
    const about = ['--subject', key, '--topic', key, '--ref', `https://${key}.example`];
    const words = ['claim', 'propose', `The key is ${key}.`, '--type', 'environment', ...about];
    // The second is of words that may still come: until then they wait on disk.
    for (const cited of [CITED, ['--session', SESSION, '--quote', `the key is ${key}`]]) {
      const said = json(...words, ...cited);
      expect(said).toMatchObject({ kind: 'claim' });
      expect(JSON.stringify(said).toLowerCase()).not.toContain(key.toLowerCase());
    }
  });
});

describe('claim endorse', () => {
  test('contradicts with what was seen; one that is refused by the ledger is told', async () => {
    const { run, json } = await atWork();
    const { id } = json(...CLAIM, ...CITED);
    const position = ['claim', 'endorse', String(id).slice(0, 12), '--verdict', 'contradict'];
    expect(json(...position, '--basis', 'it is 6381 now', ...CITED)).toMatchObject({
      state: 'sent',
      claim_id: id,
    });
    const unknown = run('claim', 'endorse', 'ffff', '--verdict', 'contradict', '--basis', 'x');
    expect([unknown.status, unknown.stderr]).toEqual([1, expect.stringContaining('claim.missing')]);
  });
});
