import type { AdmissionView } from '../ledger/port.ts';
import { MapState } from './map-state.ts';
import type { Reader } from './state.ts';
import { step } from './step.ts';
import { viewOf } from './view.ts';

/**
 * The ledger's view of a state: what is accepted is folded onto an overlay, so that a later record of the same
 * batch is judged as if the earlier one were committed, by the same fold that will fold the commit.
 */
export function admissionView(below: Reader, size: number): AdmissionView {
  const state = new MapState(below);
  let seq = size;
  return {
    ...viewOf(state),
    isDecided: (ref) => state.get('decided', ref) !== undefined,
    advance(record) {
      seq += 1;
      state.apply(step(state, { seq, context: record.context, record }));
    },
  };
}
