import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { STORED } from '../scripts/schema/schemas.ts';
import { vectorFiles } from '../scripts/vectors/files.ts';
import { canonical, parseCanonical } from '../src/base/canonical.ts';
import { isAddress, sign, signerOf } from '../src/base/ed25519.ts';
import { openBytes, parseSealed } from '../src/base/sealed.ts';
import { openBox } from '../src/base/sealed-box.ts';
import { commitmentOf, Entry, lineOf, stubOf } from '../src/ledger/entry.ts';
import { isConsistent, rootOfInclusion } from '../src/ledger/proof.ts';
import { folded, tombstonesOf } from '../src/ledger/tombstone.ts';
import { append, EMPTY, leafHash, root } from '../src/ledger/tree.ts';
import { episodeIdOf, excerptHash } from '../src/record/evidence.ts';
import { bodyFault, open, recordId, SPEC, signingInput } from '../src/record/record.ts';
import { verifyBundle } from '../src/verify.ts';

type Files = ReturnType<typeof vectorFiles>;
const files = Object.keys(vectorFiles()) as (keyof Files)[];

function stored<T extends keyof Files>(file: T): Files[T] {
  return JSON.parse(
    readFileSync(join(import.meta.dirname, '..', 'vectors', file), 'utf8'),
  ) as Files[T];
}
const bytes = (hex = '') => Buffer.from(hex, 'hex');
const refusedWith = (code: string) => expect.objectContaining({ code });

test.each(files)('%s is what the script gives', (file) => {
  expect(stored(file)).toEqual(JSON.parse(JSON.stringify(vectorFiles()[file])));
});

describe('canonical JSON', () => {
  const { accept, reject } = stored('canonical.json');
  test.each(accept)('$name', ({ json, canonical: text }) => {
    expect(canonical(JSON.parse(json))).toBe(text);
    expect(canonical(parseCanonical(text))).toBe(text);
  });
  test.each(reject)('refused: $name', ({ received, code }) => {
    expect(() => parseCanonical(received)).toThrow(refusedWith(code));
  });
});

describe('erasure', () => {
  const { stubs, contents, tombstones, boxes } = stored('erasure.json');
  test.each(stubs)('a stub has the leaf of its entry', ({ line, stub, leaf_hex }) => {
    const entry = Entry.parse(parseCanonical(line));
    expect(lineOf(stubOf(entry))).toBe(stub);
    for (const text of [line, stub])
      expect(leafHash(commitmentOf(Entry.parse(parseCanonical(text)))).toString('hex')).toBe(
        leaf_hex,
      );
  });
  test.each(contents)('$name', ({ text, normalised: expected }) => {
    expect([folded(text), folded(expected)]).toEqual([expected, expected]);
  });
  test.each(tombstones)('a record leaves its tombstones', ({ secret_hex, record, tombstones }) => {
    expect(tombstonesOf(bytes(secret_hex), open(record))).toEqual(tombstones);
  });
  test.each(boxes)('a box opens', (box) => {
    const { reader_secret_hex, purpose, ephemeral_hex, sealed_hex, opened_hex } = box;
    const sealed = { ephemeral: bytes(ephemeral_hex), sealed: bytes(sealed_hex) };
    expect(openBox(bytes(reader_secret_hex), sealed, purpose)?.toString('hex')).toBe(opened_hex);
  });
});

describe('addresses', () => {
  const { accept, reject } = stored('address.json');
  test.each(accept)('$address', ({ seed_hex, address }) => {
    expect(signerOf(bytes(seed_hex)).address).toBe(address);
    expect(isAddress(address ?? '')).toBe(true);
  });
  test.each(reject)('refused: $name', ({ received }) => expect(isAddress(received)).toBe(false));
});

describe('records', () => {
  const { accept, reject } = stored('record.json');
  test.each(accept)('$name', ({ record_text, signing_input_hex, id, seed_hex }) => {
    const { context, signed, ...opened } = open(parseCanonical(record_text));
    expect(opened.id).toBe(id);
    expect(signingInput(context, signed.body).toString('hex')).toBe(signing_input_hex);
    expect(sign(signerOf(bytes(seed_hex)), bytes(signing_input_hex))).toBe(signed.signature);
  });
  test.each(reject)('refused: $name', ({ record, code }) => {
    expect(() => open(record)).toThrow(refusedWith(code));
  });
});

