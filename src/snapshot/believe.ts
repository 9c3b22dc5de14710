import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { principalOf } from '../fold/view.ts';
import { scoreAll } from '../gate/calibrate.ts';
import {
  excerptFindings,
  exposureFindings,
  type FindParts,
  openClaims,
  pairFindings,
} from '../gate/find.ts';
import { runGate } from '../gate/run.ts';
import type { SignedRecord } from '../record/record.ts';
import { readerOf } from './database.ts';
import { positionOf } from './follow.ts';
import { neighboursIn } from './neighbours.ts';
import type { Sql } from './port.ts';

/** What settles what is believed. */
export interface BelieveParts {
  readonly state: Sql;
  readonly host: Signer;
  readonly now: number;
  readonly sealedEvents: FindParts['sealedEvents'];
  /** Puts records into the ledger, and follows it. */
  readonly commit: (records: readonly SignedRecord[]) => Promise<void>;
}

/** What it came to. */
export interface Believed {
  readonly findings: number;
  readonly decisions: number;
  /** Hypotheses that were answered, or never will be. */
  readonly scores: number;
}

const NOTHING: Believed = { findings: 0, decisions: 0, scores: 0 };

/**
 * Looks for what decisions rest on, has the ledger take that, and decides: findings first, since the gate reads nothing but the
 * ledger. Does nothing where this host may not.
 */
export async function believe(parts: BelieveParts): Promise<Believed> {
  const { state, host, now, sealedEvents, commit } = parts;
  const reader = readerOf(state);
  if (principalOf(reader, host.address)?.roles.includes('gate') !== true) return NOTHING;
  const open = openClaims(reader);
  if (open.length === 0) return NOTHING;
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
  return { findings: findings.length, decisions: decisions.length, scores: scores.length };
}
