import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import { toInstant } from '../base/time.ts';
import type { Event } from '../runtime/envelope.ts';
import { toldRules } from './told.ts';

const NOON = Date.UTC(2026, 2, 5, 12);
const settings = {
  fleet_id: 'f',
  host_id: 'h',
  agents: { 'claude-code': 'cc-01' },
  pause: false,
  exclude: ['/private/**'],
  denied_paths: ['*.secret'],
  refuse_denied: false,
  handoffs: true,
  claims: false,
  sync_command: [],
  handoff_command: '',
};

function event(session: string, cwd: string, seconds: number): Event {
  return {
    session_id: session,
    cwd,
    emitted_at: toInstant(NOON + seconds * 1_000),
    event_type: 'prompt',
    native: { key: 'prompt', counted: true },
  };
}

function rules(files: Record<string, string>) {
  const world = { now: () => NOON, random: (bytes: number) => new Uint8Array(bytes) };
  return toldRules({
    runtime: 'claude-code',
    files: memoryFiles(files),
    settings,
    world,
    secret: () => new Uint8Array(32),
  });
}

describe('what a transcript tells', () => {
  test('of a time of pause is not brought in', () => {
    const { isExcluded } = rules({
      'paused/claude-code/s.log': `paused ${NOON + 60_000}\nresumed ${NOON + 120_000}\n`,
    });
    const excluded = [0, 54, 55, 60, 119, 120, 300].filter((seconds) =>
      isExcluded(event('s', '/w', seconds)),
    );
    expect(excluded).toEqual([55, 60, 119]);
    expect(isExcluded(event('other', '/w', 60))).toBe(false);
  });

  test('of a time in which all was paused is not brought in, whatever hooks heard of it', () => {
    const { isExcluded } = rules({
      'paused/all.log': `paused ${NOON + 60_000}\nresumed ${NOON + 120_000}\n`,
      'paused/claude-code/s.log': `paused ${NOON + 100_000}\nresumed ${NOON + 130_000}\n`,
    });
    const excluded = [50, 60, 99, 100, 129, 130].filter((seconds) =>
      isExcluded(event('s', '/w', seconds)),
    );
    expect(excluded).toEqual([60, 99, 100, 129]);
    expect(isExcluded(event('of no hook', '/w', 70))).toBe(true);
  });

  test('by a subagent in a pause of its parent is not brought in', () => {
    const { isExcluded } = rules({
      'paused/claude-code/s.log': `paused ${NOON + 60_000}\nresumed ${NOON + 120_000}\n`,
    });
    const sub = (seconds: number) => ({
      ...event('s:a7', '/w', seconds),
      parent_session_id: 's',
    });
    expect([isExcluded(sub(70)), isExcluded(sub(130))]).toEqual([true, false]);
  });

  test('as the result of a call is judged also by where the call was made', () => {
    const { isExcluded, circumstance } = rules({
      '/v/credence.toml': 'pause = true',
      '/w/credence.toml': 'exclude = ["plans/**"]',
      '/x/credence.toml': 'exclude = ["notes"]',
      '/v/x': '',
      '/w/x': '',
      '/x/x': '',
    });
    const result = (cwd: string, from: string): Event => ({
      ...event('s', cwd, 0),
      asked: { input: '{}', cwd: from },
    });
    expect([
      isExcluded(result('/w', '/v')),
      isExcluded(result('/v', '/w')),
      isExcluded(result('/w', '/w')),
      isExcluded({ ...event('s', '/w', 0), asked: 'unknown' }),
    ]).toEqual([true, true, false, false]);
    expect(circumstance(result('/x', '/w'), 'imported').policy.deniedPaths).toEqual([
      '*.secret',
      '/x/notes',
      '/w/plans/**',
    ]);
  });

  test('of an excluded folder, or of a project that pauses, is not brought in', () => {
    const { isExcluded } = rules({ '/w/credence.toml': 'pause = true', '/w/x': '', '/v/x': '' });
    expect(isExcluded(event('s', '/private/a', 0))).toBe(true);
    expect(isExcluded(event('s', '/w', 0))).toBe(true);
    expect(isExcluded(event('s', '/v', 0))).toBe(false);
  });

  test('is redacted by the rules of its project', () => {
    const { circumstance } = rules({ '/w/credence.toml': 'exclude = ["plans/**"]', '/w/x': '' });
    expect(circumstance(event('s', '/w', 0), 'imported').policy.deniedPaths).toEqual([
      '*.secret',
      '/w/plans/**',
    ]);
  });
});
