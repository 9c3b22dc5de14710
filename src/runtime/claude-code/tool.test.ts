import { describe, expect, test } from 'vitest';
import { toolKind } from '../tool-kind.ts';
import { contentText, toolFailure, toolInput, toolSuccess } from './tool.ts';

describe('toolInput', () => {
  test.each<[string, unknown, unknown, object]>([
    [
      'a file',
      'Read',
      { file_path: '/a' },
      { name: 'Read', input: '{"file_path":"/a"}', paths: ['/a'] },
    ],
    [
      'a notebook',
      'NotebookEdit',
      { notebook_path: '/n' },
      { name: 'NotebookEdit', input: '{"notebook_path":"/n"}', paths: ['/n'] },
    ],
    [
      'a folder to search',
      'Grep',
      { path: '/d', pattern: 'x' },
      { name: 'Grep', input: '{"path":"/d","pattern":"x"}', paths: ['/d'] },
    ],
    [
      'a command, whose files are not guessed',
      'Bash',
      { command: 'cat /a' },
      { name: 'Bash', input: '{"command":"cat /a"}' },
    ],
    [
      'a path that is no text',
      'Read',
      { file_path: 7 },
      { name: 'Read', input: '{"file_path":7}' },
    ],
    ['no input', 'X', undefined, { name: 'X' }],
    ['an input that is null', 'X', null, { name: 'X', input: 'null' }],
    ['no name', undefined, 'text', { input: '"text"' }],
  ])('%s', (_what, name, input, expected) => {
    expect(toolInput(name, input)).toEqual(expected);
  });
});

describe('contentText', () => {
  test.each<[unknown, string | undefined]>([
    ['a', 'a'],
    ['', undefined],
    [[], undefined],
    [
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      'a\nb',
    ],
    [
      [{ type: 'text', text: 'a' }, { type: 'image', source: {} }, { type: 'document' }],
      'a\n[image]\n[document]',
    ],
    [[{ type: 'text', text: '' }, { type: 'other', text: 'c' }, null, 7], undefined],
    [{ type: 'text', text: 'a' }, undefined],
    [undefined, undefined],
  ])('%j', (content, expected) => {
    expect(contentText(content)).toBe(expected);
  });
});

describe('toolFailure', () => {
  test.each<[string, boolean, object]>([
    ['Exit code 1\nout', false, { outcome: 'error', exit_code: 1 }],
    ['Error: Exit code 127', false, { outcome: 'error', exit_code: 127 }],
    ['Exit code 1234', false, { outcome: 'error' }],
    ['it said Exit code 1', false, { outcome: 'error' }],
    ['File has not been read yet.', false, { outcome: 'error' }],
    ['Exit code 137', true, { outcome: 'interrupted', exit_code: 137 }],
    ["The user doesn't want to take this action right now.", false, { outcome: 'denied' }],
    ['User rejected tool use', false, { outcome: 'denied' }],
    ['Permission to use Bash has been denied', false, { outcome: 'denied' }],
  ])('%j, interrupted %j', (text, interrupted, expected) => {
    expect(toolFailure(text, interrupted)).toEqual({ result: text, ...expected });
  });
});

describe('toolSuccess', () => {
  test.each<[string, unknown, object]>([
    ['a shell', { stdout: 'o', stderr: 'e' }, { result: 'o\ne', exit_code: 0, outcome: 'ok' }],
    ['only one of the two streams makes no shell', { stdout: 'o' }, { result: 'o', outcome: 'ok' }],
    [
      'a read file',
      { type: 'text', file: { filePath: '/a', content: 'body' } },
      { result: 'body', outcome: 'ok' },
    ],
    [
      'an edit keeps no copy of the file',
      { filePath: '/a', originalFile: 'all', structuredPatch: [] },
      { outcome: 'ok' },
    ],
    [
      'a search',
      { filenames: ['/a', '/b', 7], durationMs: 3.6 },
      { result: '/a\n/b', outcome: 'ok', duration_ms: 4 },
    ],
    [
      'content blocks',
      { content: [{ type: 'text', text: 'x' }], totalDurationMs: 9 },
      { result: 'x', outcome: 'ok', duration_ms: 9 },
    ],
    ['blocks alone', [{ type: 'text', text: 'x' }], { result: 'x', outcome: 'ok' }],
    ['an unknown shape', { a: 1 }, { result: '{"a":1}', outcome: 'ok' }],
    ['an empty one', {}, { outcome: 'ok' }],
    ['a number', 7, { outcome: 'ok' }],
    [
      'an interrupted one',
      { stdout: '', stderr: '', interrupted: true },
      { outcome: 'interrupted' },
    ],
    [
      'a negative duration',
      { durationMs: -1, a: 1 },
      { result: '{"durationMs":-1,"a":1}', outcome: 'ok' },
    ],
  ])('%s', (_what, response, expected) => {
    expect(toolSuccess(undefined, response)).toEqual(expected);
  });
});

test.each<[string | undefined, string]>([
  ['Bash', 'shell'],
  ['Edit', 'edit'],
  ['MultiEdit', 'edit'],
  ['NotebookEdit', 'edit'],
  ['Write', 'edit'],
  ['Read', 'read'],
  ['read_file', 'read'],
  ['Task', 'other'],
  ['constructor', 'other'],
  ['__proto__', 'other'],
  [undefined, 'other'],
])('the kind of %s is %s', (name, kind) => {
  expect(toolKind(name)).toBe(kind);
});