describe('bodies', () => {
  const { accept, reject } = stored('body.json');
  const schemaOf = (context: string, spec: string) =>
    (spec === SPEC ? STORED[`record-own-${context}`] : undefined) ?? STORED[`record-${context}`];
  test('are there of every type', () => {
    const types = Object.keys(STORED).filter((id) => id.startsWith('record-'));
    const there = accept.map(({ context, body }) => schemaOf(context, body.spec));
    expect(types.filter((id) => !there.includes(STORED[id]))).toEqual([]);
  });
  test.each(accept)('$context $id', ({ context, body, id }) => {
    expect(schemaOf(context, body.spec)?.safeParse(body).error).toBeUndefined();
    expect(recordId(context, body)).toBe(id);
  });
  test.each(reject)('refused: $name', ({ context, spec, body, code }) => {
    const { error } = schemaOf(context, spec)?.safeParse(body) ?? {};
    expect(error && bodyFault(error)).toBe(code);
  });
});

describe('evidence', () => {
  const { excerpts, citations } = stored('evidence.json');
  test.each(excerpts)('$name', ({ excerpt, hash }) => expect(excerptHash(excerpt)).toBe(hash));
  test.each(citations)('$name', ({ citation, episode_id }) =>
    expect(episodeIdOf(citation)).toBe(episode_id),
  );
});

describe('sealed secrets', () => {
  const { accept, closed, reject } = stored('sealed.json');
  const hexIn = (word: string, sealed: unknown, purpose: string) => {
    const opened = openBytes(word, parseSealed(sealed), purpose);
    return opened && Buffer.from(opened).toString('hex');
  };
  test.each(accept)('$name', ({ passphrase, purpose, sealed, secret_hex }) => {
    expect(hexIn(passphrase, sealed, purpose)).toBe(secret_hex);
  });
  test.each(closed)('stays closed: $name', ({ passphrase, purpose, sealed }) => {
    expect(hexIn(passphrase, sealed, purpose)).toBeUndefined();
  });
  test.each(reject)('refused: $name', ({ received }) => {
    expect(() => parseSealed(received)).toThrow(refusedWith('sealed.malformed'));
  });
});

describe('bundles', () => {
  const { accept, reject } = stored('bundle.json');
  test.each(accept)('$name', ({ bundle, fleet, root: expected, records }) => {
    const proven = verifyBundle(Buffer.from(bundle));
    expect([proven.fleet, proven.head.root]).toEqual([fleet, expected]);
    const told = proven.records.map(({ seq, record: { id, context, author }, speaker }) => ({
      ...{ seq, id, context, author, principal: speaker.principal },
    }));
    expect(told).toEqual(records);
  });
  test.each(reject)('refused: $name', ({ bundle, code }) => {
    expect(() => verifyBundle(Buffer.from(bundle))).toThrow(refusedWith(code));
  });
});

describe('the tree', () => {
  const { leaves, roots, inclusion, consistency } = stored('tree.json');
  const hashes = leaves.map(({ data_hex }) => leafHash(bytes(data_hex)));
  test('leaves and roots', () => {
    expect(hashes.map((hash) => hash.toString('hex'))).toEqual(leaves.map(({ hash }) => hash));
    for (const { size, root: expected } of roots)
      expect(root(hashes.slice(0, size).reduce(append, EMPTY)).toString('hex')).toBe(expected);
  });

  const leads = (one: (typeof inclusion.accept)[number]) =>
    rootOfInclusion(bytes(one.leaf_hash), one.leaf, one.size, one.path.map(bytes))?.toString(
      'hex',
    ) === one.root;
  test('audit paths', () => {
    expect(inclusion.accept.filter((one) => !leads(one))).toEqual([]);
  });
  test.each(inclusion.reject)('an audit path is refused: $name', (one) => {
    expect(leads(one)).toBe(false);
  });

  const grows = (one: (typeof consistency.accept)[number]) =>
    isConsistent(
      { size: one.from, root: bytes(one.from_root) },
      { size: one.size, root: bytes(one.root) },
      one.path.map(bytes),
    );
  test('consistency paths', () => {
    expect(consistency.accept.filter((one) => !grows(one))).toEqual([]);
  });
  test.each(consistency.reject)('a consistency path is refused: $name', (one) => {
    expect(grows(one)).toBe(false);
  });
});
