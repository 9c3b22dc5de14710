import type { Signer } from '../base/ed25519.ts';
import { foldDecision, lastDecision } from '../fold/belief.ts';
import { MapState } from '../fold/map-state.ts';
import type { Reader } from '../fold/state.ts';
import type { DecisionBody } from '../record/decision.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { type Ruling, ruleOn } from './decide.ts';
import { ExposureReader } from './exposure.ts';

/** Only a gate of the same version must decide the same again. */
export const GATE_VERSION = '1';

/** From where a run of the gate decides, and as whom. */
export interface RunParts {
  readonly reader: Reader;
  /** The position that the state shows: from there every decision of the run is told again. */
  readonly position: number;
  /** The instant of every decision of the run. */
  readonly now: string;
  /** The address of whoever decides. */
  readonly author: string;
}

/** A ruling as the gate says it. */
function decisionOf(
  { claim, outcome, gates, findings, policy }: Ruling,
  { position, now, author }: RunParts,
  after: string | undefined,
): DecisionBody {
  return {
    spec: SPEC,
    author,
    issued_at: now,
    claim_id: claim,
    basis: position,
    ...(after === undefined ? {} : { after }),
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
 * Settles what can be settled of claims, in their order, and once more of those that others were joined into. `take` hears of each
 * decision, and whether the last one on its claim says that already; what it answers is what the decisions after it see.
 */
export function decide(
  parts: RunParts,
  due: Iterable<string>,
  take: (body: DecisionBody, isRepeated: boolean) => DecisionBody | undefined,
): void {
  const state = new MapState(parts.reader);
  const exposures = new ExposureReader(parts.reader);
  let after: string | undefined;
  let at = parts.position;
  // It grows while it is walked through.
  const ids = [...due];
  for (const id of ids) {
    const claim = state.get('claims', id);
    if (!claim) continue;
    for (const ruling of ruleOn({ reader: state, exposures, now: parts.now }, claim)) {
      const body = decisionOf(ruling, parts, after);
      const taken = take(body, isSaid(state, body));
      if (!taken) continue;
      if (taken.kind === 'joined') ids.push(taken.into);
      after = recordId('decision', taken);
      at += 1;
      state.apply(foldDecision({ reader: state, record: { id: after }, at }, taken));
    }
  }
}

/** True where the last decision on its claim says it already. */
function isSaid(state: Reader, body: DecisionBody): boolean {
  const last = lastDecision(state, body.claim_id);
  if (!last) return false;
  const [decision] = foldDecision({ reader: state, record: { id: '' }, at: 0 }, body);
  return decision?.table === 'decisions' && saying(last) === saying(decision.row);
}

/** What a gate settles of claims, signed. What the last decision on a claim says already is not said again. */
export function runGate(
  parts: Omit<RunParts, 'author'> & { readonly signer: Signer },
  due: Iterable<string>,
): SignedRecord[] {
  const { signer } = parts;
  const records: SignedRecord[] = [];
  decide({ ...parts, author: signer.address }, due, (body, isRepeated) => {
    if (isRepeated) return undefined;
    records.push(seal('decision', body, signer));
    return body;
  });
  return records;
}
