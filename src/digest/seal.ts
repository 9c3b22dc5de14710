import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { defined } from '../base/unknown.ts';
import { digestKey, folderOf, sealKey } from '../lake/layout.ts';
import type { Manifest } from '../lake/manifest.ts';
import { mergeEvents } from '../lake/merge.ts';
import { orderEvents } from '../lake/order.ts';
import { readPart } from '../lake/part.ts';
import type { Digest } from '../record/digest.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import type { LineageItem, SessionBody } from '../record/session.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { cutToSize } from './cut.ts';
import { Digester } from './digest.ts';
import { issuedAt } from './issued-at.ts';
import { mergeParts, type PartSource, type SizedPart } from './merge-parts.ts';

/** Up to this size a session's events are merged and ordered as a whole; beyond it run by run, in bounded memory. */
const WHOLE_BYTES_MAX = 16 * 1024 * 1024;

/** Who seals which revision, and when. */
export interface Sealer {
  readonly host: string;
  readonly signer: Signer;
  readonly revision: number;
  readonly now: number;
}

/**
 * The events of a session's parts, merged and in order. A session that is too large for that comes run by run: an
 * event that was seen at two times can then come twice, and the digest merges it.
 */
export async function* eventsOf(
  of: readonly SizedPart[],
  from: PartSource,
): AsyncGenerator<readonly Envelope[]> {
  const total = of.reduce((sum, part) => sum + part.bytes, 0);
  if (total > WHOLE_BYTES_MAX) {
    yield* mergeParts(of, from);
    return;
  }
  const all: Envelope[] = [];
  for (const part of of) all.push(...(await readPart(from.store, from.codec, part)));
  yield orderEvents(mergeEvents(all));
}

/** What a seal says beside what the manifest does. */
export interface SealedToo {
  /** Parts of other hosts. */
  readonly others?: readonly SizedPart[];
  readonly coverage?: Digest['coverage'];
}

/**
 * Derives a revision of a session from its parts, puts its digest and its seal, and resolves with the signed record
 * for the inbox; undefined for a session without an event. The record is dated by the session's last event,
 * not by the clock, so that a sealing that was cut off and begins again signs and puts the same bytes; save
 * where that event is in the future.
 */
export async function sealSession(
  manifest: Manifest,
  by: Sealer,
  from: PartSource,
  { others = [], coverage }: SealedToo = {},
): Promise<SignedRecord | undefined> {
  const parts = [...manifest.parts, ...others];
  const digester = new Digester();
  const lineage = new Map<string, LineageItem>();
  for await (const events of eventsOf(parts, from)) {
    for (const event of events) {
      digester.add(event);
      for (const item of event.injected_context ?? [])
        lineage.set(`${item.kind}\n${item.id}`, item);
    }
  }
  const window = digester.window();
  const [first] = manifest.parts;
  if (!window || !first) return undefined;
  const folder = folderOf(first.key);
  const digest = digester.finish(coverage);
  const { session, parent, agent, runtime, repo, cwd, imported } = manifest;
  const body: SessionBody = {
    spec: SPEC,
    author: by.signer.address,
    issued_at: issuedAt(window.last, by.now),
    session,
    agent,
    runtime,
    host: by.host,
    ...defined({ parent, repo, cwd }),
    revision: by.revision,
    window: { first: toInstant(window.first), last: toInstant(window.last) },
    parts: parts.map(({ key, hash }) => ({ key, hash })),
    lineage: [...lineage.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item),
    digest: cutToSize(digest),
    ...(imported ? { imported: true as const } : {}),
  };
  const record = seal('session', body, by.signer);
  await from.store.put(digestKey(folder, by.revision), Buffer.from(`${canonical(digest)}\n`));
  await from.store.put(
    sealKey(folder, by.revision, by.host),
    Buffer.from(`${canonical(record)}\n`),
  );
  return record;
}
