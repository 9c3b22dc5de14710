import { describe, expect, test } from 'vitest';
import { memoryFiles } from '../../test/kit/memory-files.ts';
import { excluded, standingFault } from './exclusion.ts';
import type { HookSettings } from './settings.ts';

const settings: HookSettings = {
  fleet_id: 'acme',
  host_id: 'h',
  agents: {},
  pause: false,
  exclude: [],
  denied_paths: [],
  refuse_denied: false,
  handoffs: true,
  claims: false,
  sync_command: [],
  handoff_command: 'credence handoff',
};

type Row = readonly [
  what: string,
  files: Record<string, string>,
  set: Partial<HookSettings>,
  at: readonly [cwd: string | undefined, root: string | undefined],
  expected: { paused: boolean; paths: readonly string[] },
];
const AT = ['/w/pkg', '/w'] as const;
const open = { paused: false, paths: [] };
const paused = { paused: true, paths: [] };

test.each<Row>([
  ['nothing is set', {}, {}, AT, open],
  ['neither folder is known', {}, {}, [undefined, undefined], open],
  ['the user paused', {}, { pause: true }, AT, paused],
  ['the user excluded this folder', {}, { exclude: ['/w/pkg'] }, AT, paused],
  ['the user excluded a folder above', {}, { exclude: ['/w'] }, AT, paused],
  ['the user excluded folders of a kind', {}, { exclude: ['/**/pkg'] }, AT, paused],
  ['the user excluded another folder', {}, { exclude: ['/wide', '/w/pk', '/w/pkg/x'] }, AT, open],
  ['the project paused', { '/w/credence.toml': 'pause = true' }, {}, AT, paused],
  ['the folder in the project paused', { '/w/pkg/credence.toml': 'pause = true' }, {}, AT, paused],
  [
    'another folder of the project paused',
    { '/w/other/credence.toml': 'pause = true' },
    {},
    AT,
    open,
  ],
  [
    'the project can’t lift the user’s pause',
    { '/w/credence.toml': 'pause = false' },
    { pause: true },
    AT,
    paused,
  ],
  ['the project is of this fleet', { '/w/credence.toml': 'fleet_id = "acme"' }, {}, AT, open],
  ['the project is of another', { '/w/credence.toml': 'fleet_id = "other"' }, {}, AT, paused],
  [
    'the project’s file says more than it may',
    { '/w/credence.toml': 'store = "file:///tmp"' },
    {},
    AT,
    paused,
  ],
  [
    'both exclude paths',
    { '/w/credence.toml': 'exclude = ["a/**", "/abs"]', '/w/pkg/credence.toml': 'exclude = ["b"]' },
    {},
    AT,
    { paused: false, paths: ['/w/pkg/b', '/w/a/**', '/abs'] },
  ],
  [
    'folders in between exclude paths too',
    {
      '/w/credence.toml': 'exclude = ["a"]',
      '/w/x/credence.toml': 'exclude = ["b"]',
      '/w/x/y/z/credence.toml': 'exclude = ["c"]',
      '/credence.toml': 'exclude = ["above"]',
    },
    {},
    ['/w/x/y/z', '/w'],
    { paused: false, paths: ['/w/x/y/z/c', '/w/x/b', '/w/a'] },
  ],
  [
    'a folder in between paused',
    { '/w/x/credence.toml': 'pause = true', '/w/x/y/credence.toml': 'pause = false' },
    {},
    ['/w/x/y', '/w'],
    paused,
  ],
  [
    'a folder above the top paused',
    { '/credence.toml': 'pause = true', '/w/credence.toml': 'pause = false' },
    {},
    ['/w/x', '/w'],
    open,
  ],
  [
    'the folder is the root',
    { '/w/credence.toml': 'exclude = ["a"]' },
    {},
    ['/w', '/w'],
    { paused: false, paths: ['/w/a'] },
  ],
  [
    'there is no checkout',
    { '/d/credence.toml': 'exclude = ["a"]' },
    {},
    ['/d', undefined],
    { paused: false, paths: ['/d/a'] },
  ],
])('%s', (_what, files, set, [cwd, root], expected) => {
  expect(excluded(cwd, root, { ...settings, ...set }, memoryFiles(files))).toMatchObject(expected);
});

test.each<[string, string, boolean]>([
  ['/link', '/w', true],
  ['/link', '/link', true],
  ['/link', '/other', false],
])('a session in %s, which leads to /w, where %s is excluded: %j', (cwd, glob, expected) => {
  const files = memoryFiles({ '/w/a': '' }, { links: { '/link': '/w' } });
  const { paused } = excluded(cwd, undefined, { ...settings, exclude: [glob] }, files);
  expect(paused).toBe(expected);
});

describe('a project file that is there and can’t be read', () => {
  test.each(['/w/credence.toml', '/w/pkg/credence.toml'])('%s counts as a pause', (path) => {
    expect(
      excluded(...AT, settings, memoryFiles({ '/w/pkg/a': '' }, { unreadable: [path] })),
    ).toEqual({ ...paused, fault: `${path}: it cannot be read` });
  });
});

test('what a project’s files exclude has a bound, also where one stands in every folder', () => {
  const list = Array.from({ length: 64 }, (_, i) => `"${i}"`);
  const files = Object.fromEntries(
    ['/w', '/w/a', '/w/a/b'].map((folder) => [`${folder}/credence.toml`, `exclude = [${list}]`]),
  );
  expect(excluded('/w/a', '/w', settings, memoryFiles(files)).paths).toHaveLength(128);
  expect(excluded('/w/a/b', '/w', settings, memoryFiles(files))).toEqual({
    ...paused,
    fault: '/w/credence.toml: with those of the folders below, it excludes over 128 paths',
  });
});

describe('the fault that a hook noted', () => {
  const note = JSON.stringify({ at: 1, cwd: '/w/pkg', root: '/w', fault: 'as it was' });
  test.each<
    [string, string | undefined, Record<string, string>, Partial<HookSettings>, string | undefined]
  >([
    [
      'stands as it is now',
      note,
      { '/w/credence.toml': 'fleet_id = "other"' },
      {},
      '/w/credence.toml: it names a fleet that this home has not joined',
    ],
    ['is gone with the file', note, {}, {}, undefined],
    [
      'is gone once the file is repaired',
      note,
      { '/w/credence.toml': 'pause = true' },
      {},
      undefined,
    ],
    [
      'is gone once the fleet is joined',
      note,
      { '/w/credence.toml': 'fleet_id = "other"' },
      { fleet_id: 'other' },
      undefined,
    ],
    ['is none where none is noted', undefined, { '/w/credence.toml': 'store = 1' }, {}, undefined],
    [
      'is none where the note cannot be read',
      '{',
      { '/w/credence.toml': 'store = 1' },
      {},
      undefined,
    ],
  ])('%s', (_what, noted, files, set, expected) => {
    expect(standingFault(noted, { ...settings, ...set }, memoryFiles(files))).toBe(expected);
  });
});
