/** Reads values of unknown shape: what is not as expected is absent, never an exception. */
export type UnknownObject = { readonly [key: string]: unknown };

/** The value as an object, empty where it is none. */
export function objectOf(value: unknown): UnknownObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as UnknownObject)
    : {};
}

/** The value as a list, empty where it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as a whole number from 0 up; fractions are rounded. */
export function countOf(value: unknown): number | undefined {
  const number = typeof value === 'number' ? Math.round(value) : Number.NaN;
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The object without the members that are undefined: absent means absent. */
export function defined<T extends object>(
  members: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}
