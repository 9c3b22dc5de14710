import type { Signer } from '../base/ed25519.ts';
import { sha256Hex } from '../base/hash.ts';
import { LIMIT } from '../base/limits.ts';
import { toMs } from '../base/time.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import { type KnownRevision, partsOfOthers } from '../digest/known-revision.ts';
import { sealSession } from '../digest/seal.ts';
import { getOrNote, type ObjectStore } from '../lake/objects.ts';
import { findOrphans, type Orphan } from '../lake/orphan.ts';
import type { PartCodec } from '../lake/part.ts';
import { recoverManifest } from '../lake/recover.ts';
import { recordId, SignedRecord } from '../record/record.ts';
import { SessionBody } from '../record/session.ts';
import type { LiveAgent } from './live.ts';
import { isWithin } from './observe.ts';

/** A host that has said nothing for this long is taken for gone, and maintenance seals what it left in the store. */
const GONE_MS = 24 * 3_600_000;

/** What sealing for others works with. */
export interface OrphanParts {
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly relax: () => void;
  readonly now: number;
  /** This host seals its own sessions in its syncs. */
  readonly hostId: string;
  readonly host: Signer;
  readonly known: (session: string) => KnownRevision | undefined;
  /** True for the id of a record that the ledger has, and took. */
  readonly isAccepted: (id: string) => boolean;
  readonly send: (record: SignedRecord) => Promise<void>;
}

/**
 * Seals what hosts that have gone left unsealed in the store. `knownKeys` are the parts that newest revisions name,
 * `roster` what every host said last. Resolves with how many sessions were sealed.
 */
export async function sealOrphans(
  parts: OrphanParts,
  knownKeys: ReadonlySet<string>,
  roster: readonly LiveAgent[],
  troubles: Trouble[],
): Promise<number> {
  const { now, hostId } = parts;
  const heard = new Set(roster.map(({ host }) => host));
  const recent = roster.filter(({ at }) => isWithin(GONE_MS, toMs(at), now));
  // Where nobody else's clock is near this one, it may be this one that is behind.
  const isAlone = !recent.some(({ host }) => host !== hostId);
  const ahead = roster.filter(({ at }) => isAlone && toMs(at) > now);
  const alive = new Set([hostId, ...[...recent, ...ahead].map(({ host }) => host)]);
  // A host that was never heard of may be in the middle of its first import.
  const isGone = (host: string) => heard.has(host) && !alive.has(host);
  let sealed = 0;
  for (const orphan of await findOrphans(parts.store, knownKeys, isGone)) {
    try {
      sealed += (await sealOrphan(orphan, parts)) ? 1 : 0;
    } catch (error) {
      noteTrouble(troubles, orphan.session, error);
    }
  }
  return sealed;
}

/** True where a revision that is not the newest names all of the parts: then another host's copy came after it. */
async function isSealed(
  { keys, seals }: Orphan,
  { store, isAccepted }: OrphanParts,
): Promise<boolean> {
  const left = new Set(keys);
  for (const key of seals) {
    const bytes = await getOrNote(store, key, LIMIT.inbox_item_bytes_max, () => {});
    const body = bytes && bodyOf(bytes);
    if (!body || !isAccepted(recordId('session', body))) continue;
    for (const part of body.parts) left.delete(part.key);
  }
  return left.size === 0;
}

/** What a seal says; undefined where it can't be read, so that it says nothing. */
function bodyOf(bytes: Uint8Array): SessionBody | undefined {
  try {
    const record = SignedRecord.parse(JSON.parse(Buffer.from(bytes).toString()));
    return SessionBody.parse(record.body);
  } catch {
    return undefined;
  }
}

async function sealOrphan(orphan: Orphan, parts: OrphanParts): Promise<boolean> {
  if (await isSealed(orphan, parts)) return false;
  const known = parts.known(orphan.session);
  const revision = known?.revision ?? 0;
  const named: { key: string; hash: string }[] = [];
  for (const key of orphan.keys) {
    const bytes = await parts.store.get(key);
    if (bytes) named.push({ key, hash: sha256Hex(bytes) });
  }
  const manifest = await recoverManifest({ revision, parts: named }, parts);
  if (!manifest || isWithin(GONE_MS, manifest.last_at, parts.now)) return false;
  const by = { host: orphan.host, signer: parts.host, revision: revision + 1, now: parts.now };
  const others = await partsOfOthers(named, known, parts);
  const agent = known?.agent ?? manifest.agent;
  const record = await sealSession({ ...manifest, agent }, by, parts, { others });
  if (record) await parts.send(record);
  return record !== undefined;
}
