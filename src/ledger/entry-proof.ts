import * as z from 'zod';
import { CredenceError } from '../base/errors.ts';
import { CheckpointBody } from '../record/fleet.ts';
import { open, SignedRecord } from '../record/record.ts';
import { commitmentOf, Entry } from './entry.ts';
import { isConsistent, rootOfInclusion } from './proof.ts';
import { leafHash } from './tree.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
/** A tree has fewer levels than a safe integer has bits. */
export const Path = z.array(Hash).max(64);

/** That an entry stands in a ledger: the entry, the signed head of a commit, and the way from one to the other. */
export const EntryProof = z.strictObject({
  format: z.literal(1),
  kind: z.literal('entry'),
  entry: Entry,
  path: Path,
  checkpoint: SignedRecord,
});
export type EntryProof = z.infer<typeof EntryProof>;

/** That a later head of a ledger goes on from an earlier one: nothing that stood there was changed or taken away. */
export const GrowthProof = z.strictObject({
  format: z.literal(1),
  kind: z.literal('growth'),
  from: SignedRecord,
  to: SignedRecord,
  path: Path,
});
export type GrowthProof = z.infer<typeof GrowthProof>;

/** A checkpoint whose signature holds. Whether its signer might commit, only the ledger tells. */
export interface SeenHead {
  readonly fleetId: string;
  readonly committer: string;
  readonly n: number;
  readonly size: number;
  readonly root: string;
  readonly recordedAt: string;
}

/** What a proof of an entry that was erased proves: that something stood there, which nothing can take away. */
export interface ProvenStub extends SeenHead {
  readonly seq: number;
  readonly commitment: string;
}

/** What a proof of an entry proves. */
export interface ProvenEntry extends SeenHead {
  readonly seq: number;
  readonly id: string;
  readonly context: string;
  readonly author: string;
}

function refuse(what: string): never {
  throw new CredenceError('incorrect', 'proof.wrong', what, {
    next: 'ask for it again, from whoever keeps the ledger: `credence prove`',
  });
}

/** Reads a checkpoint and checks its signature. Throws `record.*`, `proof.shape`. */
export function openHead(received: unknown): SeenHead {
  const { context, author, body } = open(received);
  const parsed = context === 'checkpoint' ? CheckpointBody.safeParse(body).data : undefined;
  if (!parsed) throw shapeError('a checkpoint');
  const { fleet_id: fleetId, n, size, root, recorded_at: recordedAt } = parsed;
  return { fleetId, committer: author, n, size, root, recordedAt };
}

function shapeError(what: string): CredenceError {
  return new CredenceError('incorrect', 'proof.shape', `this is not ${what}`);
}

/**
 * Checks a proof of an entry, with nothing but what it holds: both signatures, and that the entry leads to the root.
 * Throws `proof.shape`, `proof.wrong`, `record.*`.
 */
export function checkEntryProof(received: unknown): ProvenEntry | ProvenStub {
  const { data } = EntryProof.safeParse(received);
  if (!data) throw shapeError('a proof of an entry');
  // As received, not as parsed: the schema leaves out a member called `__proto__`, and the root covers it.
  const { entry, path, checkpoint } = received as EntryProof;
  const head = openHead(checkpoint);
  const record = 'record' in entry ? open(entry.record) : undefined;
  const leaf = leafHash(commitmentOf(entry));
  const root = rootOfInclusion(leaf, entry.seq - 1, head.size, bytesOf(path));
  if (root?.toString('hex') !== head.root)
    refuse(`entry ${entry.seq} does not lead to the root of commit ${head.n}`);
  const { seq } = entry;
  if (!record) return { ...head, seq, commitment: commitmentOf(entry).toString('hex') };
  const { id, context, author } = record;
  return { ...head, seq, id, context, author };
}

/** Checks that one head goes on from another. Throws `proof.shape`, `proof.wrong`, `record.*`. */
export function checkGrowthProof(received: unknown): {
  readonly from: SeenHead;
  readonly to: SeenHead;
} {
  const { data } = GrowthProof.safeParse(received);
  if (!data) throw shapeError('a proof of growth');
  const from = openHead(data.from);
  const to = openHead(data.to);
  if (from.fleetId !== to.fleetId) refuse('its two heads are of two fleets');
  const [older, newer] = [from, to].map(({ size, root }) => ({
    size,
    root: Buffer.from(root, 'hex'),
  }));
  if (!older || !newer || !isConsistent(older, newer, bytesOf(data.path)))
    refuse(`commit ${to.n} does not go on from commit ${from.n}`);
  return { from, to };
}

function bytesOf(path: readonly string[]): Buffer[] {
  return path.map((hash) => Buffer.from(hash, 'hex'));
}
