import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import type { World } from '../base/world.ts';
import type { Places } from '../extract/body.ts';
import { extractByModel } from '../extract/extract-by-model.ts';
import type { Extracting, Extractor, Sources } from '../extract/extractor.ts';
import type { ModelReport } from '../extract/model-pass.ts';
import type { ClaimsOnFile } from '../extract/port.ts';
import { ruleClaims } from '../extract/rule-claims.ts';
import { principalOf } from '../fold/view.ts';
import { scoreAll } from '../gate/calibrate.ts';
import { excerptFindings, exposureFindings, type FindParts, pairFindings } from '../gate/find.ts';
import { runGate } from '../gate/run.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { takeLease } from '../live/lease.ts';
import type { SignedRecord } from '../record/record.ts';
import { readerOf } from './database.ts';
import { positionOf } from './follow.ts';
import { dueIn, inBatchesIn, knownIn, spentIn, textsIn } from './model-sources.ts';
import { neighboursIn } from './neighbours.ts';
import type { Sql } from './port.ts';
import { dueClaims, noteSeen } from './touched.ts';
import { unextractedIn } from './unextracted.ts';

/** What settles what is believed. */
export interface BelieveParts extends Places, Extracting {
  readonly state: Sql;
  readonly fleetId: string;
  readonly host: Signer;
  readonly now: number;
  readonly sealedEvents: FindParts['sealedEvents'];
  readonly onFile: ClaimsOnFile;
  /** Puts records into the ledger, and follows it. */
  readonly commit: (records: readonly SignedRecord[]) => Promise<void>;
  /** A model can outlast the moment of the pass, and its lease. */
  readonly world: World;
  readonly store: ObjectStore;
  readonly hostId: string;
}

/** What it came to. */
export interface Believed {
  /** Claims of what test runs came to, and positions on such. */
  readonly extracted: number;
  readonly findings: number;
  readonly decisions: number;
  /** Hypotheses that were answered, or never will be. */
  readonly scores: number;
  /** What a model made of sessions; absent where none is asked. */
  readonly model?: ModelReport;
}

const NOTHING: Believed = { extracted: 0, findings: 0, decisions: 0, scores: 0 };

/** Where questions about sessions come from. */
export function modelSources(parts: BelieveParts): Sources {
  const { state, fleetId, host: signer, now, sealedEvents } = parts;
  return {
    claims: { ...parts, signer, now: toInstant(now) },
    sealedEvents,
    known: (of) => knownIn(state, fleetId, of),
    textOf: (item) => textsIn(state, item),
  };
}

/** Asks a model about sealed sessions. Whatever is wrong with that, the rest goes on. */
function askModel(extractor: Extractor, parts: BelieveParts): Promise<ModelReport> {
  const { state, host, hostId, world, store, commit, extracting } = parts;
  const clock = () => world.now();
  const { provider } = extractor;
  return extractByModel(extractor, {
    ...modelSources(parts),
    due: () => dueIn(state, host.address, provider, clock()),
    inBatches: () => inBatchesIn(state, host.address, provider),
    spentToday: () => spentIn(state, host.address, clock()),
    commit,
    renew: () => takeLease(store, hostId, clock()),
    now: clock,
    progress: (n, of) => extracting?.(n, of),
  });
}

/** Tells what sealed sessions came to, by rules, and by a model where one is asked. */
async function extract(parts: BelieveParts): Promise<Pick<Believed, 'extracted' | 'model'>> {
  const { state, host: signer, now, commit, extractor } = parts;
  const may = principalOf(readerOf(state), signer.address)?.roles.includes('extract') === true;
  if (!may) return { extracted: 0 };
  const records: SignedRecord[] = [];
  for (const session of unextractedIn(state, signer.address))
    records.push(...(await ruleClaims(session, { ...parts, signer, now: toInstant(now) })));
  if (records.length > 0) await commit(records);
  const extracted = records.filter(({ context }) => context !== 'extraction').length;
  return { extracted, ...(extractor ? { model: await askModel(extractor, parts) } : {}) };
}

/**
 * Tells what sessions came to, looks for what decisions rest on, has the ledger take that, and decides: findings first, since the gate reads nothing but the
 * ledger. Does nothing where this host may not.
 */
export async function believe(parts: BelieveParts): Promise<Believed> {
  const { state, host, now, sealedEvents, commit } = parts;
  const reader = readerOf(state);
  const extracted = await extract(parts);
  if (principalOf(reader, host.address)?.roles.includes('gate') !== true)
    return { ...NOTHING, ...extracted };
  const { claims: open, isAll } = dueClaims(state, now);
  const at = { reader, now: toInstant(now), signer: host, position: positionOf(state) };
  const finding = { ...at, sealedEvents, neighbours: neighboursIn(state) };
  const findings = [
    ...(await excerptFindings(finding, open)),
    ...(await exposureFindings(finding, open)),
    ...pairFindings(finding, open),
  ];
  if (findings.length > 0) await commit(findings);
  const run = { ...at, position: positionOf(state) };
  const decisions = runGate(
    run,
    open.map(({ key }) => key),
  );
  if (decisions.length > 0) await commit(decisions);
  // What was found and decided since is looked at once more.
  noteSeen(state, at.position, isAll, now);
  const scores = scoreAll(at);
  if (scores.length > 0) await commit(scores);
  const [found, decided] = [findings.length, decisions.length];
  return { ...extracted, findings: found, decisions: decided, scores: scores.length };
}
