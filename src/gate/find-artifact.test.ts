import { expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { artifactOf } from './find-artifact.ts';

const STATEMENT = 'The staging gateway answers on port 8443 and nowhere else.';
const HOME = { repo: 'github.com/acme/web', cwd: '/home/me/web', session_id: 's' };

const read = (result: string, paths = ['/home/me/web/NOTES.md']) =>
  envelope({ ...HOME, event_type: 'tool_call', tool: { name: 'Read', result, paths } });
const say = (content: string) =>
  envelope({ ...HOME, event_type: 'assistant', role: 'assistant', content });

test('what was read from a file has that file at that content as its source', () => {
  const events = [read(`# Notes\n- ${STATEMENT}\n`), say('Port 8443 then.')];
  const own = artifactOf(STATEMENT, events, 0);
  expect(own?.uri).toBe('repo://github.com/acme/web/NOTES.md');
  expect(own?.revision).toMatch(/^[0-9a-f]{64}$/);
  // What the agent says afterwards, in words of its own, comes from there all the same.
  expect(artifactOf(STATEMENT, events, 1)).toEqual(own);
  expect(artifactOf(STATEMENT, [read(`${STATEMENT} Or so.`), say('x')], 1)?.revision).not.toBe(
    own?.revision,
  );
});

test.each([
  ['a prompt', [envelope({ ...HOME, content: `Note: ${STATEMENT}` }), say('x')], 'prompt:'],
  ['a tool without a file', [read(STATEMENT, []), say('x')], 'tool:Read'],
  ['a file outside of the repo', [read(STATEMENT, ['/etc/motd']), say('x')], 'file:/etc/motd'],
])('%s is a source, too', (_, events, uri) => {
  expect(artifactOf(STATEMENT, events, 1)?.uri).toBe(uri);
});

test.each([
  [
    'who said nothing of it before',
    [envelope({ ...HOME, content: 'Where does it listen?' }), say('8443')],
  ],
  ['words that came later', [say('8443'), read(STATEMENT)]],
  ['what the agent itself said before', [say(STATEMENT), say('8443')]],
])('%s is no source', (_, events) => {
  const at = events.findIndex(({ content }) => content === '8443');
  expect(artifactOf(STATEMENT, events, at)).toBeUndefined();
});
