import { InvalidArgumentError } from 'commander';
import { readInstant, toMs } from '../../base/time.ts';
import { normaliseRemote } from '../../runtime/remote.ts';

/*
 * How the words behind options are read, one way for all commands. What doesn't fit is a usage error, which commander
 * prints with the name of the option.
 */

/** A repo as sessions name it: a remote in any of its forms, or an id that is no remote. */
export function remoteOrId(text: string): string {
  return normaliseRemote(text) ?? text;
}

function wholeNumber(max: number): (text: string) => number {
  return (text) => {
    const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`It has to be a whole number from 1 to ${max}.`);
  };
}

/** How many lines a list may have. */
export const limitOf = wholeNumber(1_000_000);

/** Seconds between two passes: from one to a day. */
export const secondsOf = wholeNumber(86_400);

const AGO_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A moment in milliseconds: a day, a day and a time, or how long ago. What names no zone is in UTC, as every time that
 * is printed.
 */
export function momentOf(text: string): number {
  const [, many, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const ago = AGO_MS[unit ?? ''];
  if (ago !== undefined) return Math.max(0, Date.now() - Number(many) * ago);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const instant = readInstant(isDay ? `${text}T00:00Z` : text) ?? readInstant(`${text}Z`);
  if (instant !== undefined) return toMs(instant);
  throw new InvalidArgumentError(
    'It has to be a day (2026-01-31), a day and a time (2026-01-31T09:30, in UTC without a zone), or how long ago (45m, 12h, 2d).',
  );
}

/** A value in JSON. */
export function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('It has to be JSON.');
  }
}
