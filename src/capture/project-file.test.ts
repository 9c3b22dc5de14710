import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readProjectFile } from './project-file.ts';

const NOTHING = { exclude: [], pause: false };

describe('what a project may say', () => {
  test.each<[string, string, object]>([
    ['nothing', '', NOTHING],
    ['only comments', '# exclude = ["x"]\n\n   # more\r\n', NOTHING],
    ['a pause', 'pause = true', { exclude: [], pause: true }],
    ['no pause', 'pause=false # for now', NOTHING],
    ['a fleet', 'fleet_id = "acme"', { ...NOTHING, fleetId: 'acme' }],
    ['a fleet in single quotes', "fleet_id = 'ac\\me' # x", { ...NOTHING, fleetId: 'ac\\me' }],
    ['a text with what looks like a comment', 'fleet_id = "a#b"', { ...NOTHING, fleetId: 'a#b' }],
    ['escapes', 'fleet_id = "a\\"b\\\\c"', { ...NOTHING, fleetId: 'a"b\\c' }],
    ['a list', 'exclude = ["a/**", \'b\']', { exclude: ['a/**', 'b'], pause: false }],
    ['an empty list', 'exclude = []', NOTHING],
    [
      'a list over several lines, with comments and a last comma',
      'exclude = [ # secret things\n  "a/**", # one\n\n  # none\n  "b[1],c",\n]\npause = true\n',
      { exclude: ['a/**', 'b[1],c'], pause: true },
    ],
    [
      'carriage returns',
      'exclude = [\r\n"a",\r\n]\r\nfleet_id = "f"\r\n',
      { exclude: ['a'], pause: false, fleetId: 'f' },
    ],
    [
      'all three',
      'pause = false\nfleet_id = "f"\nexclude = ["x"]',
      { exclude: ['x'], pause: false, fleetId: 'f' },
    ],
  ])('%s', (_what, text, expected) => {
    expect(readProjectFile(text)).toEqual(expected);
  });
});

