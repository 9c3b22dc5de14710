import { expect, test, vi } from 'vitest';
import { filledFolder } from '../kit/home.ts';
import { machine, placeHistory } from './machine.ts';

// Each starts the program many times.
vi.setConfig({ testTimeout: 300_000 });

const REPO = 'github.com/example/tidepool';

interface Cited {
  readonly session: string;
  readonly message: string;
}

const messages: Cited[] = [];
const imported = filledFolder('belief', async (folder) => {
  const { run, json } = machine(folder);
  placeHistory(folder);
  run('init', '--agent-id', 'cc-01');
  run('import');
  run('repos', 'map', '/*/dev/src/tidepool', REPO);
  const sessions = json('sessions', '--limit', '50') as unknown as { session: string }[];
  for (const { session } of sessions) {
    const { events } = json('sessions', session) as unknown as {
      events: { message_id?: string; content?: string; role?: string }[];
    };
    const said = events.find(({ message_id, content }) => message_id && content);
    if (said?.message_id !== undefined) messages.push({ session, message: said.message_id });
  }
});

/** A machine whose agent claims what it is told to, each claim from a session of its own. */
async function believing() {
  const one = machine(await imported());
  const claim = (statement: string, place: number, ...more: string[]) => {
    const { session = '', message = '' } = messages[place] ?? {};
    const cited = ['--session', session, '--message', message, '--scope', 'fleet'];
    one.run('claim', 'propose', statement, ...cited, ...more);
    const known = one.json('claims') as unknown as { id: string; statement: string }[];
    return known.find((row) => row.statement === statement)?.id ?? '';
  };
  const status = (id: string) => (one.json('claims', id) as { status?: string }).status;
  return { ...one, claim, status };
}

test('gates promote, contest and hold back; a person settles; all of it is in the ledger', async () => {
  const { run, json, claim, status } = await believing();
  const [five, guess, habit] = [
    claim('The upload limit is 5 MB.', 0, '--type', 'environment'),
    claim('The flake comes from the scheduler.', 0, '--type', 'hypothesis'),
    claim('This repo uses just, not make.', 0, '--type', 'convention'),
  ];
  expect(run('maint', '--once').stdout).toMatch(/looked up \d+ findings, made \d+ decisions/);
  expect([five, guess, habit].map(status)).toEqual(['promoted', 'candidate', 'candidate']);
  const page = run('claims', habit).stdout;
  expect(page).toMatch(/independence +failed +too few \(1 of 2\)/);
  expect(page).toMatch(/evidence[\s\S]*matches/);
  expect(run('maint', '--once').stdout).not.toContain('decision');

  const ten = claim('The upload limit is 10 MB.', 1, '--type', 'environment');
  run('maint', '--once');
  expect([five, ten].map(status)).toEqual(['contested', 'contested']);
  expect(run('claims', '--status', 'contested', '--explain').stdout).toMatch(
    /The upload limit is 10 MB\.[\s\S]*contradiction +failed +it contradicts/,
  );
  run('config', 'set', 'summarize.mode', 'live');
  run('sync', '--once');
  const told = run('brief', '--repo', REPO).stdout;
  expect(told).toMatch(/CONTESTED[^\n]*The upload limit is 5 MB\.\n {2}against it: .*10 MB/);
  expect(told).not.toMatch(/- \[[^\n]*The upload limit is 10 MB/);
  run('config', 'set', 'summarize.mode', 'agent');
  expect(run('agents', 'cc-01').stdout).toMatch(/contested +2 of \d+ \(\d\.\d\d\)/);
  const waiting = run('review').stdout;
  expect(waiting).toContain('The upload limit is 5 MB.');
  expect(waiting).toContain('The upload limit is 10 MB.');

  const basis = ['--basis', 'the compose file says 5'];
  expect(run('review', five, '--keep', ...basis, '--dry-run').stdout).toContain('would settle');
  expect(status(ten)).toBe('contested');
  run('review', five, '--keep', ...basis);
  expect([five, ten].map(status)).toEqual(['promoted', 'rejected']);

  run('quarantine', 'cc-01', '--reason', 'its claims are stale');
  run('maint', '--once');
  expect(status(five)).toBe('contested');
  run('quarantine', 'cc-01', '--release', '--reason', 'it was the proxy');
  run('maint', '--once');
  expect(status(five)).toBe('contested');
  expect(json('verify', '--replay')).toMatchObject({
    fault: null,
    replay: { refuted: [], erased: 0, otherVersion: 0 },
  });
  const { replay: before } = json('verify', '--replay') as { replay: { same: number } };
  expect(before.same).toBeGreaterThan(8);

  run('erase', ten, '--reason', 'it named a customer', '--yes');
  run('sync', '--once');
  const after = json('verify', '--replay') as { replay: { same: number; erased: number } };
  expect(after.replay).toMatchObject({ refuted: [] });
  expect(after.replay.same).toBeLessThan(before.same);
  expect(after.replay.erased).toBeGreaterThan(0);
});

test('a preference waits for a person, who approves it', async () => {
  const { run, claim, status } = await believing();
  const terse = claim('Ann prefers terse commit messages.', 0, '--type', 'preference');
  run('maint', '--once');
  expect(status(terse)).toBe('candidate');
  expect(run('claims', terse).stdout).toMatch(/evidence +waits +a person has to approve/);
  expect(run('review').stdout).toContain('Ann prefers terse commit messages.');
  run('review', terse, '--approve', '--basis', 'she said so');
  run('maint', '--once');
  expect(status(terse)).toBe('promoted');
});

test('what says the same is one claim, and why says whose observations count', async () => {
  const { run, json, claim, status } = await believing();
  const first = claim('The staging gateway listens on port 8443.', 0, '--type', 'environment');
  run('maint', '--once');
  const again = claim('In staging the gateway listens on port 8443.', 1, '--type', 'environment');
  expect(run('claims', '--duplicates').stdout).toContain('no two claims say the same');
  run('maint', '--once');
  expect([first, again].map(status)).toEqual(['promoted', 'joined']);
  expect(json('claims', '--duplicates')).toMatchObject([
    { claim: first, others: [{ claim: again, state: 'joined' }] },
  ]);
  expect(json('why', first)).toMatchObject({ joined: [again], sessions: 2, needs: 1 });
  const page = run('why', first).stdout;
  expect(page).toMatch(/independent observations? of 2 sessions; it takes 1/);
  expect(page).toContain('which says the same');
  expect(run('why', 'ffff').stderr).toContain('claim.missing');
});

test.each([
  ['nobody', ['quarantine', 'nobody', '--reason', 'x'], 'agent.unknown'],
  ['without a reason', ['quarantine', 'cc-01'], 'trust.reason'],
])('a quarantine of %s is refused', async (_, command, code) => {
  const { run } = await believing();
  expect(run(...command).stderr).toContain(code);
});
