import { createHash } from 'node:crypto';
import { signerOf } from '../../src/base/ed25519.ts';
import { type Sealed, sealBytes } from '../../src/base/sealed.ts';

const seed = new Uint8Array(32).fill(1);
const KEY = `credence/v1 key ${signerOf(seed).address}`;

/** The same bytes in every run, of any length. */
const randomOf = (name: string) => (n: number) =>
  createHash('sha512').update(`${name} ${n}`).digest().subarray(0, n);

const SECRETS: readonly (readonly [
  name: string,
  passphrase: string,
  purpose: string,
  secret: Uint8Array,
])[] = [
  ['the seed of a key', 'tide and pool', KEY, seed],
  ['no bytes', 'tide and pool', 'x', new Uint8Array()],
  ['a passphrase that is not in its composed form', 'u\u0308ber 東京 🦊', 'x', Buffer.from('x')],
];

function accepted([name, passphrase, purpose, secret]: (typeof SECRETS)[number]) {
  const sealed = sealBytes(passphrase, secret, { purpose, random: randomOf(name) });
  return { name, passphrase, purpose, secret_hex: Buffer.from(secret).toString('hex'), sealed };
}

/** The text with its last bit changed. */
function changed({ text, ...rest }: Sealed): Sealed {
  const bytes = Buffer.from(text, 'base64');
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return { ...rest, text: bytes.toString('base64') };
}

/** Secrets under a passphrase: such as open, such as don't, and what is no sealed text. */
export function sealedVectors() {
  const accept = SECRETS.map(accepted);
  const { sealed } = accepted(['good', 'tide and pool', KEY, seed]);
  const of = (name: string, more: object) => ({
    name,
    passphrase: 'tide and pool',
    purpose: KEY,
    sealed,
    ...more,
  });
  return {
    accept,
    closed: [
      of('another passphrase', { passphrase: 'Tide and pool' }),
      of('another purpose', { purpose: 'credence/v1 key amp:key:x' }),
      of('a bit of the tag', { sealed: changed(sealed) }),
    ],
    reject: [
      {
        name: 'another method',
        received: { ...sealed, method: 'scrypt-1024-8-1+chacha20-poly1305' },
      },
      { name: 'a salt of another length', received: { ...sealed, salt: 'AAAA' } },
      { name: 'no tag', received: { ...sealed, text: 'AAAA' } },
      {
        name: 'base64 without padding',
        received: { ...sealed, salt: sealed.salt.replace(/=+$/, '') },
      },
      { name: 'another member', received: { ...sealed, n: 1024 } },
    ],
  };
}
