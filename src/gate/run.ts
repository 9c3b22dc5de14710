import type { Signer } from '../base/ed25519.ts';
import { foldDecision, lastDecision } from '../fold/belief.ts';
import { MapState } from '../fold/map-state.ts';
import type { Reader } from '../fold/state.ts';
import type { DecisionBody } from '../record/decision.ts';
import { type SignedRecord, SPEC, seal, uncheckedRecord } from '../record/record.ts';
import { type Ruling, ruleOn } from './decide.ts';
import { ExposureReader } from './exposure.ts';

/** Only a gate of the same version must decide the same again. */
const GATE_VERSION = '1';

/** What a run of the gate works with. */
export interface RunParts {
  readonly reader: Reader;
  /** The position that the state shows: from there every decision of the run is told again. */
  readonly position: number;
  /** The instant of every decision of the run. */
  readonly now: string;
  readonly signer: Signer;
}

/** A ruling as the gate signs it. */
function decisionOf(
  { claim, outcome, gates, findings, policy }: Ruling,
  { position, now, signer }: Omit<RunParts, 'reader'>,
): DecisionBody {
  return {
    spec: SPEC,
    author: signer.address,
    issued_at: now,
    claim_id: claim,
    basis: position,
    ...(policy === undefined ? {} : { policy }),
    gate_version: GATE_VERSION,
    gates: [...gates],
    findings: [...findings],
    ...outcome,
  } as DecisionBody;
}

/** What a decision says of its claim, whenever and on whichever findings it was made. */
const saying = ({ kind, gates, detail }: { kind: string; gates: string; detail: string }) =>
  JSON.stringify([kind, gates, detail]);

/**
 * Settles what can be settled of claims, in their order: each decision sees those before it. What the last decision on a claim says
 * already is not said again.
 */
export function runGate(parts: RunParts, due: readonly string[]): SignedRecord[] {
  const state = new MapState(parts.reader);
  const exposures = new ExposureReader(parts.reader);
  const records: SignedRecord[] = [];
  for (const id of due) {
    const claim = state.get('claims', id);
    if (!claim) continue;
    for (const ruling of ruleOn({ reader: state, exposures, now: parts.now }, claim)) {
      const body = decisionOf(ruling, parts);
      const signed = seal('decision', body, parts.signer);
      const at = parts.position + records.length + 1;
      const record = uncheckedRecord(signed).record;
      const changes = foldDecision({ reader: state, record, principal: '', at }, body);
      const [decision] = changes;
      if (decision?.table !== 'decisions') continue;
      const last = lastDecision(state, ruling.claim);
      if (last && saying(last) === saying(decision.row)) continue;
      state.apply(changes);
      records.push(signed);
    }
  }
  return records;
}
