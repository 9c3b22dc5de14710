import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readConfig, setInToml, writeConfig } from './config-file.ts';

function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'config-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'credence', 'config.toml');
}
type Value = string | boolean | readonly string[];
/** The value under a dotted name. */
const at = (text: string, name: string): unknown =>
  name
    .split('.')
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      parse(text),
    );

describe('setInToml', () => {
  type Row = readonly [what: string, text: string, name: string, value: Value, expected: string];
  test.each<Row>([
    ['into nothing', '', 'fleet_id', 'acme', 'fleet_id = "acme"\n'],
    ['a table into nothing', '', 'capture.pause', true, '[capture]\npause = true\n'],
    ['beside others', 'a = 1\n', 'b', 'x', 'a = 1\nb = "x"\n'],
    ['before the first table', 'a = 1\n\n[t]\nb = 2\n', 'c', 'x', 'a = 1\nc = "x"\n\n[t]\nb = 2\n'],
    [
      'into a table',
      '[t]\na = 1\n\n[u]\nb = 2\n',
      't.c',
      'x',
      '[t]\na = 1\nc = "x"\n\n[u]\nb = 2\n',
    ],
    ['into an empty table', '[t]\n[u]\n', 't.c', 'x', '[t]\nc = "x"\n[u]\n'],
    ['a new table', 'a = 1\n', 't.c', 'x', 'a = 1\n\n[t]\nc = "x"\n'],
    ['over one', '# mine\na = "old" # why\nb = 2\n', 'a', 'new', '# mine\na = "new"\nb = 2\n'],
    [
      'over one in a table, not its namesake',
      'a = 1\n[t]\na = 2\n[u]\na = 3\n',
      't.a',
      'x',
      'a = 1\n[t]\na = "x"\n[u]\na = 3\n',
    ],
    [
      'a table with spaces and a comment',
      ' [ t ] # here\n  a = 1\n',
      't.a',
      'x',
      ' [ t ] # here\na = "x"\n',
    ],
    ['not over a name that only begins so', 'ab = 1\n', 'a', 'x', 'ab = 1\na = "x"\n'],
    ['not over a comment', '# a = 1\n', 'a', 'x', '# a = 1\na = "x"\n'],
    [
      'over a list of several lines',
      'a = [\n  "x", # one\n  "[t]",\n]\nb = 2\n',
      'a',
      ['y'],
      'a = ["y"]\nb = 2\n',
    ],
    [
      'over a text of several lines',
      'a = """\n[t]\na = 1\n"""\nb = 2\n',
      'a',
      'x',
      'a = "x"\nb = 2\n',
    ],
    [
      'beside a list that looks like a table',
      'l = [\n"a",\n]\n[t]\nb = 1\n',
      't.c',
      'x',
      'l = [\n"a",\n]\n[t]\nb = 1\nc = "x"\n',
    ],
    [
      'a list',
      '',
      'capture.exclude',
      ['a "b"', 'c\\d'],
      '[capture]\nexclude = ["a \\"b\\"","c\\\\d"]\n',
    ],
    ['without a last line feed', 'a = 1', 'b', 'x', 'a = 1\nb = "x"\n'],
    ['carriage returns stay', 'a = 1\r\n[t]\r\nb = 2\r\n', 't.b', 'x', 'a = 1\r\n[t]\r\nb = "x"\n'],
    ['a quoted key', '"a" = 1\n', 'a', 'x', 'a = "x"\n'],
    [
      'a key with a dash',
      '[agents]\nclaude-code = "cc-01"\n',
      'agents.claude-code',
      'cc-02',
      '[agents]\nclaude-code = "cc-02"\n',
    ],
  ])('%s', (_what, text, name, value, expected) => {
    const after = setInToml(text, name, value);
    expect(after).toBe(expected);
    expect(at(after, name)).toEqual(value);
  });

  test('what is set already is left as it is, in whatever form', () => {
    for (const text of ['a.b = "x"', 'a = { b = "x" } # here', '["a"]\n"b" = \'x\'\n']) {
      expect(setInToml(text, 'a.b', 'x')).toBe(text);
    }
  });

  test.each<[string, string, string]>([
    ['a dotted key where a table would stand', 'capture.pause = false\n', 'capture.pause'],
    ['a table written in one line', 'agents = { claude-code = "a" }\n', 'agents.claude-code'],
    ['a list of tables', '[[agents]]\nx = 1\n', 'agents.claude-code'],
    ['a table under a quoted name', '["agents"]\nx = "1"\n', 'agents.y'],
    ['a value in the table’s place', 'agents = 1\n', 'agents.claude-code'],
    ['text that is no TOML', 'a = \n', 'b'],
  ])('%s is refused rather than broken', (_what, text, name) => {
    expect(() => setInToml(text, name, 'x')).toThrow(
      expect.objectContaining({
        code: 'config.form',
        category: 'configuration',
        next: expect.any(String),
      }),
    );
  });

  test('the value is read back, and every other line stays as it was', () => {
    const key = fc.constantFrom('a', 'b', 'claude-code', 'x_1');
    const table = fc.constantFrom('', 't', 'u');
    const text = fc.string({ unit: 'binary', maxLength: 12 });
    const value: fc.Arbitrary<Value> = fc.oneof(
      text,
      fc.boolean(),
      fc.array(text, { maxLength: 3 }),
      fc.constantFrom('"', '\\', '\n', '\u007f', '\u0000', '🦊', '# x', "'"),
    );
    const noise = fc.constantFrom('# a comment', '', '  # [t]', '\t');
    const entry = fc.record({ key, value, before: noise });
    const file = fc
      .uniqueArray(
        fc.record({
          table,
          entries: fc.uniqueArray(entry, { selector: (one) => one.key, maxLength: 3 }),
        }),
        { selector: (one) => one.table, maxLength: 3 },
      )
      .map((tables) =>
        tables
          .toSorted((a, b) => (a.table < b.table ? -1 : 1))
          .map(
            ({ table: name, entries }) =>
              (name === '' ? '' : `[${name}] # ${name}\n`) +
              entries.map((one) => `${one.before}\n${one.key} = ${literal(one.value)}\n`).join(''),
          )
          .join(''),
      );
    fc.assert(
      fc.property(file, table, key, value, (before, where, what, set) => {
        const name = where === '' ? what : `${where}.${what}`;
        const after = setInToml(before, name, set);
        expect(at(after, name)).toEqual(formed(set));
        const old = before.split('\n').filter((line) => line !== '');
        const kept = after.split('\n').filter((line) => line !== '');
        const fresh = kept.filter((line) => !old.includes(line));
        // One line is new, and perhaps the name of its table; at most one went.
        expect(fresh.filter((line) => line !== `[${where}]`).length).toBeLessThanOrEqual(1);
        expect(old.filter((line) => !kept.includes(line)).length).toBeLessThanOrEqual(1);
        const others = (from: string) =>
          Object.entries(flat(parse(from))).filter(([other]) => other !== name);
        expect(others(after)).toEqual(others(before));
      }),
      { numRuns: 500 },
    );
  });
});