describe('anything else counts as a pause, and says why', () => {
  test.each<[string, string]>([
    ['a key of the user alone', 'store = "s3://evil"'],
    ['a command', 'sync_command = ["sh", "-c", "x"]'],
    ['a table', '[capture]\npause = false'],
    ['a key in a table', '[agents]\nclaude-code = "me"'],
    ['a dotted key', 'capture.pause = false'],
    ['a quoted key', '"pause" = false'],
    ['a value of another type', 'pause = "false"'],
    ['a number', 'pause = 0'],
    ['a text where a list stands', 'exclude = "a"'],
    ['a list of numbers', 'exclude = [1]'],
    ['a list in a list', 'exclude = [["a"]]'],
    ['a list that is not closed', 'exclude = ["a",\n"b"'],
    ['a text that is not closed', 'fleet_id = "a'],
    ['a text with another escape', 'fleet_id = "\\u0061"'],
    ['a text over several lines', 'fleet_id = """\na\n"""'],
    ['an empty fleet', 'fleet_id = ""'],
    ['no value', 'pause ='],
    ['no key', '= true'],
    ['a word', 'hello'],
    ['two on a line', 'pause = false pause = false'],
    ['binary', '\0\0\0\x01'],
    ['a key of a prototype', 'constructor = true'],
    ['after something good', 'pause = false\nexclude = ["a"]\nurl = "https://evil"'],
  ])('%s', (_what, text) => {
    const settings = readProjectFile(text);
    expect(settings).toMatchObject({ exclude: [], pause: true });
    expect(settings.fault).toMatch(
      /^line \d: (?:only exclude, pause and fleet_id|the value of \w+ cannot be read)/,
    );
    expect(settings).not.toHaveProperty('fleetId');
  });

  const may = 'only exclude, pause and fleet_id may stand here';
  test.each<[string, string]>([
    ['store = "s3://evil"', `line 1: ${may}, not store`],
    ['# a\n\n[agents]', `line 3: ${may}`],
    ['pause = false\r\nconstructor = true', `line 2: ${may}, not constructor`],
    ['hello', `line 1: ${may}`],
    ['pause = 0', 'line 1: the value of pause cannot be read'],
    ['exclude = [\n"a",\n"b"', 'line 1: the value of exclude cannot be read'],
    ['exclude = [\n"a"\n]\nfleet_id = 7', 'line 4: the value of fleet_id cannot be read'],
  ])('%j: the reason names the line, and what may stand there', (text, fault) => {
    expect(readProjectFile(text).fault).toBe(fault);
  });

  test('the reason holds no more of the file than a key: a secret can stand there by mistake', () => {
    const token = ['ghp', 'aZ9bY8cX7dW6eV5fU4gT3hS2iR1jQ0kP9lO8'].join('_');
    for (const text of [
      token,
      `token = "${token}"`,
      `${token} = 1`,
      `pause = ${token}`,
      `exclude = "${token}"`,
      `fleet_id = ${token}`,
      `[${token}]`,
      `${'x'.repeat(5_000)} = 1`,
    ]) {
      const fault = readProjectFile(text).fault ?? '';
      expect(fault).toMatch(/^line 1: /);
      expect(fault).not.toContain(token.slice(0, 8));
      expect(fault.length).toBeLessThan(120);
    }
  });

  test.each([
    'pause = true\npause = false',
    'exclude = ["a"]\nexclude = []',
    'fleet_id = "a"\nfleet_id = "a"',
  ])('%j says a key twice', (text) => {
    expect(readProjectFile(text)).toEqual({
      exclude: [],
      pause: true,
      fault: `line 2: ${/\w+/.exec(text)?.[0]} is there a second time`,
    });
  });

  test.each<[string, number, number, boolean]>([
    ['64 globs', 64, 1, true],
    ['one more', 65, 1, false],
    ['a glob of 200 characters', 1, 200, true],
    ['a longer one', 1, 201, false],
  ])('%s', (_what, globs, length, fits) => {
    const list = Array.from({ length: globs }, () => `"${'a'.repeat(length)}"`);
    expect(readProjectFile(`exclude = [${list}]`).pause).toBe(!fits);
  });

  test('a file of megabytes, at once', () => {
    for (const text of [
      `exclude = [\n${'"a",\n'.repeat(700_000)}]`,
      `# ${'x'.repeat(4_000_000)}`,
      `fleet_id = "${'a'.repeat(4_000_000)}"`,
      '"'.repeat(4_000_000),
      `exclude = [${'"\\" '.repeat(1_000_000)}]`,
    ]) {
      expect(readProjectFile(text)).toMatchObject({
        pause: true,
        fault: expect.stringMatching(/larger than/),
      });
    }
  });

  test('the largest file that is read, whatever it holds, at once', () => {
    for (const piece of [
      '"',
      '"\\',
      "'",
      '[',
      ']',
      '#',
      ',',
      ' ',
      '\n',
      'a',
      '="',
      'exclude = [',
      '"a",\n',
      '\\',
    ]) {
      for (const start of ['', 'exclude = [', 'exclude = [\n', 'fleet_id = "']) {
        readProjectFile((start + piece.repeat(64 * 1024)).slice(0, 64 * 1024));
      }
    }
  });

  test('any text gives settings', () => {
    const pieces = fc.constantFrom(
      'exclude',
      'pause',
      'fleet_id',
      ' = ',
      '[',
      ']',
      '"',
      "'",
      '\\',
      '#',
      ',',
      '\n',
      'true',
      'a',
      ' ',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(pieces, { maxLength: 30 }).map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const { pause, fault, exclude } = readProjectFile(given);
        if (fault !== undefined) expect({ pause, exclude }).toEqual({ pause: true, exclude: [] });
      }),
      { numRuns: 1_000 },
    );
  });
});
