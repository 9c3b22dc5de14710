import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { handoffBody, householdOf, noted, sealed, sessionBody } from '../../test/kit/fleet.ts';
import { newSql, snapshotOf } from '../../test/kit/member.ts';
import type { Sql } from '../snapshot/port.ts';
import { findKey, shownId } from './shown-id.ts';

const ann = householdOf('ann');
const UUID = '0a1b2c3d-4e5f-4711-8000-123456789abc';
const OTHER = '0a1b2c3d-4e50-4711-8000-123456789abc';

/** A snapshot with sessions of these keys. Written past the fold, which says nothing about keys. */
function sessions(...keys: readonly string[]): Sql {
  const sql = newSql();
  for (const key of keys) sql.run('INSERT INTO sessions (key, at) VALUES (?, 1)', key);
  return sql;
}

describe('what is shown of an id', () => {
  const HASH = '[0-9a-f]{16}';
  test.each<[string, readonly string[], string, string]>([
    ['its beginning', [UUID], UUID, '0a1b2c3d-4e5'],
    ['a short one whole', ['s1'], 's1', 's1'],
    ['its beginning, whatever subagents it has', [UUID, `${UUID}:a1`], UUID, '0a1b2c3d-4e5'],
    [
      'of a subagent, both beginnings',
      [UUID, `${UUID}:agent-0123456789`],
      `${UUID}:agent-0123456789`,
      '0a1b2c3d-4e5:agent-01',
    ],
    ['of one whose session is not sealed too', [`${UUID}:a1`], `${UUID}:a1`, '0a1b2c3d-4e5:a1'],
    ['more where another begins the same', [UUID, OTHER], UUID, '0a1b2c3d-4e5f-4711-8'],
    [
      'more of a subagent',
      [`${UUID}:agent-01-a`, `${UUID}:agent-01-b`],
      `${UUID}:agent-01-a`,
      '0a1b2c3d-4e5f-4711-8:agent-01-a',
    ],
    ['the whole where others begin with it', ['ab', 'abc'], 'ab', 'ab'],
    [
      'a hash where no beginning is clear',
      ['x'.repeat(99), 'x'.repeat(98)],
      'x'.repeat(98),
      `x{12}..${HASH}`,
    ],
    ['a hash for what looks like an option', ['-abc'], '-abc', `..${HASH}`],
    ['a hash for what looks like a home folder', ['~abc'], '~abc', `..${HASH}`],
    ['a hash where a terminal would not show it', ['ab\u202e"c'], 'ab\u202e"c', `ab..${HASH}`],
    [
      'a hash for one that looks like one',
      ['a..0123456789abcdef', 'a..0123456789'],
      'a..0123456789abcdef',
      `a..012345678..${HASH}`,
    ],
  ])('%s', (_what, keys, key, form) => {
    const sql = sessions(...keys);
    const shown = shownId(sql, 'session', key);
    expect(shown).toMatch(new RegExp(`^${form.replaceAll('.', '\\.')}$`));
    expect(findKey(sql, 'session', shown)).toBe(key);
  });

  test('of a running session nothing else is opened, before its seal and after it', () => {
    const rival = `${UUID.slice(0, 14)}-rival`;
    const cases: readonly [sealed: readonly string[], running: readonly string[]][] = [
      [[], [UUID, `${UUID}:a1`, OTHER, rival]],
      [
        [`${UUID}:a1`, rival],
        [UUID, OTHER],
      ],
      [['0a1b2c3d-4e5f'], [UUID, UUID.slice(0, 12)]],
    ];
    for (const [before, running] of cases) {
      const sql = sessions(...before);
      const forms = running.map((key) => shownId(sql, 'session', key, running));
      const opened = (form: string) => {
        try {
          return findKey(sql, 'session', form);
        } catch {
          return undefined;
        }
      };
      expect(forms.map(opened)).toEqual(running.map(() => undefined));
      for (const [i, key] of running.entries()) {
        sql.run('INSERT INTO sessions (key, at) VALUES (?, 2)', key);
        expect(opened(forms[i] ?? '')).toBe(key);
      }
      expect(forms.map(opened)).toEqual(running);
    }
  });

  test('whatever the sessions are, what is shown of each opens it, in few plain characters', () => {
    const piece = fc.oneof(
      fc.constantFrom('a', 'ab', 'session-2026', ':', '-', '..', '0123456789abcdef', UUID),
      fc.constantFrom('"', ' ', '\0', '%', '~', '\n', 'é', '🦊', '\uffff', '\u{10ffff}'),
    );
    const anyKey = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join('').slice(0, 256).toWellFormed());
    const anyKeys = fc.uniqueArray(anyKey, { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(anyKeys, fc.nat(12), (keys, cut) => {
        const sql = sessions(...keys.slice(0, cut));
        const running = keys.slice(cut);
        for (const key of keys) {
          const form = shownId(sql, 'session', key, running);
          expect(form).toMatch(/^[A-Za-z0-9._:][A-Za-z0-9._:~-]{0,72}$/);
          if (!running.includes(key)) expect(findKey(sql, 'session', form)).toBe(key);
          else expect(() => findKey(sql, 'session', form)).toThrow(/^no sealed session/);
        }
        const forms = keys.map((key) => shownId(sql, 'session', key, running));
        for (const key of running) sql.run('INSERT INTO sessions (key, at) VALUES (?, 2)', key);
        expect(forms.map((form) => findKey(sql, 'session', form))).toEqual(keys);
      }),
      { numRuns: 200 },
    );
  });

  test('takes a few look-ups, however many begin the same', () => {
    const keys = Array.from({ length: 300 }, (_, i) => `session-2026-${i}`);
    const sql = sessions(...keys, ...keys.map((key, i) => `${key}:agent-${i}`));
    let asked = 0;
    const counting: Sql = {
      ...sql,
      get: (text, ...params) => {
        asked += 1;
        return sql.get(text, ...params);
      },
    };
    for (const key of ['session-2026-7', 'session-2026-7:agent-7'])
      shownId(counting, 'session', key);
    expect(asked).toBeLessThan(60);
  });
});

