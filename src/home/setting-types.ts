import * as z from 'zod';

/* The forms that values of settings have, each with the words by which a wrong one is refused. */

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof UNIT_MS;
const DURATION_FORM = 'a whole number and s, m, h or d, such as 30m';
/** A duration such as `90s`, `30m`, `24h`; in milliseconds once read. */
export const Duration = z
  .string({ error: DURATION_FORM })
  .regex(/^\d{1,6}(?:s|m|h|d)$/, DURATION_FORM)
  .transform((text) => Number(text.slice(0, -1)) * UNIT_MS[text.slice(-1) as Unit]);

/** A duration as a person would write it: the largest unit that leaves no rest. */
export function formatDuration(ms: number): string {
  const unit = (['d', 'h', 'm'] as const).find((name) => ms > 0 && ms % UNIT_MS[name] === 0) ?? 's';
  return `${ms / UNIT_MS[unit]}${unit}`;
}

/** True or false, also as a text. */
export const Flag = z.union(
  [z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')],
  { error: 'true or false' },
);
/** A list of texts, or one text with commas between them. */
export const listOf = (item: z.ZodType<string, string>, error: string) =>
  z.union(
    [
      z.array(item),
      z
        .string()
        .transform((text) =>
          text
            .split(',')
            .map((part) => part.trim())
            .filter((part) => part !== ''),
        )
        .pipe(z.array(item)),
    ],
    { error },
  );
const VARIABLE_FORM = 'the NAME of a variable, in capitals, digits and `_`; or nothing';
/** What holds a secret, never the secret itself: a word in small letters is none, so that it is not taken for one. */
export const Variable = z
  .string({ error: VARIABLE_FORM })
  .regex(/^(?:[A-Z_][A-Z0-9_]{0,127})?$/, VARIABLE_FORM);

/** What a setting may be. One without a variable is set in the user's file alone. */
export interface Setting {
  readonly type: z.ZodType;
  readonly env?: string;
  readonly help: string;
}
