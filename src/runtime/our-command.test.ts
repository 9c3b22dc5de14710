import { describe, expect, test } from 'vitest';
import { isOurs, ourWords, ownership } from './our-command.ts';

describe('isOurs', () => {
  test.each([
    '"/usr/bin/node" "/x y/dist/credence-hook.cjs" hook SessionStart claude-code',
    "node '/home/me/mÿ tools/credence-hook.cjs' hook Stop claude-code",
    'node /home/me/my\\ tools/credence-hook.cjs hook Stop',
    'FOO=1 /opt/node/bin/node --no-warnings /opt/credence-hook.cjs',
    'credence-hook.cjs',
    '"C:\\Program Files\\nodejs\\node.exe" "C:\\Tools\\A B\\credence-hook.cjs" hook Stop',
    'node C:\\tools\\credence-hook.cjs hook Stop',
    'node "$HOME/a b/credence-hook.cjs"',
    'node "$(npm root -g)/credence/dist/credence-hook.cjs" hook Stop',
    'cd / && node /opt/credence-hook.cjs; true',
    'credence hook SessionStart claude-code',
    '/usr/local/bin/credence hook Stop',
    'npx credence hook Stop',
    'npx --yes credence@0.1.0 hook Stop',
    'node /opt/credence.js hook Stop',
    '"C:\\npm\\credence.cmd" hook Stop',
    '/usr/bin/env credence "hook" Stop',
    'test -x /opt/credence && /opt/credence hook Stop',
    '[ -n "$CI" ] || exec npx credence hook Stop claude-code 2>/dev/null',
    'cd /w && A=1; B=2 npx credence hook Stop 2>&1 || true',
  ])('ours: %s', (command) => {
    expect(isOurs(command)).toBe(true);
  });

  test.each([
    '',
    'my-credence-hook.cjs.bak',
    'node /opt/my-credence-hook.cjs',
    'node /opt/credence-hook.cjs.bak',
    '/opt/credence-hook.cjs/other',
    '/opt/credence-hook.cjs/',
    'node /opt/Credence-Hook.cjs',
    "sh -c 'echo credence hook'",
    'echo "credence hook"',
    'echo "see /opt/credence-hook.cjs"',
    'node "/opt/my credence-hook.cjs"',
    'node /opt/my\\ credence-hook.cjs',
    'node --require=/opt/credence-hook.cjs.js x',
    'credence status',
    'credence',
    'credence --json hook',
    'credence hooks',
    'credence && hook',
    'credence; hook',
    'my-credence hook Stop',
    'credence-old hook Stop',
    '/opt/credence/other hook Stop',
    'true # node /opt/credence-hook.cjs hook Stop',
    'hook credence',
    'notify credence hook done',
    'credence hook',
    'credence hook stop',
    'credence hook StopAll',
    'credence hook --help Stop',
  ])('not ours: %s', (command) => {
    expect(isOurs(command)).toBe(false);
  });
});

describe('a line that runs another command too is shared', () => {
  test.each([
    'notify-send done; npx credence hook Stop claude-code',
    'npx credence hook Stop claude-code && notify-send done',
    'tee -a /tmp/log | npx credence hook Stop claude-code',
    'npx credence hook Stop claude-code > /tmp/answer',
    'exec notify-send done; credence hook Stop',
    'credence hook Stop `notify-send done`',
    'credence hook Stop "$(notify-send done)"',
    'A=$(notify-send done) credence hook Stop',
    'cd "$(notify-send done)" && credence hook Stop',
    'credence hook Stop\nnotify-send done',
  ])('%s', (command) => {
    expect([ownership(command), isOurs(command)]).toEqual(['shared', false]);
    expect(ourWords(command)).toContain('Stop');
  });
});
