/** RFC 3339 in UTC with exactly three fractional digits and `Z`: the only form of an instant on the wire. */
export type Instant = string;

const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** True for a well-formed instant that names a real day (30 February is refused). */
export function isInstant(text: string): boolean {
  if (!INSTANT.test(text)) return false;
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

/**
 * Any timestamp that carries its own offset → instant, or undefined. A time without an offset is refused:
 * it would be shifted by the zone of whoever reads it.
 */
export function readInstant(text: unknown): Instant | undefined {
  if (typeof text !== 'string' || !/(?:Z|[+-]\d{2}:?\d{2})$/i.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isFinite(ms) && ms >= 0 && ms < 253_402_300_800_000 ? toInstant(ms) : undefined;
}

/** The UTC day of an instant, `YYYY-MM-DD`. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}
