import { canonical } from '../../src/base/canonical.ts';
import { type Signer, signerOf } from '../../src/base/ed25519.ts';
import { sha256Hex } from '../../src/base/hash.ts';
import { checkBundle } from '../../src/ledger/bundle.ts';
import { GENESIS, propose, readCommit } from '../../src/ledger/commit.ts';
import { commitmentOf } from '../../src/ledger/entry.ts';
import { foundingRecords, hostIdOf } from '../../src/ledger/found.ts';
import { inclusionProof, type Nodes } from '../../src/ledger/proof.ts';
import { leafHash, nodeHash } from '../../src/ledger/tree.ts';
import { KNOWLEDGE_SPEC } from '../../src/record/knowledge.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../../src/record/record.ts';

const AT = '2026-03-05T10:01:00.000Z';
const signer = (byte: number) => signerOf(new Uint8Array(32).fill(byte));
const [person, host, agent, other] = [signer(11), signer(12), signer(13), signer(14)];
const scope = { space: 'tidepool', segment: null };

function claimed(by: Signer): SignedRecord {
  const rest = { kind: 'semantic', statement: 'The tests take 40 s.', topics: ['ci'] };
  const more = { refs: [], episodes: [], asserted_at: AT, supersedes: null };
  return seal(
    'claim',
    { spec: KNOWLEDGE_SPEC, author: by.address, scope, ...rest, ...more } as SignedRecord['body'],
    by,
  );
}

function endorsed(by: Signer, claim: SignedRecord): SignedRecord {
  const on = { claim_id: recordId('claim', claim.body), verdict: 'corroborate', basis: 'measured' };
  return seal(
    'endorsement',
    {
      spec: KNOWLEDGE_SPEC,
      author: by.address,
      ...on,
      episodes: [],
      issued_at: AT,
    } as SignedRecord['body'],
    by,
  );
}

const agents = [{ id: 'cc-01', signer: agent }];
const household = { person, host, hostId: hostIdOf(host.address), agents };
const fleet = { fleetId: 'local', admission: 'open', nonce: '11'.repeat(16) } as const;
const founding = foundingRecords(fleet, household, AT);

/** The lines behind the first of a bundle of a ledger of one commit, and its head. */
function linesOf(records: readonly SignedRecord[], committer: Signer) {
  const world = {
    now: () => Date.parse(AT),
    random: (bytes: number) => new Uint8Array(bytes).fill(7),
  };
  const by = { fleetId: 'local', signer: committer, world, now: world.now() };
  const bytes = Buffer.from(propose(GENESIS, records, by));
  const { entries } = readCommit(bytes, GENESIS, 'local');
  const leaves = entries.map((entry) => leafHash(commitmentOf(entry)));
  const nodes: Nodes = (level, index) =>
    level === 0
      ? (leaves[index] ?? Buffer.alloc(0))
      : nodeHash(nodes(level - 1, index * 2), nodes(level - 1, index * 2 + 1));
  const lines = entries.map((entry) => {
    if (!('record' in entry)) throw new Error('nothing here is erased');
    const { seq, salt, record } = entry;
    const path = inclusionProof(nodes, seq - 1, entries.length).map((hash) => hash.toString('hex'));
    return `${canonical({ entry: { seq, salt, record }, path })}\n`;
  });
  const [head = ''] = bytes.toString('utf8').split('\n');
  return { head: JSON.parse(head) as SignedRecord, lines };
}

function bundled(
  { head, lines }: ReturnType<typeof linesOf>,
  change: object = {},
  by: Signer = person,
): string {
  const content = lines.join('');
  const body = {
    spec: SPEC,
    author: by.address,
    issued_at: AT,
    fleet_id: 'local',
    head,
    lines: lines.length,
    content_hash: sha256Hex(content),
    ...change,
  };
  return `${canonical(seal('bundle', body, by))}\n${content}`;
}

/** vectors/bundle.json */
export function bundleVectors() {
  const claim = claimed(agent);
  const good = linesOf([...founding, claim, endorsed(other, claim)], host);
  const text = bundled(good);
  const { fleet: origin, head, records } = checkBundle(Buffer.from(text));
  const made = (more: readonly SignedRecord[], committer: Signer = host) =>
    bundled(linesOf([...founding, ...more], committer));
  const without = (at: number) => bundled({ ...good, lines: good.lines.toSpliced(at, 1) });
  const [entry1 = '', host1 = '', agent1 = '', ...rest] = good.lines;
  const swapped = [entry1, agent1, host1, ...rest];
  const refused: readonly (readonly [name: string, bundle: string, code: string])[] = [
    ['without its last line feed', text.slice(0, -1), 'torn'],
    ['a statement that was altered on its way', text.replace('40 s', '41 s'), 'hash'],
    ['a first line that was altered on its way', text.replace('"local"', '"other"'), 'signature'],
    ['a line less', text.slice(0, text.trimEnd().lastIndexOf('\n') + 1), 'hash'],
    ['a line less than its exporter says', bundled(good, { lines: 6 }), 'lines'],
    [
      'a claim whose exporter altered it',
      bundled({ ...good, lines: good.lines.map((line) => line.replace('40 s', '41 s')) }),
      'inclusion',
    ],
    ['entries in another order', bundled({ ...good, lines: swapped }), 'order'],
    ['no founding', without(0), 'fleet'],
    ['a position without its claim', without(3), 'refused'],
    [
      'an exporter who is nobody there',
      bundled(linesOf([...founding, claim], host), {}, other),
      'exporter',
    ],
    ['a head by a key that may not commit', made([claim], agent), 'committer'],
    [
      'a record that no bundle carries',
      made([seal('handoff', { spec: SPEC, author: agent.address }, agent)]),
      'context',
    ],
    ['a record twice', made([claim, claim]), 'repeated'],
    [
      'a claim with the signature of another',
      made([{ ...claim, signature: claimed(other).signature }]),
      'signature',
    ],
  ];
  return {
    accept: [
      {
        name: 'a claim and a position on it',
        bundle: text,
        fleet: origin,
        root: head.root,
        records: records.map(
          ({ seq, record: { id, context, author }, speaker: { principal } }) => ({
            ...{ seq, id, context, author, principal },
          }),
        ),
      },
    ],
    reject: refused.map(([name, bundle, code]) => ({ name, bundle, code: `bundle.${code}` })),
  };
}
