import { signerOf } from '../../src/base/ed25519.ts';
import { sealBox, sealKeyOf } from '../../src/base/sealed-box.ts';
import { commitmentOf, lineOf, stubOf } from '../../src/ledger/entry.ts';
import { folded, tombstonesOf } from '../../src/ledger/tombstone.ts';
import { leafHash } from '../../src/ledger/tree.ts';
import { episodeIds, excerptHash } from '../../src/record/evidence.ts';
import { recordId, type SignedRecord, seal } from '../../src/record/record.ts';

const SECRET = Buffer.alloc(32, 7);

/** Texts that count as one content, and one that does not. */
const TEXTS = {
  'as it is kept': 'the gate code is 4711.',
  'capitals and white space': '  The GATE\tcode\n\nis 4711. ',
  'a letter with two small forms': 'ὈΔΟΣ ὀδός',
  'a sharp s': 'STRASSE Straße',
  'composed from parts': 'Cafe\u0301',
};

function entry() {
  const by = signerOf(Buffer.alloc(32, 1));
  const body = {
    spec: 'credence/v1',
    author: by.address,
    issued_at: '2026-03-05T09:00:00.000Z',
    id: '00000000-0000-4000-8000-000000000001',
    scope: { space: 'tidepool', segment: null },
    kind: 'observation',
    content: 'The gate code is 4711.',
    refs: [],
    occurred_at: '2026-03-05T09:00:00.000Z',
  };
  return { seq: 5, salt: '0f'.repeat(16), record: seal('episode', body, by) };
}

/** A claim with a fact, of which an erasure leaves a tombstone of its own. */
function claim() {
  const by = signerOf(Buffer.alloc(32, 1));
  const at = '2026-03-05T09:00:00.000Z';
  const citation = {
    ...{ session_id: 's1', message_id: 'm1', observed_at: at },
    excerpt_hash: excerptHash('port 4711'),
  };
  const body = {
    spec: 'credence/v1',
    author: by.address,
    scope: { space: 'tidepool', segment: null },
    kind: 'relational',
    statement: 'The gate answers on port 4711.',
    topics: [],
    refs: [],
    episodes: episodeIds([citation]),
    asserted_at: at,
    supersedes: null,
    claim_type: 'environment',
    subject: ['gate'],
    observed_by: 'cc-01',
    evidence: [citation],
    fact: { subject: 'Gate', predicate: 'answers  on', value: 4711, cardinality: 'one' },
    nonce: '0f'.repeat(16),
  };
  return seal('claim', body, by);
}

function tombstones(record: SignedRecord) {
  const { context, body } = record;
  const said = { id: recordId(context, body), context, body: body as never };
  return { secret_hex: SECRET.toString('hex'), record, tombstones: tombstonesOf(SECRET, said) };
}

/** Stubs, tombstones, and the box in which a fleet's secret is handed on. */
export function erasureVectors() {
  const whole = entry();
  const reader = Buffer.alloc(32, 2);
  const drawn = Buffer.alloc(32, 3);
  const box = sealBox(sealKeyOf(reader), SECRET, 'credence fleet secret\nfleet\nhost', drawn);
  return {
    stubs: [
      {
        line: lineOf(whole),
        stub: lineOf(stubOf(whole)),
        leaf_hex: leafHash(commitmentOf(whole)).toString('hex'),
      },
    ],
    contents: Object.entries(TEXTS).map(([name, text]) => ({
      name,
      text,
      normalised: folded(text),
    })),
    tombstones: [tombstones(whole.record), tombstones(claim())],
    boxes: [
      {
        reader_secret_hex: reader.toString('hex'),
        reader_key_hex: sealKeyOf(reader).toString('hex'),
        purpose: 'credence fleet secret\nfleet\nhost',
        ephemeral_hex: Buffer.from(box.ephemeral).toString('hex'),
        sealed_hex: Buffer.from(box.sealed).toString('hex'),
        opened_hex: SECRET.toString('hex'),
      },
    ],
  };
}
