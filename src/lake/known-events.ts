import { toInstant, toMs } from '../base/time.ts';
import type { Envelope, EventType } from '../runtime/envelope.ts';
import { IdTable, idKey } from './id-table.ts';
import type { Occurrence } from './pairing.ts';

/** The events that hooks can see. Replies and thoughts come from the transcript alone, so that they are no miss. */
const HOOKABLE: ReadonlySet<EventType> = new Set<EventType>(['prompt', 'tool_call', 'compact']);

/** No hook fires for a subagent's prompt: it comes from the call that started it. */
function isHookable(event: Envelope): boolean {
  const isTold = event.event_type === 'prompt' && event.parent_session_id !== undefined;
  return HOOKABLE.has(event.event_type) && !isTold;
}

/** The fields by which a slim copy of an envelope still is one. They are in every copy, or say how it came. */
const IDENTITY: ReadonlySet<string> = new Set<keyof Envelope>([
  'schema_version',
  'event_id',
  'emitted_at',
  'fleet_id',
  'agent_id',
  'runtime',
  'host_id',
  'session_id',
  'event_type',
  'redaction',
  'imported',
  'reconciled',
]);

/** A hash → the text that it is of: it never comes without it, since the text that is known may be another. */
const TEXT_OF: Readonly<Record<string, string>> = {
  content_hash: 'content',
  'tool.input_hash': 'tool.input',
};

const GROUPS = ['tool', 'usage'] as const;

/** The names of the fields that a copy has beyond its identity, such as `cwd`, `tool` and `tool.name`. */
function fieldsOf(event: Envelope): string[] {
  const inside = GROUPS.flatMap((group) =>
    Object.keys(event[group] ?? {}).map((name) => `${group}.${name}`),
  );
  return [...Object.keys(event).filter((name) => !IDENTITY.has(name)), ...inside];
}

/** A copy with these fields and its identity only. */
function slim(event: Envelope, fields: ReadonlySet<string>): Envelope {
  const kept = Object.entries(event).filter(([name]) => IDENTITY.has(name) || fields.has(name));
  for (const group of GROUPS) {
    const inside = Object.entries(event[group] ?? {}).filter(([name]) =>
      fields.has(`${group}.${name}`),
    );
    if (inside.length > 0 || fields.has(group)) kept.push([group, Object.fromEntries(inside)]);
  }
  return Object.fromEntries(kept) as Envelope;
}

/** Sets of field names by number: events have few different ones. */
class Shapes {
  readonly #numbers = new Map<string, number>();
  readonly #shapes: ReadonlySet<string>[] = [];

  numberOf(fields: Iterable<string>): number {
    const shape = new Set([...fields].sort());
    const name = [...shape].join(' ');
    const number = this.#numbers.get(name) ?? this.#shapes.push(shape) - 1;
    this.#numbers.set(name, number);
    return number;
  }

  at(number: number): ReadonlySet<string> {
    return this.#shapes[number] ?? new Set();
  }
}

/**
 * What is known of a session's events: of each, which fields its copies have, when it happened, and whether a hook
 * saw it. Some 60 bytes an event, however large it is.
 */
export class KnownEvents {
  readonly #ids = new IdTable();
  readonly #shapes = new Shapes();
  /** By an event's number: its shape. */
  readonly #shape: number[] = [];
  /** By an event's number: its time, in milliseconds. */
  readonly #time: number[] = [];
  /** By an event's number: what stands for its message's id; 0 where it has none. */
  readonly #message: number[] = [];
  /** By an event's number: 1 where a copy of it was captured. */
  readonly #live: number[] = [];
  #captured = 0;
  #known = 0;

  /** When an event happened, and by which message; undefined where it is not known. */
  occurrence(id: string): Occurrence | undefined {
    const number = this.#ids.numberOf(id);
    if (number === undefined) return undefined;
    return { time: this.#time[number] ?? 0, message: this.#message[number] || undefined };
  }

  /**
   * Takes a copy, and answers with what it has beyond those that came before: the whole of it where there was none, else
   * a slim copy that, merged with them, gives the same as this one would; undefined where it has nothing new.
   */
  add(event: Envelope): Envelope | undefined {
    const known = this.#ids.numberOf(event.event_id);
    const number = known ?? this.#ids.add(event.event_id);
    this.#count(event, number, known !== undefined);
    const fields = fieldsOf(event);
    if (known === undefined) {
      this.#shape[number] = this.#shapes.numberOf(fields);
      return event;
    }
    const have = this.#shapes.at(this.#shape[number] ?? 0);
    const isFresh = (name: string) => !have.has(name) && !have.has(TEXT_OF[name] ?? name);
    const fresh = new Set(fields.filter(isFresh));
    if (fresh.size === 0) return undefined;
    this.#shape[number] = this.#shapes.numberOf([...have, ...fresh]);
    // The time that is known, so that whoever reads the copies in the order of time meets them together.
    const emitted_at = toInstant(this.#time[number] ?? 0);
    return { ...slim(event, fresh), emitted_at };
  }

  #count(event: Envelope, number: number, isKnown: boolean): void {
    const isLive = event.imported === undefined && event.reconciled === undefined;
    const wasLive = this.#live[number] === 1;
    if (!isKnown || (isLive && !wasLive)) {
      this.#time[number] = toMs(event.emitted_at);
      this.#live[number] = isLive ? 1 : 0;
    }
    this.#message[number] ||= event.message_id === undefined ? 0 : idKey(event.message_id);
    if (!isHookable(event)) return;
    if (!isKnown) this.#known += 1;
    if (isLive && !wasLive) this.#captured += 1;
  }

  /** Captured over known, of the events that hooks can see. */
  coverage(): { readonly captured: number; readonly known: number } {
    return { captured: this.#captured, known: this.#known };
  }
}
