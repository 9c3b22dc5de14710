import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../kit/home.ts';
import { machine, placeHistory } from './machine.ts';

interface Waits {
  readonly for: string;
  readonly records: number;
  readonly host: string;
}
interface Key {
  readonly kind: string;
  readonly standing: string;
}
interface Member {
  readonly name: string;
  readonly roles: readonly string[];
  readonly keys: readonly { readonly address: string; readonly revoked: number | null }[];
  readonly sessions: number;
  readonly handoffs: number;
}

/** Two homes on one store, the first of which founds a fleet there. */
function homes(...how: readonly string[]) {
  const folder = tempFolder('membership');
  const store = `file://${join(folder, 'store')}`;
  const [ann, bob] = [machine(join(folder, 'ann')), machine(join(folder, 'bob'))];
  expect(ann.run('init', ...how, '--store', store, '--agent-id', 'cc-01').status).toBe(0);
  return { ann, bob, store };
}
const errorOf = (value: Record<string, unknown>) => (value['error'] as { code: string }).code;
const standings = (value: Record<string, unknown>) =>
  Object.fromEntries((value['members'] as Key[]).map(({ kind, standing }) => [kind, standing]));

test('a closed fleet: join, wait, be admitted, work, rotate, be revoked', () => {
  const { ann, bob, store } = homes('--closed');
  placeHistory(bob.folder);
  const { request } = bob.json('join', '--store', store, '--agent-id', 'cc-02');
  expect(request).toMatch(/^credence-join:1:/);
  // What was captured waits, and both see it waiting.
  expect(bob.run('import').stdout).toMatch(/3 records wait: admission/);
  expect(standings(bob.json('status'))).toEqual({
    person: 'waiting',
    host: 'waiting',
    agent: 'waiting',
  });
  ann.json('sync', '--once');
  const [waits, ...more] = ann.json('status')['waits'] as Waits[];
  expect([waits?.for, waits?.records, more]).toEqual(['admission', 3, []]);
  expect(ann.run('status').stdout).toMatch(/inbox .*3 records of \w{8} from host \w{16} wait/);
  expect(errorOf(bob.json('fleet', 'admit', String(request)))).toBe('fleet.role');
  // A dry run admits nobody.
  const planned = ann.json('fleet', 'admit', String(request), '--dry-run', '--role', 'review');
  expect(planned).toMatchObject({
    dryRun: true,
    planned: [
      { kind: 'person', roles: ['review'], was: 'new' },
      { kind: 'host', roles: ['capture', 'commit', 'extract', 'gate'] },
      { kind: 'agent', principal: 'cc-02', roles: ['propose'] },
    ],
  });
  expect(ann.json('agents')).toHaveLength(3);
  expect(ann.json('fleet', 'admit', String(request))).toMatchObject({ taken: true });
  expect(bob.json('sync', '--once')).toMatchObject({ waiting: [], troubles: [] });
  expect(bob.json('sessions')).toHaveLength(3);
  expect(standings(bob.json('status'))).toEqual({
    person: 'admitted',
    host: 'admitted',
    agent: 'admitted',
  });
  // Each of bob's keys gives way to another, and he stays who he is.
  for (const what of [['agent', 'cc-02'], ['host'], ['person']])
    expect(bob.json('fleet', 'rotate', ...what)).toMatchObject({ isDone: true });
  const memberOf = (name: string) =>
    (ann.json('agents') as unknown as Member[]).find((member) => member.name === name);
  const [session] = bob.json('sessions') as unknown as { session: string }[];
  const leave = (summary: string) =>
    bob.run('handoff', '--session', session?.session ?? '', '--summary', summary);
  expect(leave('by the new key').status).toBe(0);
  const hook = JSON.parse(readFileSync(join(bob.folder, '.credence', 'hook.json'), 'utf8'));
  expect(hook).toMatchObject({ host_id: waits?.host });
  expect(bob.json('sync', '--once')).toMatchObject({ troubles: [] });
  ann.json('sync', '--once');
  expect(memberOf(String(waits?.host))).toMatchObject({ sessions: 3 });
  expect(memberOf('cc-02')?.keys.map(({ revoked }) => revoked === null)).toEqual([false, true]);
  // Revoked, the agent is heard no more, and its home says so.
  expect(ann.json('fleet', 'revoke', 'cc-02', '--reason', 'lost')).toMatchObject({ taken: true });
  const before = memberOf('cc-02')?.handoffs;
  expect(before).toBe(1);
  expect(leave('too late').status).toBe(0);
  const refused = bob.json('sync', '--once')['troubles'] as { code: string }[];
  expect(refused.map(({ code }) => code)).toEqual(['record.revoked']);
  expect(standings(bob.json('status'))).toMatchObject({ agent: 'revoked' });
  expect(bob.run('status').stdout).toMatch(/agent cc-02 .*its key is revoked/);
  ann.json('sync', '--once');
  expect(memberOf('cc-02')?.handoffs).toBe(before);
  expect(ann.run('verify').status).toBe(0);
}, 240_000);

test('an agent id that somebody has is refused before anything is written', () => {
  const { ann, bob, store } = homes();
  const refused = bob.json('init', '--store', store, '--agent-id', 'cc-01');
  expect(errorOf(refused)).toBe('agent.taken');
  expect(existsSync(join(bob.folder, '.config'))).toBe(false);
  // An admin can give it all the same.
  const { request } = bob.json('join', '--store', store, '--agent-id', 'cc-01');
  bob.json('sync', '--once');
  expect(standings(bob.json('status'))).toEqual({
    person: 'admitted',
    host: 'admitted',
    agent: 'taken',
  });
  const done = ann.run('fleet', 'admit', String(request));
  expect(done.stdout).toMatch(/the name is held by \w{8}/);
  bob.json('sync', '--once');
  expect(standings(bob.json('status'))).toMatchObject({ agent: 'admitted' });
  const founder = (ann.json('agents') as unknown as Member[])[0];
  expect(errorOf(ann.json('fleet', 'revoke', founder?.name ?? ''))).toBe('revocation.last_admin');
}, 120_000);
