import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../../test/kit/fleet.ts';
import { describeShared } from '../../test/kit/shared.ts';
import { canonical } from '../base/canonical.ts';
import { sign, signerOf } from '../base/ed25519.ts';
import { CredenceError } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import {
  InstantField,
  open,
  recordId,
  type SignedRecord,
  SignedText,
  SPEC,
  seal,
  signingInput,
} from './record.ts';

const ann = keyOf('ann');
const bob = keyOf('bob');
const body = { spec: SPEC, author: ann.address, text: 'naïve 語 🦊', n: 7 };
const record = seal('handoff', body, ann);
const altered = (fields: { readonly [name: string]: unknown }) => ({ ...body, ...fields });

const failing = (code: string) => expect.objectContaining({ category: 'incorrect', code });

describe('the input of a signature', () => {
  test('is the length of the tag, the tag and the canonical body', () => {
    const input = signingInput('handoff', body);
    expect(input.subarray(0, 2)).toEqual(Buffer.of(0, 19));
    expect(input.subarray(2, 21).toString()).toBe('credence/v1/handoff');
    expect(input.subarray(21).toString()).toBe(canonical(body));
  });

  test('the length counts bytes', () => {
    const input = signingInput('claim', { spec: 'é/v1' });
    expect(input.readUInt16BE(0)).toBe(Buffer.byteLength('é/v1/claim'));
  });

  test('its hash is the id', () => {
    expect(recordId('handoff', body)).toBe(sha256Hex(signingInput('handoff', body)));
    expect(open(record).id).toBe(recordId('handoff', body));
  });

  test('no other context, specification or body has the same', () => {
    const ids = [
      recordId('handoff', body),
      recordId('handoffs', body),
      recordId('session', body),
      recordId('handoff', altered({ spec: 'credence/v2' })),
      recordId('handoff', altered({ n: 8 })),
      recordId('handoff', altered({ author: bob.address })),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('a tag whose length two bytes cannot say is refused', () => {
    const long = { ...body, spec: 's'.repeat(70_000) };
    expect(() => signingInput('handoff', long)).toThrow(failing('record.spec'));
    expect(() => open({ ...record, body: long })).toThrow(failing('record.spec'));
  });
});

describe('seal and open', () => {
  test('a sealed record opens', () => {
    expect(open(record)).toEqual({
      id: recordId('handoff', body),
      context: 'handoff',
      author: ann.address,
      body,
      signed: record,
    });
  });

  test('as it was received, whatever the order of its members', () => {
    const { context, signature } = record;
    const reordered = {
      signature,
      body: Object.fromEntries(Object.entries(body).reverse()),
      context,
    };
    expect(open(reordered).id).toBe(open(record).id);
  });

  test('nobody seals for another author', () => {
    expect(() => seal('handoff', body, bob)).toThrow(failing('record.author'));
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'record.shape'],
    ['null', null, 'record.shape'],
    ['a text', 'text', 'record.shape'],
    ['a list', [record], 'record.shape'],
    ['no context', { body, signature: record.signature }, 'record.shape'],
    ['no body', { context: 'handoff', signature: record.signature }, 'record.shape'],
    ['no signature', { context: 'handoff', body }, 'record.shape'],
    ['a member more', { ...record, note: 'x' }, 'record.shape'],
    ['a context in upper case', { ...record, context: 'Handoff' }, 'record.shape'],
    ['a context with a slash', { ...record, context: 'v1/handoff' }, 'record.shape'],
    ['a context of 33 letters', { ...record, context: 'h'.repeat(33) }, 'record.shape'],
    ['an empty context', { ...record, context: '' }, 'record.shape'],
    ['a context that ends with a line end', { ...record, context: 'handoff\n' }, 'record.shape'],
    ['a body without a spec', { ...record, body: { author: ann.address } }, 'record.shape'],
    ['a body without an author', { ...record, body: { spec: SPEC } }, 'record.shape'],
    ['an author that is none', { ...record, body: { ...body, author: 7 } }, 'record.shape'],
    ['a body that is a list', { ...record, body: [body] }, 'record.shape'],
    ['another context', { ...record, context: 'session' }, 'record.signature'],
    [
      'another specification',
      { ...record, body: { ...body, spec: 'credence/v2' } },
      'record.signature',
    ],
    ['another author', { ...record, body: { ...body, author: bob.address } }, 'record.signature'],
    [
      'an author that is no address',
      { ...record, body: { ...body, author: 'ann' } },
      'record.signature',
    ],
    ['another member', { ...record, body: { ...body, n: 8 } }, 'record.signature'],
    ['a member more in the body', { ...record, body: { ...body, m: 8 } }, 'record.signature'],
    ['a member less', { ...record, body: { spec: SPEC, author: ann.address } }, 'record.signature'],
    ['no signature at all', { ...record, signature: '' }, 'record.signature_form'],
    [
      'the signature of another body',
      { ...record, signature: seal('handoff', altered({ n: 8 }), ann).signature },
      'record.signature',
    ],
    [
      'the signature of another key',
      { ...record, signature: sign(bob, signingInput('handoff', body)) },
      'record.signature',
    ],
    [
      'a signature of the bare body',
      { ...record, signature: sign(ann, Buffer.from(canonical(body))) },
      'record.signature',
    ],
    [
      'a signature spelt in another way',
      { ...record, signature: `${record.signature} ` },
      'record.signature_form',
    ],
    ['a fraction in the body', { ...record, body: { ...body, n: 0.5 } }, 'canonical.number'],
    [
      'a lone surrogate in the body',
      { ...record, body: { ...body, text: '\ud83e' } },
      'canonical.surrogate',
    ],
    ['an undefined member', { ...record, body: { ...body, m: undefined } }, 'canonical.type'],
  ])('not with %s', (_what, received, code) => {
    expect(() => open(received)).toThrow(failing(code));
  });

  test('not with a member that objects of JavaScript hide', () => {
    // The members of a parsed body may be fewer than those received: what was received is what is checked.
    for (const value of ['1', '"x"', 'null', '{"a":1}']) {
      const text = canonical(record).replace('"n":7', `"__proto__":${value},"n":7`);
      expect(() => open(JSON.parse(text))).toThrow(CredenceError);
    }
  });
});

describe('fields', () => {
  test('a signed text is bounded in bytes, not in characters', () => {
    expect(SignedText.safeParse('a'.repeat(65_536)).success).toBe(true);
    expect(SignedText.safeParse('a'.repeat(65_537)).success).toBe(false);
    expect(SignedText.safeParse('é'.repeat(32_768)).success).toBe(true);
    expect(SignedText.safeParse(`${'é'.repeat(32_768)}a`).success).toBe(false);
  });

  test('an instant has three fractional digits and a Z', () => {
    expect(InstantField.safeParse('2026-01-05T12:00:00.000Z').success).toBe(true);
    expect(InstantField.safeParse('2026-01-05T12:00:00Z').success).toBe(false);
    expect(InstantField.safeParse(1_767_614_400_000).success).toBe(false);
  });
});

interface Vector {
  readonly body: SignedRecord['body'];
  readonly signature: string;
  readonly signing_input_hex: string;
  readonly claim_id?: string;
}

describeShared('records of fg-agent-knowledge/v1, by its vectors', (shared) => {
  const folder = join(shared, 'conformance/agent-knowledge');
  const vectors = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8')) as Record<
    'claim' | 'endorsement' | 'verdict' | 'retirement',
    Vector
  > & { seeds: Record<'author_signing' | 'reviewer_signing', string> };
  const keys = Object.values(vectors.seeds).map((seed) => signerOf(Buffer.from(seed, 'hex')));

  test.each(['claim', 'endorsement', 'verdict', 'retirement'] as const)(
    '%s, byte for byte',
    (context) => {
      const vector = vectors[context];
      const input = signingInput(context, vector.body);
      expect(input.toString('hex')).toBe(vector.signing_input_hex);
      const signer = keys.find(({ address }) => address === vector.body.author);
      if (!signer) throw new Error('no seed for the author of the vector');
      const sealed = seal(context, vector.body, signer);
      expect(sealed.signature).toBe(vector.signature);
      const opened = open({ context, body: vector.body, signature: vector.signature });
      expect(opened.id).toBe(sha256Hex(Buffer.from(vector.signing_input_hex, 'hex')));
      if (vector.claim_id !== undefined) expect(opened.id).toBe(vector.claim_id);
    },
  );

  test('a signature for one context is worth nothing in another', () => {
    const contexts = ['claim', 'endorsement', 'verdict', 'retirement'] as const;
    for (const context of contexts) {
      const { body, signature } = vectors[context];
      for (const other of contexts) {
        const reading = () => open({ context: other, body, signature });
        if (other === context) expect(reading).not.toThrow();
        else expect(reading).toThrow(failing('record.signature'));
      }
    }
  });

  test('every signed record of the worlds opens under its id, and under no other context', () => {
    const { worlds } = JSON.parse(readFileSync(join(folder, 'worlds.json'), 'utf8')) as {
      worlds: { records: (Vector & { type: string })[] }[];
    };
    const signed = worlds.flatMap(({ records }) => records).filter(({ signature }) => signature);
    const counts: Record<string, number> = {};
    for (const { type, body, signature, claim_id } of signed) {
      const opened = open({ context: type, body, signature });
      if (type === 'claim') expect(opened.id).toBe(claim_id);
      counts[type] = (counts[type] ?? 0) + 1;
    }
    expect(Object.keys(counts).sort()).toEqual(['claim', 'endorsement', 'retirement']);
  });
});
