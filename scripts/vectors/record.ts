import { canonical } from '../../src/base/canonical.ts';
import { signerOf } from '../../src/base/ed25519.ts';
import { recordId, SPEC, seal, signingInput } from '../../src/record/record.ts';

const seedOf = (byte: number) => new Uint8Array(32).fill(byte);
const ann = signerOf(seedOf(1));
const bob = signerOf(seedOf(2));

const BODIES: readonly (readonly [name: string, context: string, body: object])[] = [
  ['a small body', 'handoff', { text: 'x' }],
  ['the same body in another context', 'session', { text: 'x' }],
  ['another specification', 'claim', { spec: 'fg-agent-knowledge/v1', text: 'x' }],
  ['texts in many scripts', 'handoff', { text: 'é 東京 🦊 \u2028', 鍵: 'e\u0301' }],
  ['keys that UTF-16 orders otherwise', 'handoff', { '\u{1f98a}': 1, '\uffff': 2 }],
  ['a member called __proto__', 'handoff', JSON.parse('{"__proto__":{"a":1}}') as object],
];

function recordOf(context: string, more: object) {
  // By descriptor: an assignment of `__proto__` would set no member.
  const body = { spec: SPEC, author: ann.address };
  return seal(context, Object.defineProperties(body, Object.getOwnPropertyDescriptors(more)), ann);
}

function accepted([name, context, more]: (typeof BODIES)[number]) {
  const record = recordOf(context, more);
  return {
    name,
    seed_hex: Buffer.from(seedOf(1)).toString('hex'),
    record_text: canonical(record),
    signing_input_hex: signingInput(context, record.body).toString('hex'),
    id: recordId(context, record.body),
  };
}

/** The same base64 with another last digit: its spare bits are set, and most decoders don't look. */
function respelled(signature: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  const last = digits.indexOf(signature.charAt(85));
  return `${signature.slice(0, 85)}${digits.charAt(last + 1)}==`;
}

function refused(): { name: string; record: unknown; code: string }[] {
  const good = recordOf('handoff', { text: 'x' });
  const other = recordOf('handoff', { text: 'y' });
  const of = (name: string, change: object, code: string) => ({
    name,
    record: { ...good, ...change },
    code: `record.${code}`,
  });
  const body = (change: object) => ({ body: { ...good.body, ...change } });
  return [
    of('a body that was altered', body({ text: 'z' }), 'signature'),
    of('the signature of another record', { signature: other.signature }, 'signature'),
    of('the signature for another context', { context: 'session' }, 'signature'),
    of('the signature for another specification', body({ spec: 'x/v1' }), 'signature'),
    of('the author of another key', body({ author: bob.address }), 'signature'),
    of('an author that is no address', body({ author: 'ann' }), 'signature'),
    of('no signature', { signature: '' }, 'signature_form'),
    of(
      'base64 whose spare bits are set',
      { signature: respelled(good.signature) },
      'signature_form',
    ),
    of('base64 without its padding', { signature: good.signature.slice(0, 86) }, 'signature_form'),
    of('base64url', { signature: `-_${good.signature.slice(2)}` }, 'signature_form'),
    of('base64 with white space', { signature: `${good.signature}\n` }, 'signature_form'),
    of('63 bytes', { signature: Buffer.alloc(63).toString('base64') }, 'signature_form'),
    of('a context in capitals', { context: 'Handoff' }, 'shape'),
    of('a fourth member', { more: 1 }, 'shape'),
    { name: 'no record', record: 'text', code: 'record.shape' },
  ];
}

/** vectors/record.json */
export function recordVectors() {
  return { accept: BODIES.map(accepted), reject: refused() };
}

/** vectors/address.json */
export function addressVectors() {
  const keys = [0, 1, 255].map((byte) => signerOf(seedOf(byte)).address);
  const [address = ''] = keys;
  const refusedOnes: readonly (readonly [name: string, address: string])[] = [
    ['another prefix', address.replace('amp:', 'AMP:')],
    ['no prefix', address.slice('amp:key:'.length)],
    ['a digit that base58 has not', `${address.slice(0, -1)}0`],
    ['three digits less', address.slice(0, -3)],
    ['a digit more', `${address}1`],
    ['31 bytes', 'amp:key:1thX6LZfHDZZKUs92febYZhYRcXddmzfzF2NvTkPN'],
    ['white space', `${address} `],
    ['nothing', ''],
  ];
  return {
    accept: [0, 1, 255].map((byte, i) => ({
      seed_hex: Buffer.from(seedOf(byte)).toString('hex'),
      address: keys[i],
    })),
    reject: refusedOnes.map(([name, received]) => ({ name, received })),
  };
}
