import type { AdmissionView } from '../ledger/port.ts';
import { tombstonesAgainst } from '../ledger/tombstone.ts';
import { MapState } from './map-state.ts';
import type { Reader } from './state.ts';
import { step } from './step.ts';
import { viewOf } from './view.ts';

/**
 * The ledger's view of a state: what is accepted is folded onto an overlay, so that a later record of the same
 * batch is judged as if the earlier one were committed, by the same fold that will fold the commit. By the fleet's
 * `secret` it knows content that was erased.
 */
export function admissionView(
  below: Reader,
  size: number,
  secret?: Uint8Array | undefined,
): AdmissionView {
  const state = new MapState(below);
  let seq = size;
  return {
    ...viewOf(state),
    mayBeErased: () => false,
    isErased: (record) =>
      secret !== undefined &&
      tombstonesAgainst(secret, record).some((key) => below.get('tombstones', key) !== undefined),
    isDecided: (ref) => state.get('decided', ref) !== undefined,
    advance(record) {
      seq += 1;
      state.apply(step(state, { seq, context: record.context, record }));
    },
  };
}
