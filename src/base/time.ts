/** RFC 3339 in UTC with exactly three fractional digits and `Z`: the only form of an instant on the wire. */
export type Instant = string;

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** True for a well-formed instant that names a real day (30 February is refused). */
export function isInstant(text: string): boolean {
  if (!INSTANT.test(text)) return false;
  // Every month has 28 days; only beyond them the calendar has to be asked.
  if (text.charCodeAt(8) < 0x32 || text.slice(8, 10) <= '28') return true;
  const ms = Date.parse(text);
  return Number.isFinite(ms) && new Date(ms).toISOString() === text;
}

/** Milliseconds since the epoch → instant. */
export function toInstant(ms: number): Instant {
  return new Date(ms).toISOString();
}

/** Instant → milliseconds since the epoch; NaN where it is not one. */
export function toMs(instant: Instant): number {
  return isInstant(instant) ? Date.parse(instant) : Number.NaN;
}

/** A day, a time of day and an offset, in RFC 3339 or near it. What else `Date.parse` takes is guesswork. */
const OFFSET_TIME =
  /^(\d{4}-\d{2}-\d{2})[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})$/i;

/**
 * Any timestamp that carries its own offset → instant, or undefined. A time without an offset is refused:
 * it would be shifted by the zone of whoever reads it. So is a day that no month has.
 */
export function readInstant(text: unknown): Instant | undefined {
  const day = typeof text === 'string' ? OFFSET_TIME.exec(text)?.[1] : undefined;
  if (typeof text !== 'string' || !isInstant(`${day}T00:00:00.000Z`)) return undefined;
  const ms = Date.parse(text);
  return Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000 ? toInstant(ms) : undefined;
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}
