import { assert } from '../base/errors.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { familyOf, gatesOf, isSettled } from './family.ts';
import { popHeap, pushHeap } from './heap.ts';

/**
 * The envelopes of any sessions, ordered: those of a parent message before its children, and of the events
 * that this leaves free always the smallest (emitted_at, event_id) next. A message can have several envelopes;
 * all of them come before its children. A parent that isn't there holds nothing back, and of a cycle of
 * parents no edge counts, while every edge into it and out of it does. The result is the same for every order
 * of the input, except that envelopes of one event keep theirs. O(n log n), without recursion.
 */
export function orderEvents(envelopes: readonly Envelope[]): Envelope[] {
  const sorted = envelopes.toSorted(byTime);
  const family = familyOf(sorted);
  // Most sessions: the smallest event that is left is free each time.
  if (isSettled(family)) return sorted;
  const gates = gatesOf(family);
  // An event's place in `sorted` is its rank, so that the heap compares numbers only.
  const free: number[] = [];
  for (let event = 0; event < sorted.length; event++) {
    const gate = gates.before[event];
    if (gate === undefined || gate.left === 0) pushHeap(free, event);
    else gate.waiting.push(event);
  }
  const ordered: Envelope[] = [];
  for (let event = popHeap(free); event !== undefined; event = popHeap(free)) {
    const envelope = sorted[event];
    if (envelope) ordered.push(envelope);
    for (const gate of gates.after[event] ?? []) {
      gate.left--;
      if (gate.left === 0) for (const waiting of gate.waiting) pushHeap(free, waiting);
    }
  }
  assert(ordered.length === envelopes.length, 'ordering keeps every envelope');
  return ordered;
}

function byTime(a: Envelope, b: Envelope): number {
  if (a.emitted_at !== b.emitted_at) return a.emitted_at < b.emitted_at ? -1 : 1;
  if (a.event_id !== b.event_id) return a.event_id < b.event_id ? -1 : 1;
  return 0;
}
