import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readIfThere } from '../../src/io/small-file.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { tempFolder } from '../kit/home.ts';
import { HISTORY_FOLDER, machine, placeHistory } from './machine.ts';

// Each starts the program several times.
vi.setConfig({ testTimeout: 120_000 });

const REPO = 'github.com/example/tidepool';

/** A machine with sessions and a note of another one, in which a session begins; its commands run below that. */
function atWork() {
  const one = machine(tempFolder('lineage'));
  placeHistory(one.folder);
  one.run('up', '--once');
  one.run('repos', 'map', HISTORY_FOLDER, REPO);
  const [view] = one.json('sessions') as unknown as { session: string; agent: string }[];
  const session = view?.session ?? '';
  const { id } = one.json('handoff', '--session', session, '--summary', 'upload is flaky');
  one.run('sync', '--once');
  one.hook('SessionStart', { session_id: 's', source: 'startup' });
  const spool = join(one.folder, '.credence', 'spool', 'claude-code', 's.ndjson');
  const shownBy = (command: string) =>
    parseSpool(readIfThere(spool) ?? '')
      .lines.map(({ envelope }) => envelope)
      .filter(({ detail }) => detail === `credence ${command}`)
      .map(({ event_type, injected_context = [] }) => ({
        event_type,
        ids: injected_context.map((item) => `${item.kind}:${item.id}`),
      }));
  return { ...one, spool, session, handoff: String(id), shownBy };
}

test('what an agent reads by commands is recorded in its session, what a person reads is not', () => {
  const { run, folder, session, handoff, shownBy, json } = atWork();
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

test('nothing is printed that can not be recorded', () => {
  const { run, spool, handoff } = atWork();
  const folder = join(spool, '..');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, '');
  const done = run('handoffs');
  expect(done.status).not.toBe(0);
  expect(done.stdout).not.toContain(handoff.slice(0, 12));
});

test('a session that is paused is not written to', () => {
  const { run, folder, spool, shownBy } = atWork();
  const before = readFileSync(spool, 'utf8');
  writeFileSync(join(folder, 'credence.toml'), 'pause = true\n');
  expect(run('handoffs').status).toBe(0);
  expect(shownBy('handoffs')).toEqual([]);
  expect(readFileSync(spool, 'utf8')).toBe(before);
});
