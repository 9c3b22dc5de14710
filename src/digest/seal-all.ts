import type { Signer } from '../base/ed25519.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { Circumstance } from '../capture/envelope.ts';
import type { Drained } from '../lake/drain.ts';
import { isUnsealed, type Manifest } from '../lake/manifest.ts';
import type { Spool } from '../lake/port.ts';
import { type ReconcileParts, reconcileSession } from '../lake/reconcile-session.ts';
import type { SignedRecord } from '../record/record.ts';
import type { Event } from '../runtime/envelope.ts';
import { type KnownRevision, namesAll, partsOfOthers } from './known-revision.ts';
import { sealSession } from './seal.ts';

/** What sealing works with. */
export interface SealAllParts extends Omit<ReconcileParts, 'circumstance'> {
  readonly spool: Spool;
  readonly hostId: string;
  readonly host: Signer;
  readonly relax: () => void;
  readonly idleMs: number;
  readonly now: number;
  readonly circumstance: (event: Event, origin: 'reconciled') => Circumstance;
  readonly known: (session: string) => KnownRevision | undefined;
  /** Puts a signed record into the inbox. */
  readonly send: (record: SignedRecord) => Promise<void>;
}

/**
 * Seals what is over: a session that ended or fell silent, a subagent with its parent. Each is compared with its
 * transcript first; its record goes to the inbox. Resolves with how many records went there.
 */
export async function sealAll(
  drained: readonly Drained[],
  parts: SealAllParts,
  troubles: Trouble[],
): Promise<number> {
  const running = new Set(drained.filter((one) => !one.over).map((one) => one.id));
  let sealed = 0;
  for (const { stem, manifest } of parts.spool.unsealed()) {
    const isSilent = Math.abs(parts.now - manifest.last_at) >= parts.idleMs;
    const parentIsOver = manifest.parent !== undefined && !running.has(manifest.parent);
    if (running.has(manifest.session) || !(manifest.ended || isSilent || parentIsOver)) continue;
    try {
      sealed += (await sealOne(stem, manifest, parts)) ? 1 : 0;
    } catch (error) {
      noteTrouble(troubles, manifest.session, error);
    }
  }
  return sealed;
}

async function sealOne(stem: string, unsealed: Manifest, parts: SealAllParts): Promise<boolean> {
  const { spool } = parts;
  const circumstance = (event: Event) => parts.circumstance(event, 'reconciled');
  const { manifest, coverage } = unsealed.imported
    ? { manifest: unsealed, coverage: undefined }
    : await reconcileSession(unsealed, { ...parts, circumstance });
  if (manifest !== unsealed) spool.writeManifest(stem, manifest);
  const known = parts.known(manifest.session);
  const isWaiting = manifest.sent_parts === manifest.parts.length;
  if (namesAll(known, manifest.parts)) return false;
  // A revision that came in between is not this one: then it was refused, and the next number is to be tried.
  if (isWaiting && manifest.revision > (known?.revision ?? 0)) return false;
  const revision = Math.max(manifest.revision, known?.revision ?? 0) + 1;
  const others = await partsOfOthers(manifest.parts, known, parts);
  const agent = known?.agent ?? manifest.agent;
  const by = { host: parts.hostId, signer: parts.host, revision, now: parts.now };
  const record = await sealSession({ ...manifest, agent }, by, parts, { others, coverage });
  if (record) await parts.send(record);
  spool.writeManifest(stem, { ...manifest, revision, sent_parts: manifest.parts.length });
  return true;
}

/**
 * What the ledger names is sealed: those sessions' spool files go, those too that an earlier run left behind. To be
 * called whenever the ledger was followed; until then a record may be lost, refused, or waiting.
 */
export function confirmSeals({ spool, known }: Pick<SealAllParts, 'spool' | 'known'>): void {
  for (const { stem, manifest } of spool.unsealed()) {
    const found = known(manifest.session);
    if (!found || !namesAll(found, manifest.parts)) continue;
    const { sent_parts, ...sealed } = manifest;
    const revision = Math.max(manifest.revision, found.revision);
    spool.writeManifest(stem, { ...sealed, revision, sealed_parts: manifest.parts.length });
  }
  sweepSent(spool);
}

/** What a seal names is in the store for good: its spool files go, those too that an earlier run left behind. */
function sweepSent(spool: Spool): void {
  for (const session of spool.sessions()) {
    const manifest = spool.manifest(session.runtime, session.stem);
    if (!manifest || isUnsealed(manifest)) continue;
    for (const file of session.files) {
      if (file.state === 'sent' && file.n <= manifest.drained) spool.remove(session, file);
    }
  }
}
