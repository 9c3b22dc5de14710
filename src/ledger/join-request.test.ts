import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hashOf, householdOf, keyOf } from '../../test/kit/fleet.ts';
import { canonical, parseCanonical } from '../base/canonical.ts';
import { codeOf } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { isFor, joinRequest, readJoinRequest } from './join-request.ts';

const eve = householdOf('eve', ['cc', 'cu']);
const entry = hashOf('fleet');
const line = joinRequest(eve, entry);

/** The line with its payload changed, and a check that fits. */
function forged(change: (payload: Record<string, unknown>) => unknown): string {
  const [, , text = ''] = line.split(':');
  const payload = parseCanonical(Buffer.from(text, 'base64url').toString()) as object;
  const changed = Buffer.from(canonical(change({ ...payload }))).toString('base64url');
  return `credence-join:1:${changed}:${sha256Hex(changed).slice(0, 8)}`;
}

/** The line with bits set at the end of its payload that no byte takes. */
function respelt(): string {
  const [, , text = ''] = line.split(':');
  const bytes = Buffer.from(text, 'base64url');
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = [...last]
    .map((character) => text.slice(0, -1) + character)
    .find((one) => one !== text && Buffer.from(one, 'base64url').equals(bytes));
  if (other === undefined) throw new Error('the payload fills its last character');
  return `credence-join:1:${other}:${sha256Hex(other).slice(0, 8)}`;
}

function codeFor(text: string): string {
  try {
    readJoinRequest(text);
    return 'accepted';
  } catch (error) {
    return codeOf(error);
  }
}

test('a request names every key of a home, for one fleet', () => {
  const read = readJoinRequest(line);
  const operator = eve.person.address;
  expect(read.keys).toEqual([
    { address: operator, principal: operator, kind: 'person', operator },
    { address: eve.host.address, principal: eve.hostId, kind: 'host', operator },
    { address: keyOf('eve agent cc').address, principal: 'eve-cc', kind: 'agent', operator },
    { address: keyOf('eve agent cu').address, principal: 'eve-cu', kind: 'agent', operator },
  ]);
  expect([isFor(read, entry), isFor(read, hashOf('another'))]).toEqual([true, false]);
  expect(line.length / read.keys.length).toBeLessThan(300);
});

test('a chat may break it into lines', () => {
  expect(readJoinRequest(` ${line.replace(/(.{70})/g, '$1\n  ')} \n`)).toEqual(
    readJoinRequest(line),
  );
});

describe('what is no request is refused', () => {
  type Keys = [string, string, string, string][];
  const keysOf = (payload: Record<string, unknown>) => payload['k'] as Keys;
  const withKey = (at: number, part: number, value: string) =>
    forged((payload) => ({
      ...payload,
      k: keysOf(payload).map((key, i) =>
        i === at ? key.map((old, j) => (j === part ? value : old)) : key,
      ),
    }));
  test.each([
    ['nothing', '', 'request.form'],
    ['a name', 'cc-01', 'request.form'],
    ['a cut line', line.slice(0, -20), 'request.form'],
    ['a line without its middle', line.slice(0, 100) + line.slice(120), 'request.form'],
    ['another version', line.replace(':1:', ':2:'), 'request.form'],
    ['megabytes', `credence-join:1:${'a'.repeat(5_000_000)}:00000000`, 'request.form'],
    ['another shape', forged(() => ({ f: 'x' })), 'request.form'],
    ['a field more', forged((payload) => ({ ...payload, x: 1 })), 'request.form'],
    ['no key', forged((payload) => ({ ...payload, k: [] })), 'request.form'],
    [
      'more keys than a home has',
      forged((payload) => ({ ...payload, k: Array(65).fill(keysOf(payload)[0]) })),
      'request.form',
    ],
    ['another name', withKey(2, 1, 'ann-cc'), 'request.key'],
    ['another kind', withKey(2, 0, 'h'), 'request.key'],
    ['another key', withKey(2, 2, keyOf('ann agent cc').address.slice(8)), 'request.key'],
    ['no address', withKey(2, 2, 'x'), 'request.key'],
    ['no signature', withKey(2, 3, ''), 'request.key'],
    ['another fleet', forged((payload) => ({ ...payload, f: '0'.repeat(16) })), 'request.key'],
    [
      'another operator',
      forged((payload) => ({ ...payload, o: keyOf('ann person').address.slice(8) })),
      'request.key',
    ],
    [
      'a key twice',
      forged((payload) => ({ ...payload, k: [...keysOf(payload), keysOf(payload)[0]] })),
      'request.key',
    ],
    ['another spelling of the same bytes', respelt(), 'request.form'],
  ])('%s', (_what, text, code) => {
    expect(codeFor(text)).toBe(code);
  });

  test('any one character that is another', () => {
    fc.assert(
      fc.property(fc.nat(line.length - 1), fc.constantFrom(...'aZ09-_:'), (at, character) => {
        const changed = line.slice(0, at) + character + line.slice(at + 1);
        fc.pre(changed !== line);
        expect(codeFor(changed)).toMatch(/^request\./);
      }),
    );
  });
});
