import type { Signer } from '../base/ed25519.ts';
import { noteTrouble, type Trouble } from '../base/trouble.ts';
import type { Circumstance } from '../capture/envelope.ts';
import type { Drained } from '../lake/drain.ts';
import { isUnsealed, type Manifest } from '../lake/manifest.ts';
import type { Spool } from '../lake/port.ts';
import { type ReconcileParts, reconcileSession } from '../lake/reconcile-session.ts';
import type { SignedRecord } from '../record/record.ts';
import type { Event } from '../runtime/envelope.ts';
import { sealSession } from './seal.ts';

/** The newest revision of a session that the ledger has; `parts` as the fold keeps them. */
export interface KnownRevision {
  readonly revision: number;
  readonly host: string;
  readonly parts: string;
}

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
 * transcript first; its record goes to the inbox; then its spool files go. Resolves with how many were sealed.
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
      await sealOne(stem, manifest, parts);
      sealed += 1;
    } catch (error) {
      noteTrouble(troubles, manifest.session, error);
    }
  }
  sweepSent(parts.spool);
  return sealed;
}

async function sealOne(stem: string, unsealed: Manifest, parts: SealAllParts): Promise<void> {
  const { spool } = parts;
  const circumstance = (event: Event) => parts.circumstance(event, 'reconciled');
  const { manifest, coverage } = unsealed.imported
    ? { manifest: unsealed, coverage: undefined }
    : await reconcileSession(unsealed, { ...parts, circumstance });
  if (manifest !== unsealed) spool.writeManifest(stem, manifest);
  const known = parts.known(manifest.session);
  // A sealing whose record was committed and that was cut off before this file said so.
  const isCommitted = known?.host === parts.hostId && known.parts === partsJson(manifest);
  const revision = isCommitted
    ? known.revision
    : Math.max(manifest.revision, known?.revision ?? 0) + 1;
  if (!isCommitted) {
    const by = { host: parts.hostId, signer: parts.host, revision, now: parts.now };
    const record = await sealSession(manifest, by, parts, coverage);
    if (record) await parts.send(record);
  }
  spool.writeManifest(stem, { ...manifest, revision, sealed_parts: manifest.parts.length });
}

/** The parts of a manifest as the fold keeps those of a session. */
function partsJson(manifest: Manifest): string {
  return JSON.stringify(manifest.parts.map(({ key, hash }) => ({ key, hash })));
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
