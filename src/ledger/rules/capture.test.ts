import { describe, expect, test } from 'vitest';
import { digestOf, householdOf, sessionBody } from '../../../test/kit/fleet.ts';
import { canonical } from '../../base/canonical.ts';
import { LIMIT } from '../../base/limits.ts';
import type { LedgerView, Principal } from '../port.ts';
import { sessionRefusal } from './capture.ts';

const ann = householdOf('ann');
const host: Principal = {
  address: ann.host.address,
  principal: ann.hostId,
  kind: 'host',
  operator: ann.person.address,
  roles: ['capture'],
  admitted: 1,
};
const view = {
  revision: () => 0,
  agentOf: () => undefined,
  keysOf: () => [],
} as unknown as LedgerView;

describe('the size of a digest', () => {
  // Letters whose normal form is longer than they are: three times at most, or a refusal would depend on the shortcut.
  const letters = ['a', 'é', '語', '\u{1f98a}', '\ufb2c', '\u0344', '\u{1d160}', '\u{1d164}'];

  test.each(letters)('is that of its canonical text, to the byte: %s', (letter) => {
    const refused = (count: number) => {
      const digest = digestOf({ asked: letter.repeat(count) });
      const body = sessionBody(ann, 's', { digest });
      const isLarger = Buffer.byteLength(canonical(digest)) > LIMIT.digest_bytes_max;
      expect(sessionRefusal(body, host, view)).toBe(isLarger ? 'session.digest_size' : undefined);
      return isLarger;
    };
    const answers = Array.from({ length: 900 }, (_, i) => refused(i * 10));
    expect(new Set(answers)).toEqual(new Set([false, true]));
  });

  test('no character’s normal form takes more than three times its bytes', () => {
    let worst = 0;
    for (let code = 0; code <= 0x10ffff; code++) {
      if (code >= 0xd800 && code <= 0xdfff) continue;
      const text = String.fromCodePoint(code);
      const form = text.normalize('NFC');
      if (form !== text) worst = Math.max(worst, Buffer.byteLength(form) / Buffer.byteLength(text));
    }
    expect(worst).toBe(3);
  });
});
