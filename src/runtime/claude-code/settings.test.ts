import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { diffLines } from '../../base/diff.ts';
import { CredenceError } from '../../base/errors.ts';
import { isOurs } from '../our-command.ts';
import { HOOK_EVENTS } from './hook.ts';
import {
  hookFault,
  installedEvents,
  installHooks,
  sharedEvents,
  uninstallHooks,
} from './settings.ts';

const command = (event: string) =>
  `"/usr/bin/node" "/x y/dist/credence-hook.cjs" hook ${event} claude-code`;
const moved = (event: string) => `node "/neu/ö/credence-hook.cjs" hook ${event} claude-code`;
const install = (text: string | undefined) => installHooks(text, command);

interface Hook {
  readonly command?: string;
}
type Groups = readonly { readonly matcher?: string; readonly hooks: readonly Hook[] }[];

function hooksOf(text: string): Record<string, Groups> {
  return JSON.parse(text.replace('\uFEFF', '')).hooks;
}

/** How many entries of ours each event holds. */
function countOurs(text: string): Record<string, number> {
  const counts = Object.entries(hooksOf(text)).map(([event, groups]) => {
    const all = groups.flatMap((group) => group.hooks);
    return [event, all.filter((hook) => isOurs(hook.command ?? '')).length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
const once = Object.fromEntries(HOOK_EVENTS.map((event) => [event, 1]));

const crowded = readFileSync(new URL('./fixtures/crowded.json', import.meta.url), 'utf8');
const respaced = (indent: string | number) => JSON.stringify(JSON.parse(crowded), null, indent);

/** Spellings that a parser would lose: escapes, numbers, keys out of order, lines joined and torn apart. */
const odd = `{"zeta" : 1.50, "hooks": {
      "Stop":[{"hooks":[ {"timeout":1e1,"command":"say \\u0022hi\\u0022 \\/tmp","type":"command"}]}
      ,{"hooks": []} ], "SessionStart": [

      ],   "Custom": [ ] },
  "alpha": {"b":-0, "a":[1 ,2,  3.00], "\\u0068ooks": "not these"}, "empty": { }
}  `;

const files: [name: string, text: string][] = [
  ['two spaces', crowded],
  ['four spaces', `${respaced(4)}\n`],
  ['tabs', `${respaced('\t')}\n`],
  ['no final newline', respaced(2)],
  ['several final newlines', `${respaced(2)}\n\n\n`],
  ['CRLF', `${respaced(2)}\n`.replaceAll('\n', '\r\n')],
  ['byte order mark', `\uFEFF${crowded}`],
  ['byte order mark, CRLF, tabs', `\uFEFF${respaced('\t').replaceAll('\n', '\r\n')}`],
  ['minified', respaced(0)],
  ['odd spellings', odd],
  ['no hooks', '{\n   "model": "opus"\n}\n'],
  ['no hooks, one line', '{ "model": "opus" }'],
  ['empty', '{}'],
  ['empty with a final newline', '{}\n'],
  ['empty on two lines', '{\n}\n'],
  ['empty, blank line', '{\n\n}'],
  ['empty hooks', '{\n  "hooks": {}\n}\n'],
  ['empty hooks on two lines', '{\n  "hooks": {\n  }\n}\n'],
  ['empty hooks, minified', '{"hooks":{}}'],
  ['empty hooks, spaced', '{"hooks": { } }'],
  ['empty event', '{\n  "hooks": {\n    "Stop": []\n  }\n}\n'],
  ['empty event on two lines', '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n'],
  ['empty event, minified', '{"hooks":{"Stop":[]}}'],
  ['empty event, minified but for a line', '{"hooks":{"Stop":[\n]}}'],
  [
    'empty events, all',
    JSON.stringify({ hooks: Object.fromEntries(HOOK_EVENTS.map((e) => [e, []])) }),
  ],
  ['only line breaks for indentation', '{\n"a": 1,\n"hooks": {\n"Stop": []\n}\n}'],
];

describe.each(files)('%s', (_, text) => {
  const installed = install(text);

  test('each event has one entry of ours, with its own command and a time-out in seconds', () => {
    expect(countOurs(installed)).toEqual(once);
    for (const event of HOOK_EVENTS) {
      expect(hooksOf(installed)[event]?.at(-1)).toEqual({
        hooks: [{ type: 'command', command: command(event), timeout: 10 }],
      });
    }
  });

  test('nothing of the text is gone or moved', () => {
    let at = -1;
    for (const char of text.replaceAll(/\s/g, '')) {
      at = installed.indexOf(char, at + 1);
      expect(at).toBeGreaterThanOrEqual(0);
    }
    expect(installed.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    expect(/\s*$/.exec(installed)?.[0]).toBe(/\s*$/.exec(text)?.[0]);
    if (text.includes('\r\n')) expect(installed).not.toMatch(/[^\r]\n/);
    else expect(installed).not.toContain('\r');
  });

  test('uninstall is the exact inverse', () => {
    expect(uninstallHooks(installed)).toBe(text);
    expect(uninstallHooks(text)).toBe(text);
  });

  test('installing again changes nothing; a new path changes only the commands', () => {
    expect(install(installed)).toBe(installed);
    const after = installHooks(installed, moved);
    let expected = installed;
    for (const event of HOOK_EVENTS) {
      expected = expected.replace(JSON.stringify(command(event)), JSON.stringify(moved(event)));
    }
    expect(after).toBe(expected);
    expect(uninstallHooks(after)).toBe(text);
  });

  test('a formatter in between leaves no more behind than white space', () => {
    for (const indent of [0, 2, '\t'] as const) {
      const formatted = JSON.stringify(JSON.parse(installed.replace('\uFEFF', '')), null, indent);
      const before = JSON.stringify(JSON.parse(text.replace('\uFEFF', '')), null, indent);
      expect(uninstallHooks(formatted)).toBe(before);
    }
  });
});

describe('layout', () => {
  const added = (text: string) => diffLines(text, install(text)).match(/^[-+].*$/gm) ?? [];

  test('in a crowded file lines are added, and one is changed', () => {
    // The list was empty, so that its brackets come apart.
    const gone = added(crowded).filter((line) => line.startsWith('-'));
    expect(gone).toEqual(['-    "SubagentStop": [],']);
  });

  test('new lines have the indentation of the file', () => {
    const [open, group, hooks] = ['\t\t"SessionStart": [', '\t\t\t{', '\t\t\t\t"hooks": ['];
    expect(install(`${respaced('\t')}\n`)).toContain(
      `\n${open}\n${group}\n${hooks}\n\t\t\t\t\t{\n`,
    );
    expect(install(`${respaced(4)}\n`)).not.toMatch(/^(?: {4})* {1,3}\S/m);
    expect(install(respaced(0))).not.toMatch(/\n|": |, "(?!Edit)/);
  });

  test('a list on one line is continued on that line', () => {
    const text = '{\n  "hooks": {\n    "Stop": [{ "hooks": [] }]\n  }\n}\n';
    const entry = `{"timeout": 10, "type": "command", "command": ${JSON.stringify(command('Stop'))}}`;
    expect(install(text)).toContain(`    "Stop": [{ "hooks": [] }, {"hooks": [${entry}]}],\n`);
  });
});

describe('a new file', () => {
  test.each([undefined, '', ' \n', '\uFEFF', '\uFEFF\r\n\t'])('from %j', (text) => {
    const installed = install(text);
    const json = installed.slice(text?.length ?? 0);
    expect(installed.startsWith(text ?? '{')).toBe(true);
    expect(json).toBe(`${JSON.stringify(JSON.parse(json), null, 2)}\n`);
    expect(Object.keys(JSON.parse(json))).toEqual(['hooks']);
    expect(Object.keys(hooksOf(installed))).toEqual([...HOOK_EVENTS]);
    expect(uninstallHooks(installed)).toBe(text);
    expect(install(installed)).toBe(installed);
    expect(uninstallHooks(install(installHooks(installed, moved)))).toBe(text);
  });

  test('from an empty one stays where it was formatted, and goes where there was none', () => {
    for (const text of ['', undefined]) {
      const formatted = JSON.stringify(JSON.parse(install(text)), null, '\t');
      expect(uninstallHooks(formatted)).toBe(text);
    }
  });

  test.each(['\u00a0', '\f', '\n\uFEFF'])('is not made of %j, which JSON does not take', (text) => {
    expect(() => install(text)).toThrow(expect.objectContaining({ code: 'settings.malformed' }));
  });

  test('one that another tool has added to is kept', () => {
    const shared = install(undefined).replace('{\n', '{\n  "model": "opus",\n');
    expect(uninstallHooks(shared)).toBe('{\n  "model": "opus"\n}\n');
  });

  test('empty text has nothing to take out', () => {
    expect(uninstallHooks('')).toBe('');
    expect(uninstallHooks('\n')).toBe('\n');
    expect(installedEvents(' ')).toEqual([]);
  });
});

describe('entries of ours that are there already', () => {
  const ours = (event: string) => ({ type: 'command', command: command(event), timeout: 60 });
  const other = { type: 'command', command: 'guard' };
  const settings = (hooks: unknown) => `${JSON.stringify({ hooks, model: 'opus' }, null, 2)}\n`;

  test('are left where they are, time-out and all, and only their command is replaced', () => {
    const text = settings({ Stop: [{ hooks: [ours('Stop'), other] }, { hooks: [other] }] });
    const after = installHooks(text, moved);
    expect(hooksOf(after)['Stop']).toEqual([
      { hooks: [{ ...ours('Stop'), command: moved('Stop') }, other] },
      { hooks: [other] },
    ]);
    expect(countOurs(after)).toEqual(once);
  });

  test('the same command in another spelling is not rewritten', () => {
    const text = install('{"hooks":{}}').replaceAll('credence-hook', '\\u0063redence-hook');
    expect(install(text)).toBe(text);
    expect(uninstallHooks(text)).toBe('{"hooks":{}}');
  });

  test('duplicates are reduced to one, wherever they are', () => {
    const text = settings({
      Stop: [
        { hooks: [ours('Stop')] },
        { hooks: [other, ours('Stop'), ours('Stop')] },
        { hooks: [ours('Stop'), ours('Stop')] },
      ],
      SessionEnd: [{ hooks: [ours('SessionEnd'), ours('SessionEnd'), other] }],
    });
    const after = install(text);
    expect(countOurs(after)).toEqual(once);
    expect(hooksOf(after)['Stop']).toEqual([{ hooks: [ours('Stop')] }, { hooks: [other] }]);
    expect(hooksOf(after)['SessionEnd']).toEqual([{ hooks: [ours('SessionEnd'), other] }]);
  });

  test('of duplicates the one stays that no matcher narrows', () => {
    const narrow = { matcher: 'Bash', hooks: [other, ours('PreToolUse')] };
    const wide = { matcher: '', hooks: [ours('PreToolUse')] };
    expect(hooksOf(install(settings({ PreToolUse: [narrow, wide] })))['PreToolUse']).toEqual([
      { matcher: 'Bash', hooks: [other] },
      wide,
    ]);
    expect(hooksOf(install(settings({ PreToolUse: [narrow] })))['PreToolUse']).toEqual([narrow]);
  });

  test('moved into the group of another tool, they go and the group stays', () => {
    const group = (hooks: unknown) => settings({ PreToolUse: [{ matcher: 'Bash', hooks }] });
    const text = group([other, ours('PreToolUse'), other]);
    expect(uninstallHooks(text)).toBe(group([other, other]));
    const named = settings({ Stop: [{ name: 'mine', hooks: [ours('Stop')] }, { hooks: [other] }] });
    expect(hooksOf(uninstallHooks(named) ?? '')['Stop']).toEqual([
      { name: 'mine', hooks: [] },
      { hooks: [other] },
    ]);
  });

  describe('beside another command in one line', () => {
    const both = 'notify-send done; npx credence hook Stop claude-code';
    const shared = { type: 'command', command: both };
    const text = settings({ Stop: [{ hooks: [shared] }] });

    test('are a person’s: neither rewritten nor taken out, and no second one is put beside', () => {
      const installed = install(text);
      expect(hooksOf(installed)['Stop']).toEqual([{ hooks: [shared] }]);
      expect(countOurs(installed)).toEqual({ ...once, Stop: undefined });
      expect(install(installed)).toBe(installed);
      expect(uninstallHooks(installed)).toBe(text);
      expect(uninstallHooks(text)).toBe(text);
    });

    test('are said: the hook runs there', () => {
      expect(installedEvents(install(text)).toSorted()).toEqual(HOOK_EVENTS.toSorted());
      expect(sharedEvents(install(text))).toEqual(['Stop']);
      expect(sharedEvents(install('{}'))).toEqual([]);
      const gone = settings({
        Stop: [{ hooks: [{ command: `x; node /gone/credence-hook.cjs` }] }],
      });
      expect(hookFault(gone, () => false)).toContain('/gone/');
    });

    test('take the place of one of ours, unless they match less', () => {
      const narrow = { matcher: 'Bash', hooks: [shared] };
      const own = { hooks: [ours('Stop')] };
      const left = (...groups: unknown[]) => hooksOf(install(settings({ Stop: groups })))['Stop'];
      expect(left(own, { hooks: [shared] })).toEqual([{ hooks: [shared] }]);
      expect(left(own, narrow)).toEqual([own, narrow]);
      expect(left(narrow)).toEqual([narrow]);
    });
  });

  test('are taken out of events that are no longer hooked, and kept up to date there', () => {
    const text = settings({ Notification: [{ hooks: [ours('Notification')] }] });
    expect(uninstallHooks(text)).toBe('{\n  "model": "opus"\n}\n');
    expect(countOurs(installHooks(text, moved))).toEqual({ ...once, Notification: 1 });
    expect(installHooks(text, moved)).toContain(JSON.stringify(moved('Notification')));
  });

  test('an event added later leaves nothing behind either', () => {
    for (const text of [
      '{}',
      '{"hooks":{}}',
      '{"model":"opus"}',
      '{\n"hooks": {\n"Custom":[ ]}}',
    ]) {
      const [event = ''] = HOOK_EVENTS.slice(-1);
      const whole = JSON.parse(install(text));
      delete whole.hooks[event];
      const older = JSON.stringify(whole);
      expect(JSON.parse(uninstallHooks(install(older)) ?? '')).toEqual(JSON.parse(text));
    }
  });

  test('other entries that look alike are not touched', () => {
    const alike = [
      '/opt/my-credence-hook.cjs.bak',
      'sh -c "credence hook Stop"',
      'credence status',
    ];
    const hooks = alike.map((line) => ({ type: 'command', command: line }));
    const text = settings({ Stop: [{ hooks }, { hooks: 'credence hook' }, 'credence hook', null] });
    expect(uninstallHooks(text)).toBe(text);
    expect(installedEvents(text)).toEqual([]);
    expect(uninstallHooks(install(text))).toBe(text);
  });

  test('hookFault says why entries that are there are not run', () => {
    const there = (path: string) => install('{}').includes(path);
    expect(hookFault(install('{}'), there)).toBeUndefined();
    expect(hookFault(' ', there)).toBeUndefined();
    expect(hookFault('{"disableAllHooks":false}', there)).toBeUndefined();
    expect(hookFault(install('{"disableAllHooks":true}'), there)).toContain('disableAllHooks');
    const moved = (event: string) =>
      `"/opt/node" "/gone/credence-hook.cjs" hook ${event} claude-code`;
    const text = installHooks('{}', moved);
    expect(hookFault(text, () => true)).toBeUndefined();
    expect(hookFault(text, (path) => path !== '/gone/credence-hook.cjs')).toContain('/gone/');
    expect(hookFault(text, (path) => path !== '/opt/node')).toContain('/opt/node');
  });

  test('installedEvents names the events, in the order of the file', () => {
    expect(installedEvents(install('{}'))).toEqual([...HOOK_EVENTS]);
    const text = settings({
      Stop: [{ hooks: [ours('Stop')] }],
      Custom: [],
      SessionStart: [{ hooks: [other, ours('x')] }],
    });
    expect(installedEvents(text)).toEqual(['Stop', 'SessionStart']);
  });

  test('a command that uninstall would not find is a bug of the caller', () => {
    expect(() => installHooks('{}', () => 'node hook.js')).toThrow('invariant broken');
    expect(() => installHooks(install('{}'), () => 'node hook.js')).toThrow('invariant broken');
  });
});

describe('refuses', () => {
  test.each([
    ['{"a": 1 // note\n}', 1, 9, 'a comment'],
    ['{\n  "hooks": {\n    "Stop": [],\n  }\n}', 3, 15, 'a trailing comma'],
    ['{"hooks": {"Stop": [}', 1, 21, 'unexpected "}"'],
    ['{"hooks": {}', 1, 13, 'the text ends too early'],
    ['[]', 1, 1, 'the top is not an object'],
    ['\uFEFFnull', 1, 1, 'the top is not an object'],
    ['{\n  "hooks": {},\n  "hooks": {}\n}', 3, 3, 'the key "hooks" is there a second time'],
    ['{"hooks": {}, "\\u0068ooks": {}}', 1, 15, 'the key "hooks" is there a second time'],
    ['{"hooks": []}', 1, 11, '"hooks" is not an object'],
    ['{"hooks": null}', 1, 11, '"hooks" is not an object'],
    ['{"hooks": {"Stop": {}}}', 1, 20, 'the event "Stop" is not an array'],
    ['{"hooks": {\r\n"PreToolUse": "x"}}', 2, 15, 'the event "PreToolUse" is not an array'],
    ['{"hooks": {"Stop": [], "Stop": []}}', 1, 24, 'the key "Stop" is there a second time'],
  ])('%j', (text, line, column, what) => {
    for (const act of [install, uninstallHooks, installedEvents]) {
      let thrown: unknown;
      try {
        act(text);
      } catch (error) {
        thrown = error;
      }
      if (!(thrown instanceof CredenceError)) throw new Error('was not refused');
      expect([thrown.category, thrown.code]).toEqual(['incorrect', 'settings.malformed']);
      expect(thrown.message).toContain(`line ${line}, column ${column}`);
      expect(thrown.message).toContain(what);
      expect(thrown.next).toMatch(/^[A-Z].*\. Then run the command again; the file was left/);
      expect(thrown.data).toEqual({ line, column });
    }
  });

  test('a second key elsewhere is no concern of ours', () => {
    const text = '{"a": 1, "a": 2, "env": {"hooks": 1, "hooks": 2}}';
    expect(uninstallHooks(install(text))).toBe(text);
  });
});
