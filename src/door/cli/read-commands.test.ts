import { stripVTControlCharacters } from 'node:util';
import { Command } from 'commander';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { envelope } from '../../../test/kit/envelopes.ts';
import {
  digestOf,
  handoffBody,
  householdOf,
  idOf,
  noted,
  sealed,
  sessionBody,
} from '../../../test/kit/fleet.ts';
import { snapshotOf } from '../../../test/kit/member.ts';
import type { LiveAgent } from '../../live/live.ts';
import { findHandoff } from '../../query/handoff.ts';
import { findSession } from '../../query/session.ts';
import type { Envelope } from '../../runtime/envelope.ts';
import type { Sql } from '../../snapshot/port.ts';
import type { Context } from './context.ts';
import { handoffsCommand, sessionsCommand } from './read-commands.ts';
import { searchCommand } from './search-command.ts';

const ann = householdOf('ann');
const UUID = '0a1b2c3d-4e5f-4711-8000-123456789abc';
const session = (id: string, fields = {}) =>
  sealed(ann, sessionBody(ann, id, { digest: digestOf({ asked: `word of ${id}` }), ...fields }));

/** What a command prints about a snapshot, line by line, without colours. */
async function lines(
  sql: Sql,
  words: readonly string[],
  more: { readonly events?: readonly Envelope[]; readonly live?: readonly LiveAgent[] } = {},
): Promise<string[]> {
  const printed: string[] = [];
  const context: Partial<Context> = {
    out: {
      json: false,
      text: (line) => void printed.push(...line.split('\n')),
      value: () => {},
      row: () => {},
      note: () => {},
    },
    read: (_which, body) => body(sql),
    tryRead: (_which, body) => body(sql),
    liveAgents: () => more.live ?? [],
    sampled: () => undefined,
    captured: (id) =>
      id === 'own' ? { session: id, runtime: 'claude-code', repo: undefined } : undefined,
    home: () =>
      ({ settings: { agents: {} }, world: { now: () => 0 } }) as unknown as ReturnType<
        Context['home']
      >,
    events: () => Promise.resolve(more.events ?? []),
    local: {
      recordShown: () => true,
      callingSession: () => undefined,
    } as unknown as Context['local'],
  };
  const program = new Command();
  for (const add of [sessionsCommand, handoffsCommand, searchCommand])
    add(program, context as Context);
  await program.parseAsync([...words], { from: 'user' });
  return printed.map((line) => stripVTControlCharacters(line));
}
const first = (line: string) => line.split(' ')[0] ?? '';

test('each id of the lists of sessions and hits opens what its line is of', async () => {
  const part = fc.constantFrom('session-2026', '0a1b2c3d-4e5f', ':', ':agent-1', '-', 'x', '"');
  const anyId = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''));
  const anyIds = fc.uniqueArray(anyId, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(anyIds, async (ids) => {
      const sql = snapshotOf([
        ...ids.map((id) => session(id)),
        noted(ann, handoffBody(ann, 's', { summary: 'word of a handoff' })),
      ]);
      const listed = (await lines(sql, ['sessions'])).slice(1).filter((line) => line !== '');
      const opened = listed.map((line) => findSession(sql, first(line)));
      expect(opened.map((view) => view.session).sort()).toEqual([...ids].sort());
      for (const [i, line] of listed.entries())
        expect(line).toContain(String(opened[i]?.digest.asked).slice(0, 50));
      const hits = (await lines(sql, ['search', 'word'])).slice(1).filter((line) => line !== '');
      expect(hits).toHaveLength(ids.length + 1);
      for (const hit of hits) {
        if (hit.includes(' handoff ')) findHandoff(sql, first(hit));
        else expect(hit).toContain(findSession(sql, first(hit)).digest.asked);
      }
    }),
    { numRuns: 40 },
  );
});

