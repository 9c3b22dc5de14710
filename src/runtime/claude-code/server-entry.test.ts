import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  installedServer,
  installServer,
  type ServerCommand,
  uninstallServer,
} from './server-entry.ts';

const OURS: ServerCommand = ['/usr/bin/node', '/opt/credence/dist/door/cli/main.js', 'mcp'];
const MOVED: ServerCommand = ['/usr/bin/node', '/home/me/x y/dist/door/cli/main.js', 'mcp'];
const serverIn = (text: string | undefined) =>
  (JSON.parse(text ?? '{}') as { mcpServers?: Record<string, unknown> }).mcpServers?.['credence'];

/** Files of the runtime: what it keeps there, servers among it or not, in some layout. */
const anyFile = fc
  .record({
    before: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 2 })),
    servers: fc.option(
      fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 1 })),
      { nil: undefined },
    ),
    after: fc.dictionary(fc.stringMatching(/^[A-Z]{1,6}$/), fc.jsonValue({ maxDepth: 2 })),
    indent: fc.constantFrom(0, 2, 4, '\t'),
    end: fc.constantFrom('', '\n', '\n\n'),
  })
  .map(({ before, servers, after, indent, end }) => {
    const file = { ...before, ...(servers ? { mcpServers: servers } : {}), ...after };
    return JSON.stringify(file, undefined, indent) + end;
  });

describe('our server in the file of the runtime', () => {
  test('goes in once, and out again without a trace', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyFile, fc.constantFrom(undefined, '', '\n', '{}', ' {\n}\n')),
        (text) => {
          const once = installServer(text, OURS);
          expect(serverIn(once)).toEqual({ type: 'stdio', command: OURS[0], args: OURS.slice(1) });
          expect(installedServer(once)).toBe('ours');
          expect(installServer(once, OURS)).toBe(once);
          expect(uninstallServer(once)).toBe(text);
        },
      ),
    );
  });

  test('stays where the runtime writes the file in its own way', () => {
    fc.assert(
      fc.property(anyFile, (text) => {
        const rewritten = JSON.stringify(JSON.parse(installServer(text, OURS)), undefined, 2);
        const out = uninstallServer(rewritten);
        expect(JSON.parse(out ?? '')).toEqual(JSON.parse(text));
      }),
    );
  });

  test('follows a program that lies elsewhere, and keeps what a person added', () => {
    const entry = {
      type: 'stdio',
      command: OURS[0],
      args: [...OURS.slice(1), '--profile', 'read'],
      env: { CREDENCE_HOME: '/srv/c' },
    };
    const text = JSON.stringify({ mcpServers: { credence: entry } }, undefined, 2);
    expect(installServer(text, OURS)).toBe(text);
    const moved = installServer(text, MOVED);
    expect(serverIn(moved)).toEqual({
      ...entry,
      args: [...MOVED.slice(1), '--profile', 'read'],
    });
  });

  test.each<[string, unknown]>([
    ['another program', { type: 'stdio', command: 'uvx', args: ['credence-like', 'mcp'] }],
    ['a remote one', { type: 'http', url: 'https://example.com/mcp' }],
    ['no server at all', 'credence mcp'],
    ['our program, doing something else', { command: 'node', args: ['/x/main.js', 'serve'] }],
  ])('an entry of our name that is %s is left', (_what, entry) => {
    const text = JSON.stringify({ mcpServers: { credence: entry } });
    expect(installedServer(text)).toBe('other');
    expect(installServer(text, OURS)).toBe(text);
    expect(uninstallServer(text)).toBe(text);
  });

  test.each<[string, string]>([
    ['npx', '{"mcpServers":{"credence":{"command":"npx","args":["-y","credence@0.1.0","mcp"]}}}'],
    [
      'the linked program',
      '{"mcpServers":{"credence":{"command":"/usr/bin/credence","args":["mcp"]}}}',
    ],
  ])('what starts us by %s is ours', (_what, text) => {
    expect(installedServer(text)).toBe('ours');
    expect(uninstallServer(text)).toBeUndefined();
  });

  test.each<[string, string]>([
    ['a comment', '{ // mine\n"mcpServers": {} }'],
    ['servers twice', '{"mcpServers":{},"mcpServers":{}}'],
    ['our name twice', '{"mcpServers":{"credence":1,"credence":2}}'],
    ['no object', '[]'],
  ])('a file with %s is refused', (_what, text) => {
    for (const edit of [() => installServer(text, OURS), () => uninstallServer(text)])
      expect(edit).toThrow(expect.objectContaining({ code: 'settings.malformed' }));
  });

  test('servers that are no object are nobody’s to change', () => {
    expect(installServer('{"mcpServers":[]}', OURS)).toBe('{"mcpServers":[]}');
  });
});