/** A value as TOML, on one line, in a way of its own: every character that is not plain as an escape. */
function literal(value: Value): string {
  if (typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return `[ ${value.map(literal).join(' , ')} ]`;
  const chars = [...value.toWellFormed()].map((char) =>
    /[A-Za-z0-9 #[\]=.']/.test(char)
      ? char
      : `\\U${(char.codePointAt(0) ?? 0).toString(16).padStart(8, '0')}`,
  );
  return `"${chars.join('')}"`;
}
/** Text as UTF-8 can say it. */
function formed(value: Value): Value {
  if (typeof value === 'boolean') return value;
  return typeof value === 'string' ? value.toWellFormed() : value.map((one) => one.toWellFormed());
}
function flat(table: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(table).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one])
        : [[key, value]],
    ),
  );
}

describe('the file', () => {
  test('is read as a value, and is empty where there is none', () => {
    const path = newPath();
    expect(readConfig(path)).toEqual({});
    writeConfig(path, { fleet_id: 'acme', 'capture.pause': true, 'agents.claude-code': 'cc-01' });
    expect(readConfig(path)).toEqual({
      fleet_id: 'acme',
      capture: { pause: true },
      agents: { 'claude-code': 'cc-01' },
    });
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  });

  test('that a person keeps elsewhere, by a link, and shows to others, stays there and so', () => {
    const path = newPath();
    mkdirSync(join(path, '..', 'dotfiles'), { recursive: true });
    const kept = join(path, '..', 'dotfiles', 'credence.toml');
    writeFileSync(kept, '# mine\n');
    chmodSync(kept, 0o644);
    symlinkSync('dotfiles/credence.toml', path);
    writeConfig(path, { fleet_id: 'acme' });
    expect(readlinkSync(path)).toBe('dotfiles/credence.toml');
    expect(readFileSync(kept, 'utf8')).toBe('# mine\nfleet_id = "acme"\n');
    expect((statSync(kept).mode & 0o777).toString(8)).toBe('644');
  });

  test('that is no TOML is said, with its place, and never written', () => {
    const path = newPath();
    writeConfig(path, { fleet_id: 'acme' });
    writeFileSync(path, 'fleet_id = "acme\n');
    const malformed = expect.objectContaining({
      category: 'configuration',
      message: expect.stringContaining(path),
      next: expect.any(String),
    });
    expect(() => readConfig(path)).toThrow(malformed);
    expect(() => writeConfig(path, { fleet_id: 'x' })).toThrow(
      expect.objectContaining({ category: 'configuration' }),
    );
    expect(readFileSync(path, 'utf8')).toBe('fleet_id = "acme\n');
  });

  test('that can’t be read is not taken for none', () => {
    const path = newPath();
    mkdirSync(path, { recursive: true });
    expect(() => readConfig(path)).toThrow(/config\.toml/);
    expect(() => writeConfig(path, { a: 'x' })).toThrow(/EISDIR/);
  });
});