test('a session whole names its subagents, and what was put before it, by ids that open them', async () => {
  const note = noted(ann, handoffBody(ann, UUID));
  const children = ['agent-0123456789', 'agent-01234567ab'].map((agent) => `${UUID}:${agent}`);
  const sql = snapshotOf([
    session(UUID),
    ...children.map((id) => session(id, { parent: UUID })),
    note,
  ]);
  const injected = [
    { kind: 'digest' as const, id: UUID, source: UUID, observed_by: 'ann-cc' },
    { kind: 'handoff' as const, id: idOf(note), source: UUID, observed_by: 'ann-cc' },
  ];
  const events = [envelope({ content: 'hi', injected_context: injected })];
  const printed = await lines(sql, ['sessions', UUID.slice(0, 12)], { events });
  expect(first(printed[0] ?? '')).toBe(UUID);
  const named = printed.find((line) => line.startsWith('subagents'))?.replace('subagents', '');
  expect(named?.split(',').map((id) => findSession(sql, id.trim()).session)).toEqual(
    [...children].sort(),
  );
  const [, digest = '', handoff = ''] =
    /← digest:(\S+) handoff:(\S+)/.exec(printed.join('\n')) ?? [];
  expect([findSession(sql, digest).session, findHandoff(sql, handoff).id]).toEqual([
    UUID,
    idOf(note),
  ]);
});

describe('a session that still runs', () => {
  const at = '2026-01-05T12:00:00.000Z';
  const running = (id: string): LiveAgent['sessions'][number] => ({
    session: id,
    repo: 'github.com/acme/web',
    branch: 'main',
    started_at: at,
    last_at: '2026-01-05T12:10:00.000Z',
    asked: 'Fix\u202e it',
    shown: [],
  });
  const liveOf = (...ids: string[]): LiveAgent[] => {
    const who = { host: '0123456789abcdef', agent: 'bob-cc', runtime: 'claude-code' };
    return [{ version: 1, ...who, at, sessions: ids.map(running) }];
  };

  test.each([UUID, UUID.slice(0, 12), UUID.toUpperCase(), `digest:${UUID}`])(
    '%s opens what its host says of it',
    async (id) => {
      const sql = snapshotOf([session(`${UUID}:agent-1`, { parent: UUID }), session('other')]);
      const printed = await lines(sql, ['sessions', id], { live: liveOf(UUID, 'other-2') });
      expect(printed).toEqual([
        `${UUID}  not sealed yet`,
        'agent      bob-cc on host 0123456789abcdef, claude-code',
        'repo       github.com/acme/web',
        'branch     main',
        'since      2026-01-05 12:00 UTC, last heard of 2026-01-05 12:10 UTC',
        'asked      “Fix it”',
        'subagents  0a1b2c3d-4e5:agent-1',
        expect.stringContaining('once it is over'),
      ]);
    },
  );

  test('of this home opens before any sync told of it', async () => {
    expect(await lines(snapshotOf([]), ['sessions', 'own'])).toEqual([
      'own  not sealed yet',
      'agent      unconfigured, claude-code',
      expect.stringContaining('once it is over'),
    ]);
  });

  test('gives way to the sealed one, and two of them are two', async () => {
    const live = liveOf(UUID, `${UUID.slice(0, 14)}x`);
    const [line] = await lines(snapshotOf([session(UUID)]), ['sessions', UUID], { live });
    expect(line).toBe(`${UUID}  clean`);
    const find = (id: string) => lines(snapshotOf([]), ['sessions', id], { live });
    await expect(find(UUID.slice(0, 12))).rejects.toMatchObject({ code: 'session.ambiguous' });
    await expect(find('zzz')).rejects.toMatchObject({ code: 'session.missing' });
  });
});

test('a handoff says to whom it was offered, also of those who run, and who took it, by an id that opens', async () => {
  const note = noted(ann, handoffBody(ann, 's0'));
  const lineage = [{ kind: 'handoff' as const, id: idOf(note), source: 's0', observed_by: 'x' }];
  const taker = session(`${UUID}:agent-1`, { lineage, digest: digestOf({ worked: true }) });
  const at = '2026-01-05T12:00:00.000Z';
  const running = { session: 'r', started_at: at, last_at: at, shown: [`handoff:${idOf(note)}`] };
  const live: LiveAgent[] = [
    { version: 1, host: 'h', agent: 'bob-cc', runtime: 'claude-code', at, sessions: [running] },
  ];
  const waiting = await lines(snapshotOf([note]), ['handoffs'], { live });
  expect(waiting[0]).toContain('waiting  offered to bob-cc');
  const sql = snapshotOf([note, session(UUID), taker]);
  const [line = ''] = await lines(sql, ['handoffs', first(waiting[0] ?? '')]);
  expect(line).toContain('offered to ann-cc');
  const [, by = ''] = /taken by (\S+)/.exec(line) ?? [];
  expect(findSession(sql, by).session).toBe(`${UUID}:agent-1`);
});
