import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../kit/home.ts';
import { machine } from './machine.ts';

const SET = { PASS: 'tide and pool' };

test('keys under a passphrase: sealed, used by whoever has it, refused by name where it is not there, opened again', {
  timeout: 600_000,
}, () => {
  const folder = tempFolder('keys');
  const without = machine(folder);
  const withIt = machine(folder, SET);
  const keysFolder = join(folder, '.config', 'credence', 'keys');
  const texts = () =>
    readdirSync(keysFolder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => readFileSync(join(keysFolder, name), 'utf8'));
  expect(without.run('init', '--agent-id', 'cc-01').status).toBe(0);
  const listed = without.json('keys') as { keys: { name: string; sealed: boolean }[] };
  expect(listed.keys.map(({ name, sealed }) => [name, sealed])).toEqual([
    ['agent-cc-01', false],
    ['host', false],
    ['person', false],
  ]);

  // Nothing to seal by, and nobody to ask.
  const none = without.run('keys', 'seal');
  expect(none.status).toBe(2);
  expect(none.stderr).toContain('key.passphrase_missing');
  const pasted = without.run('config', 'set', 'keys.passphrase_env', 'tide and pool');
  expect(pasted.status).toBe(78);
  expect(pasted.stdout + pasted.stderr).not.toContain('tide and pool');
  expect(without.run('config', 'set', 'keys.passphrase_env', 'PASS').status).toBe(0);
  expect(machine(folder, { PASS: 'short' }).run('keys', 'seal').stderr).toContain(
    'passphrase_short',
  );

  const before = texts();
  expect(withIt.json('keys', 'seal', '--dry-run')['changed']).toHaveLength(3);
  expect(texts()).toEqual(before);
  expect(withIt.run('keys', 'seal').stdout.match(/sealed/g)).toHaveLength(3);
  for (const text of texts()) expect(Object.keys(JSON.parse(text))).toEqual(['address', 'sealed']);
  expect(texts().join() + withIt.run('config').stdout).not.toContain('tide');

  // Hooks go on, a sync stops before it does anything, and says why where people look.
  withIt.hook('SessionStart', { session_id: 's', source: 'startup' });
  without.hook('UserPromptSubmit', { session_id: 's', prompt: 'hello' });
  without.hook('SessionEnd', { session_id: 's', reason: 'other' });
  const stopped = without.run('sync', '--once');
  expect(stopped.status).toBe(78);
  expect(stopped.stderr).toMatch(/host\.json .*PASS.* not set .*key\.sealed/);
  const status = without.run('status');
  expect(status.status).toBe(0);
  expect(status.stdout).toContain('PASS is not set here: what runs here can’t sign');
  expect(status.stdout).toContain('1 session, ');
  expect(without.run('doctor').stdout).toMatch(/bad keys .*PASS/);
  const wrong = machine(folder, { PASS: 'tide or pool' });
  expect(wrong.run('sync', '--once').stderr).toContain('key.passphrase');
  expect(wrong.run('keys', 'open').stderr).toContain('key.passphrase');

  expect(withIt.run('sync', '--once').stdout).toContain('sealed 1 session');
  expect(withIt.run('doctor').stdout).toMatch(/ok {2}keys .*each of 2 can sign/);
  expect(withIt.run('verify').status).toBe(0);
  // A new agent's key is sealed as it is made, and not made in the open.
  const agent = ['config', 'set', 'agents.claude-code', 'cc-02'] as const;
  expect(without.run(...agent).stderr).toContain('key.sealed');
  expect(readdirSync(keysFolder)).not.toContain('agent-cc-02.json');
  expect(withIt.run(...agent).status).toBe(0);
  expect(readFileSync(join(keysFolder, 'agent-cc-02.json'), 'utf8')).toContain('scrypt');

  expect(withIt.run('keys', 'open').stdout.match(/opened/g)).toHaveLength(4);
  expect(without.run('keys').stderr).toContain('4 keys not sealed');
  expect(without.run('config', 'set', 'keys.passphrase_env', '').status).toBe(0);
  expect(without.run('sync', '--once').status).toBe(0);
});