describe('an id that a person types', () => {
  test.each<[string, readonly string[], string, string]>([
    ['a session and its subagents are one', [UUID, `${UUID}:a`, `${UUID}:b`], '0a1b', UUID],
    ['a subagent, by two beginnings', [UUID, `${UUID}:a`, `${UUID}:b`], '0a1b:b', `${UUID}:b`],
    ['by the whole and a beginning', [UUID, `${UUID}:abc`], `${UUID}:a`, `${UUID}:abc`],
    ['that of another subagent too', [`${UUID}:a`, `${OTHER}:b`], '0a:b', `${OTHER}:b`],
    ['a session between one and its subagents', ['s', 's-t', 's:a'], 's-', 's-t'],
  ])('%s', (_what, keys, id, expected) => {
    expect(findKey(sessions(...keys), 'session', id)).toBe(expected);
  });

  test.each<[string, readonly string[], string, readonly string[]]>([
    ['two sessions, without their subagents', [UUID, `${UUID}:a`, OTHER], '0a', [OTHER, UUID]],
    ['two subagents', [UUID, `${UUID}:a1`, `${UUID}:a2`], '0a:a', [`${UUID}:a1`, `${UUID}:a2`]],
    ['subagents of two', [`${UUID}:a`, `${OTHER}:a`], '0a:a', [`${OTHER}:a`, `${UUID}:a`]],
  ])('is ambiguous: %s', (_what, keys, id, candidates) => {
    expect(() => findKey(sessions(...keys), 'session', id)).toThrow(
      expect.objectContaining({
        category: 'incorrect',
        code: 'session.ambiguous',
        data: { id, candidates },
      }),
    );
  });

  test('of a session that runs on opens none of its subagents, but names them', () => {
    expect(() => findKey(sessions(`${UUID}:a`), 'session', '0a1b')).toThrow(
      expect.objectContaining({
        code: 'session.missing',
        data: { id: '0a1b', candidates: [`${UUID}:a`] },
      }),
    );
  });

  test('of a handoff goes the same way', () => {
    const notes = ['one', 'two'].map((summary) => noted(ann, handoffBody(ann, 's', { summary })));
    const sql = snapshotOf([...notes, sealed(ann, sessionBody(ann, 's'))]);
    for (const row of sql.all('SELECT key FROM handoffs')) {
      const key = String(row['key']);
      expect(shownId(sql, 'handoff', key)).toBe(key.slice(0, 12));
      expect(findKey(sql, 'handoff', key.slice(0, 12))).toBe(key);
    }
    expect(() => findKey(sql, 'handoff', 's')).toThrow(
      expect.objectContaining({ code: 'handoff.missing', data: { id: 's' } }),
    );
  });
});
