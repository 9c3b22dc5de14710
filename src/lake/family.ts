import type { Envelope } from '../runtime/envelope.ts';
import { components } from './cycle.ts';

/** What holds events back until `left` others have gone; events by their index. */
export interface Gate {
  left: number;
  readonly waiting: number[];
}

/** Who waits for whom; events by their index. */
export interface Gates {
  /** The gate that an event waits for, if any. */
  readonly before: readonly (Gate | undefined)[];
  /** The gates that wait for an event. */
  readonly after: readonly (readonly Gate[])[];
}

/** Messages by number; for each event that of its own message and of its parent's, where there is one. */
export interface Family {
  readonly messages: number;
  readonly own: readonly (number | undefined)[];
  readonly parent: readonly (number | undefined)[];
}

/** The messages of events, a message of one session being none of another's; by the events' index. */
export function familyOf(events: readonly Envelope[]): Family {
  const numbers = new Map<string, number>();
  const name = (event: Envelope, message: string) =>
    `${event.runtime}\0${event.session_id}\0${message}`;
  const own = events.map((event) => {
    if (event.message_id === undefined) return undefined;
    const key = name(event, event.message_id);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    return number;
  });
  const parent = events.map((event) => {
    if (event.parent_message_id === undefined) return undefined;
    return numbers.get(name(event, event.parent_message_id));
  });
  return { messages: numbers.size, own, parent };
}

/** True where the events stand after all of their parents as they are; then there is no cycle either. */
export function isSettled({ messages, own, parent }: Family): boolean {
  const last = new Int32Array(messages).fill(-1);
  own.forEach((message, event) => {
    if (message !== undefined) last[message] = event;
  });
  return parent.every((message, event) => message === undefined || (last[message] ?? 0) < event);
}

/**
 * Parents before children, as gates: an event waits for all events of its parent message, save those that it
 * shares a cycle of parents with. O(events), whatever their shape.
 */
export function gatesOf(family: Family): Gates {
  const { messages, own, parent } = family;
  const component = components(graphOf(family));
  const isInside = (event: number, message: number) =>
    component[event] === component[own.length + message];

  // Where a message lies on a cycle, its children there wait only for its events outside.
  const all = Array.from({ length: messages }, newGate);
  const outside = Array.from({ length: messages }, newGate);
  const after = own.map((message, event) => {
    if (message === undefined) return [];
    const gates = isInside(event, message) ? [all[message]] : [all[message], outside[message]];
    return gates.filter((gate) => gate !== undefined);
  });
  for (const gates of after) for (const gate of gates) gate.left++;
  const before = parent.map((message, event) => {
    if (message === undefined) return undefined;
    return isInside(event, message) ? outside[message] : all[message];
  });
  return { before, after };
}

function newGate(): Gate {
  return { left: 0, waiting: [] };
}

/**
 * Who comes before whom. Each message is a node of its own, after the events, between its events and their
 * children: edges from each event to each child could be quadratic.
 */
function graphOf({ messages, own, parent }: Family): number[][] {
  const events = own.length;
  const successors: number[][] = Array.from({ length: events + messages }, () => []);
  own.forEach((message, event) => {
    if (message !== undefined) successors[event]?.push(events + message);
  });
  parent.forEach((message, event) => {
    if (message !== undefined) successors[events + message]?.push(event);
  });
  return successors;
}
