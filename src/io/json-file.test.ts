import { describe, expect, test } from 'vitest';
import { parseJsonFile } from './json-file.ts';

const PIN = { fleetId: 'a', entry: 'e', store: 's', joinedAt: 't', admitted: [] };

describe('parseJsonFile', () => {
  test.each([
    ['/home/me/.config/credence/fleet.json', PIN],
    ['/h/last-sync.json', { at: 't', ok: false }],
    ['/h/roster.json', { version: 1, agents: [] }],
  ])('%s', (path, value) => {
    expect(parseJsonFile(path, JSON.stringify(value))).toEqual(value);
  });

  test.each([
    ['/h/fleet.json', '{', 'JSON', 'init'],
    ['/h/fleet.json', '', 'JSON', 'init'],
    ['/h/fleet.json', '[]', 'no fleetId', 'init'],
    ['/h/fleet.json', '{}', 'no fleetId', 'init'],
    ['/h/fleet.json', 'null', 'no fleetId', 'init'],
    ['/h/fleet.json', JSON.stringify({ ...PIN, admitted: undefined }), 'no admitted', 'init'],
    ['/h/last-sync.json', '{"at": "t"', 'JSON', 'remove it'],
    ['/h/roster.json', '"x"', 'no agents', 'remove it'],
  ])('%s with %j is refused, with its path and the next step', (path, text, why, next) => {
    expect(() => parseJsonFile(path, text)).toThrow(
      expect.objectContaining({
        code: 'file.malformed',
        category: 'configuration',
        message: expect.stringMatching(new RegExp(`^${path} is damaged: .*${why}`)),
        next: expect.stringContaining(next),
      }),
    );
  });
});
