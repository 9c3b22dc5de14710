import type { SignedRecord } from './record.ts';

/** Something for each type of record: by its specification, then its context. */
export type ByType<T> = Readonly<Record<string, Readonly<Record<string, T>>>>;

/** What stands for the type of a record; undefined where nothing does. */
export function ofType<T>(
  table: ByType<T>,
  { context, body }: Pick<SignedRecord, 'context'> & { readonly body: { readonly spec?: unknown } },
): T | undefined {
  const { spec } = body;
  const contexts = typeof spec === 'string' && Object.hasOwn(table, spec) ? table[spec] : undefined;
  return contexts && Object.hasOwn(contexts, context) ? contexts[context] : undefined;
}
