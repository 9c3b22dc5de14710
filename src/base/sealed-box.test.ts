import { expect, test } from 'vitest';
import { openBox, sealBox, sealKeyOf } from './sealed-box.ts';

const reader = Buffer.alloc(32, 1);
const secret = Buffer.from('thirty-two bytes of some secret.');
const box = () => sealBox(sealKeyOf(reader), secret, 'purpose', Buffer.alloc(32, 2));

test('a box is opened by its reader, for its purpose, and by nobody else', () => {
  expect(openBox(reader, box(), 'purpose')).toEqual(secret);
  expect(openBox(Buffer.alloc(32, 3), box(), 'purpose')).toBeUndefined();
  expect(openBox(reader, box(), 'another')).toBeUndefined();
});

test('no bit of a box may change', () => {
  const { ephemeral, sealed } = box();
  for (const [name, bytes] of Object.entries({ ephemeral, sealed })) {
    for (let i = 0; i < bytes.length; i++) {
      const other = Buffer.from(bytes);
      other[i] = (other[i] ?? 0) ^ 1;
      expect(openBox(reader, { ephemeral, sealed, [name]: other }, 'purpose')).toBeUndefined();
    }
    expect(openBox(reader, { ephemeral, sealed, [name]: Buffer.of() }, 'purpose')).toBeUndefined();
  }
});

test('the key is the one of X25519 (RFC 7748, 6.1)', () => {
  const alice = '77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a';
  expect(sealKeyOf(Buffer.from(alice, 'hex')).toString('hex')).toBe(
    '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a',
  );
});
