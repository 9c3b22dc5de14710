import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import type { Places } from '../extract/body.ts';
import type { ClaimsOnFile } from '../extract/port.ts';
import { ruleClaims } from '../extract/rule-claims.ts';
import { principalOf } from '../fold/view.ts';
import { scoreAll } from '../gate/calibrate.ts';
import {
  excerptFindings,
  exposureFindings,
  type FindParts,
  gatedClaims,
  pairFindings,
} from '../gate/find.ts';
import { runGate } from '../gate/run.ts';
import type { SignedRecord } from '../record/record.ts';
import { readerOf } from './database.ts';
import { positionOf } from './follow.ts';
import { neighboursIn } from './neighbours.ts';
import type { Sql } from './port.ts';
import { unextractedIn } from './unextracted.ts';

/** What settles what is believed. */
export interface BelieveParts extends Places {
  readonly state: Sql;
  readonly fleetId: string;
  readonly host: Signer;
  readonly now: number;
  readonly sealedEvents: FindParts['sealedEvents'];
  readonly onFile: ClaimsOnFile;
  /** Puts records into the ledger, and follows it. */
  readonly commit: (records: readonly SignedRecord[]) => Promise<void>;
}

/** What it came to. */
export interface Believed {
  /** Claims of what test runs came to, and positions on such. */
  readonly extracted: number;
  readonly findings: number;
  readonly decisions: number;
  /** Hypotheses that were answered, or never will be. */
  readonly scores: number;
}

const NOTHING: Believed = { extracted: 0, findings: 0, decisions: 0, scores: 0 };

/** Tells what sealed sessions came to, by rules alone; answers how many claims that were. */
async function extract(parts: BelieveParts): Promise<number> {
  const { state, host: signer, now, commit } = parts;
  const may = principalOf(readerOf(state), signer.address)?.roles.includes('extract') === true;
  const records: SignedRecord[] = [];
  for (const session of may ? unextractedIn(state, signer.address) : [])
    records.push(...(await ruleClaims(session, { ...parts, signer, now: toInstant(now) })));
  if (records.length > 0) await commit(records);
  return records.filter(({ context }) => context !== 'extraction').length;
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
    return { ...NOTHING, extracted };
  const open = gatedClaims(reader);
  if (open.length === 0) return { ...NOTHING, extracted };
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
  const scores = scoreAll(at);
  if (scores.length > 0) await commit(scores);
  const [found, decided] = [findings.length, decisions.length];
  return { extracted, findings: found, decisions: decided, scores: scores.length };
}
