import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { assert, CredenceError, messageOf } from '../base/errors.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { toInstant } from '../base/time.ts';
import { textOf } from '../base/unknown.ts';
import type { ClaimRow } from '../fold/knowledge-rows.ts';
import { TAKEN_IN } from '../fold/take-in.ts';
import type { ObjectStore } from '../lake/objects.ts';
import {
  type CheckedBundle,
  checkBundle,
  MEMBERSHIP,
  readingUnder,
  takeRecord,
} from '../ledger/bundle.ts';
import type { WholeEntry } from '../ledger/entry.ts';
import { openHead } from '../ledger/entry-proof.ts';
import { findEntries, readHead } from '../ledger/find.ts';
import { inclusionProof } from '../ledger/proof.ts';
import { type BundleBody, CARRIED } from '../record/bundle.ts';
import { AdmissionBody } from '../record/fleet.ts';
import { open, recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';
import { headOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import { nodesOf } from '../snapshot/tiles.ts';
import { type ExportWish, selectClaims } from './export-wish.ts';

/** What an export works with. `signer` has to be a member of the fleet. */
export interface ExportParts {
  readonly state: Sql;
  readonly store: ObjectStore;
  readonly signer: Signer;
  readonly now: number;
  /** Hears how many entries of how many were read. */
  readonly heard?: ((n: number, of: number) => void) | undefined;
}

/** A bundle, and what it came from. */
export interface Exported {
  readonly bytes: Uint8Array;
  /** As whoever gets it will find it. */
  readonly checked: CheckedBundle;
  /** Claims, and positions on them, that can't be judged outside of this fleet and stay here, and why. */
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

/**
 * Makes a bundle of claims, up to where the ledger was followed: with their positions, withdrawals, episodes, older
 * versions, and the membership of whoever speaks in it. Writes nothing. Throws `export.*`, `claim.*`, `ledger.*`.
 */
export async function exportBundle(parts: ExportParts, wish: ExportWish): Promise<Exported> {
  const { state, store } = parts;
  const { n } = headOf(state);
  const { checkpoint } = await readHead(store, n);
  const members = await membersOf(parts, n);
  const left = new Map<string, string>();
  let claims = selectClaims(state, wish);
  for (;;) {
    claims = claims.filter(({ key }) => !left.has(key));
    if (claims.length === 0) throw nothing(left);
    const found = await entriesAt(parts, n, positionsOf(state, claims, left));
    const entries = found.filter(({ record }) => CARRIED.includes(record.context));
    const all = withMembers(entries, members, [parts.signer.address, checkpoint.body.author]);
    const refused = refusedOf(all, checkpoint);
    if (refused.size === 0) {
      const bytes = written(parts, all, checkpoint);
      const stays = [...left].map(([id, why]) => ({ id, why }));
      return { bytes, checked: checkBundle(bytes), left: stays };
    }
    const before = left.size;
    for (const [id, why] of refused) left.set(id, why);
    assert(left.size > before, 'what was left out once is not asked for again');
  }
}

function nothing(left: ReadonlyMap<string, string>): CredenceError {
  const [why] = left.values();
  const what =
    why === undefined ? 'no claim is as you asked' : `none of the claims can leave: ${why}`;
  return new CredenceError('missing', 'export.nothing', what, {
    data: { claims: [...left.keys()] },
    next: 'promoted claims are exported by default; --all takes others too',
  });
}

/** Where all that belongs to claims stands in the ledger. */
function positionsOf(
  state: Sql,
  claims: readonly ClaimRow[],
  left: ReadonlyMap<string, string>,
): number[] {
  const reader = readerOf(state);
  const at = new Set<number>();
  const episodes = (ids: string) => {
    for (const id of JSON.parse(ids) as string[]) at.add(reader.get('episodes', id)?.at ?? 0);
  };
  const done = new Set<string>();
  const todo = [...claims];
  for (let claim = todo.pop(); claim; claim = todo.pop()) {
    if (done.has(claim.key)) continue;
    done.add(claim.key);
    at.add(claim.seq);
    if (claim.retired !== null) at.add(claim.retired);
    episodes(claim.episodes);
    for (const position of reader.where('endorsements', 'claim', claim.key)) {
      const isOwn = reader.get('decided', position.key)?.context !== TAKEN_IN;
      if (!isOwn || left.has(position.key)) continue;
      at.add(position.at);
      episodes(position.episodes);
    }
    // By the rules a claim stands only after the one that it revises.
    const older = claim.supersedes === null ? undefined : reader.get('claims', claim.supersedes);
    if (older) todo.push(older);
  }
  at.delete(0);
  return [...at].sort((a, b) => a - b);
}

async function entriesAt(
  { store, heard }: ExportParts,
  n: number,
  seqs: readonly number[],
): Promise<WholeEntry[]> {
  const entries: WholeEntry[] = [];
  for await (const entry of findEntries(store, seqs, n)) {
    // What was erased since can't be carried.
    if ('record' in entry) entries.push(entry);
    heard?.(entries.length, seqs.length);
  }
  return entries;
}

/** The entries that say for whom keys speak, as far as they count. */
async function membersOf(parts: ExportParts, n: number): Promise<WholeEntry[]> {
  const marks = MEMBERSHIP.map(() => '?').join(', ');
  const rows = parts.state.all(
    `SELECT at FROM decided WHERE code IS NULL AND context IN (${marks})
     AND at NOT IN (SELECT at FROM unusable) ORDER BY at`,
    ...MEMBERSHIP,
  );
  return entriesAt(
    { ...parts, heard: undefined },
    n,
    rows.map((row) => Number(row['at'])),
  );
}

/** For whom a record speaks, where that is another than its author: whoever extracts speaks for agents. */
function spokenFor({ record }: WholeEntry): string | undefined {
  return textOf(record.body['observed_by']);
}

/** The entries, and the membership of those who speak in them or are spoken for, of `others`, and of whoever admitted any of these. */
function withMembers(
  entries: readonly WholeEntry[],
  members: readonly WholeEntry[],
  others: readonly string[],
): WholeEntry[] {
  const needed = new Set([...others, ...entries.map(({ record }) => record.body.author)]);
  const named = new Set(entries.map(spokenFor));
  const chosen = new Map(entries.map((entry) => [entry.seq, entry]));
  for (let size = -1; size !== chosen.size; ) {
    size = chosen.size;
    for (const entry of members) {
      const { body } = entry.record;
      const { address, principal } = AdmissionBody.safeParse(body).data ?? {};
      if (address !== undefined && !needed.has(address) && !named.has(principal)) continue;
      needed.add(body.author);
      chosen.set(entry.seq, entry);
    }
  }
  return [...chosen.values()].sort((a, b) => a.seq - b.seq);
}

/** The records among entries that whoever reads the bundle would refuse, by their ids, and why. */
function refusedOf(entries: readonly WholeEntry[], checkpoint: SignedRecord): Map<string, string> {
  const reading = readingUnder(openHead(checkpoint));
  const refused = new Map<string, string>();
  for (const { seq, record } of entries) {
    try {
      takeRecord(seq, open(record), 0, reading);
    } catch (error) {
      if (MEMBERSHIP.includes(record.context)) throw error;
      refused.set(recordId(record.context, record.body), messageOf(error));
    }
  }
  return refused;
}

function written(
  parts: ExportParts,
  entries: readonly WholeEntry[],
  head: SignedRecord,
): Uint8Array {
  const { state, signer, now } = parts;
  const { frontier } = headOf(state);
  const nodes = nodesOf(state);
  const lines = entries.map((entry) => {
    const path = inclusionProof(nodes, entry.seq - 1, frontier.size);
    return `${canonical({ entry, path: path.map((hash) => hash.toString('hex')) })}\n`;
  });
  if (lines.length > LIMIT.bundle_lines_max) throw tooMany(lines.length);
  const content = lines.join('');
  const body: BundleBody = {
    spec: SPEC,
    author: signer.address,
    issued_at: toInstant(now),
    fleet_id: String(head.body['fleet_id']),
    head,
    lines: lines.length,
    content_hash: sha256Hex(content),
  };
  return Buffer.from(`${canonical(seal('bundle', body, signer))}\n${content}`);
}

function tooMany(lines: number): CredenceError {
  const what = `a bundle holds at most ${LIMIT.bundle_lines_max} entries, and these are ${lines}`;
  return new CredenceError('incorrect', 'export.size', what, {
    next: 'make several, by --space, --repo or --topic',
  });
}
