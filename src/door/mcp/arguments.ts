import * as z from 'zod';
import { readInstant } from '../../base/time.ts';
import { normaliseRemote } from '../../runtime/remote.ts';

/*
 * What tools are asked in, one way for all of them. A text that does not fit is refused by the protocol's layer, with the
 * name of the argument.
 */

/** A query, or the name of a thing. */
export const Words = z.string().trim().min(1).max(1_000);

/** A moment: a day, which begins in UTC, or an RFC 3339 time. */
export const Since = z
  .string()
  .max(40)
  .transform((text, context) => {
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const instant = readInstant(isDay ? `${text}T00:00Z` : text);
    if (instant !== undefined) return instant;
    context.addIssue({ code: 'custom', message: 'a day (2026-01-31), or a time with its zone' });
    return z.NEVER;
  })
  .describe('only what is dated since: a day (2026-01-31, in UTC), or a time with its zone');

/** A repo as sessions name it: a remote in any of its forms, or an id that is no remote. */
export const Repo = z
  .string()
  .min(1)
  .max(1_024)
  .transform((text) => normaliseRemote(text) ?? text);

/** How many, with what is taken where none is asked for. */
export function count(normal: number, max: number) {
  return z.int().min(1).max(max).default(normal);
}
