import { expect, test } from 'vitest';
import { envelope } from '../../test/kit/envelopes.ts';
import { findExposures } from './find-exposures.ts';

const known = { has: () => true, repeats: () => [], ofParent: [] };
const FENCE =
  '<credence-context ids="claim:aa digest:s0">\n- [cc-01] (aa) told\n</credence-context>';

test.each<[string, string]>([
  ['as text', FENCE],
  ['as data, which the runtime hands on as JSON', JSON.stringify({ context: FENCE, items: [] })],
])('what a tool answered %s is known by the names of its fence', (_what, result) => {
  const call = envelope({ event_type: 'tool_call', tool: { name: 'x', input: '{}', result } });
  expect(findExposures('s1', [call], known)).toMatchObject([
    { kind: 'claim', id: 'aa', channel: 'tool', matched: 'fence' },
    { kind: 'digest', id: 's0', channel: 'tool', matched: 'fence' },
  ]);
});
