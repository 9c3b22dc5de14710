import { codeOf } from '../base/errors.ts';
import type { SizedPart } from '../digest/merge-parts.ts';
import { eventsOf } from '../digest/seal.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { PartCodec } from '../lake/part.ts';
import type { Spool, SpoolFile } from '../lake/port.ts';
import { parseSpool } from '../lake/read-spool.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { MessagesOf } from './port.ts';

/** Where the messages of sessions are found. */
export interface MessageSources {
  readonly spool: Spool;
  readonly store: ObjectStore;
  readonly codec: PartCodec;
  readonly relax: () => void;
  readonly stemOf: (session: string) => string;
  /** The parts of a session that the ledger names; undefined for one that is not sealed. */
  readonly sealed: (session: string) => readonly Omit<SizedPart, 'bytes'>[] | undefined;
}

/** What hooks wrote of a session and no sync has sent yet. Of such an event no ordinal is known, and none is needed. */
function spooled(spool: Spool, stem: string): Envelope[] {
  return spool
    .sessions()
    .filter((session) => session.stem === stem)
    .flatMap((session) =>
      session.files
        .filter((file) => file.state !== 'sent')
        .flatMap((file) => parseSpool(spool.read(session, file), session).lines),
    )
    .map(({ line_id, envelope }) => ({ ...envelope, event_id: line_id }));
}

/** The files of a session, in the order in which they were written. */
function filesOf(spool: Spool, stem: string) {
  return spool
    .sessions()
    .filter((session) => session.stem === stem)
    .flatMap((session) => session.files.map((file) => ({ session, file })))
    .sort((a, b) => placeOf(a.file) - placeOf(b.file));
}

/** The open file has no number yet: what is in it came last. */
const placeOf = ({ state, n }: SpoolFile) => (state === 'open' ? Number.POSITIVE_INFINITY : n);

const LOOKS_MAX = 5;

/** A sync, which nobody waits for here, may rename a file after it was seen, and before it is read. */
function lookedAgain<T>(look: () => T): T {
  for (let looks = 1; ; looks++) {
    try {
      return look();
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || looks === LOOKS_MAX) throw error;
    }
  }
}

/**
 * What the spool of this machine still holds of a session, in the order in which it came, sent or not: all of it since its
 * last seal. Of such an event no ordinal is known.
 */
export function heldMessages(spool: Spool, stem: string): Envelope[] {
  const lines = lookedAgain(() =>
    filesOf(spool, stem).flatMap(
      ({ session, file }) => parseSpool(spool.read(session, file), session).lines,
    ),
  );
  const once = new Map(lines.map((line) => [line.line_id, line]));
  return [...once.values()].map(({ line_id, envelope }) => ({ ...envelope, event_id: line_id }));
}

/** Where a session was at its last event, of the files that the spool still holds: reads no more of them than it takes. */
export function lastPlace(spool: Spool, stem: string): Pick<Envelope, 'repo'> | undefined {
  return lookedAgain(() => {
    for (const { session, file } of filesOf(spool, stem).reverse()) {
      const last = parseSpool(spool.read(session, file), session).lines.at(-1);
      if (last) return last.envelope;
    }
    return undefined;
  });
}

/** What was captured of sessions, wherever it lies by now: in the spool, in parts, or in both. Each session is read once. */
export function capturedMessages(sources: MessageSources): MessagesOf {
  const { spool, stemOf, sealed } = sources;
  const read = async (session: string) => {
    const stem = stemOf(session);
    const named = sealed(session);
    const manifest = spool.unsealed().find((one) => one.stem === stem)?.manifest;
    const parts = new Map(
      [...(named ?? []), ...(manifest?.parts ?? [])].map((part) => [
        part.key,
        { bytes: 0, ...part },
      ]),
    );
    const events: Envelope[] = [];
    for await (const group of eventsOf([...parts.values()], sources)) events.push(...group);
    events.push(...spooled(spool, stem));
    const isKnown = named !== undefined || events.length > 0;
    return isKnown ? { events, sealed: named !== undefined } : undefined;
  };
  const known = new Map<string, ReturnType<typeof read>>();
  return (session) => {
    const reading = known.get(session) ?? read(session);
    known.set(session, reading);
    return reading;
  };
}
