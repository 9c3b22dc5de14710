import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readIfThere } from '../../src/io/small-file.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { filledFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const REPO = 'github.com/example/tidepool';

const found = { session: '', handoff: '' };
const begun = filledFolder('lineage', (folder) => {
  const { run, json, hook } = machine(folder);
  placeHistory(folder);
  run('up', '--once');
  run('repos', 'map', HISTORY_FOLDER, REPO);
  const [view] = json('sessions') as unknown as { session: string; agent: string }[];
  found.session = view?.session ?? '';
  const { id } = json('handoff', '--session', found.session, '--summary', 'upload is flaky');
  found.handoff = String(id);
  run('sync', '--once');
  hook('SessionStart', { session_id: 's', source: 'startup' });
});

/** A machine with sessions and a note of another one, in which a session begins; its commands run below that. */
async function atWork() {
  const one = machine(await begun());
  const spool = join(one.folder, '.credence', 'spool', 'claude-code', 's.ndjson');
  const shownBy = (command: string) =>
    parseSpool(readIfThere(spool) ?? '')
      .lines.map(({ envelope }) => envelope)
      .filter(({ detail }) => detail === `credence ${command}`)
      .map(({ event_type, injected_context = [] }) => ({
        event_type,
        ids: injected_context.map((item) => `${item.kind}:${item.id}`),
      }));
  return { ...one, ...found, spool, shownBy };
}

test('what an agent reads by commands is recorded in its session, what a person reads is not', async () => {
  const { run, folder, session, handoff, shownBy, json } = await atWork();
  const commands = [
    ['brief', '--repo', REPO],
    ['handoffs'],
    ['handoffs', handoff],
    ['search', 'upload'],
    ['sessions', session],
    ['sessions', '--limit', '1', '--json'],
  ];
  for (const args of commands) expect(run(...args).status, args.join(' ')).toBe(0);
  const note = { event_type: 'other', ids: [`handoff:${handoff}`] };
  expect(shownBy('handoffs')).toEqual([note, note]);
  expect(shownBy('brief')[0]?.ids).toEqual(
    expect.arrayContaining([`handoff:${handoff}`, `digest:${session}`]),
  );
  expect(shownBy('search')[0]?.ids).toContain(`handoff:${handoff}`);
  expect(shownBy('sessions').map(({ ids }) => ids)).toEqual([
    [`digest:${session}`],
    [expect.stringMatching(/^digest:/)],
  ]);
  expect(json('sync')).toMatchObject({ troubles: [] });
  rmSync(join(folder, '.credence', 'run', 'claude-code'), { recursive: true });
  const before = shownBy('handoffs').length;
  expect(run('handoffs').status).toBe(0);
  expect(shownBy('handoffs')).toHaveLength(before);
});

test('nothing is printed that can not be recorded', async () => {
  const { run, spool, handoff } = await atWork();
  const folder = join(spool, '..');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  const done = run('handoffs');
  expect(done.status).not.toBe(0);
  expect(done.stdout).not.toContain(handoff.slice(0, 12));
});

test('a session that is paused is not written to', async () => {
  const { run, folder, spool, shownBy } = await atWork();
  const before = readFileSync(spool, 'utf8');
  writeFileSync(join(folder, 'credence.toml'), 'pause = true\n');
  expect(run('handoffs').status).toBe(0);
  expect(shownBy('handoffs')).toEqual([]);
  expect(readFileSync(spool, 'utf8')).toBe(before);
});
