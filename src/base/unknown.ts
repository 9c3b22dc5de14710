import { cleanText } from './text.ts';

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

/** The value as a text that is not empty, well-formed and without NUL: escapes in JSON can say what UTF-8 can't. */
export function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? cleanText(value) : '';
  return text === '' ? undefined : text;
}

/** The value that a text, or its UTF-8 bytes, says in JSON; undefined where it is no JSON. */
export function jsonIn(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : Buffer.from(text).toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The value as JSON text; undefined where JSON has no word for it, or it is nested too deeply to be written. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
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
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(members)) {
    const value: unknown = members[key as keyof T];
    if (value !== undefined) kept[key] = value;
  }
  return kept as { [K in keyof T]: Exclude<T[K], undefined> };
}
