import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod';
import { codeOf } from '../base/errors.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';

/** What waits in a folder, one JSON file each, by name. */
export interface DraftFolder<T> {
  /** Durable once it returns. */
  add(name: string, draft: T): void;
  /** In the order of their names. */
  list(): readonly { readonly name: string; readonly draft: T }[];
  remove(name: string): void;
  /** The names of files that hold no such draft, or can't be read: they stay where they are, and stop nothing. */
  unreadable(): readonly string[];
}

/** The drafts of a folder, which need not be there yet. */
export function openDraftFolder<T>(folder: string, schema: z.ZodType<T>): DraftFolder<T> {
  const pathOf = (name: string) => join(folder, `${name}.json`);
  const files = (): string[] => {
    try {
      return readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort();
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      throw error;
    }
  };
  /** Undefined where it is gone meanwhile. */
  const read = (file: string): T | 'unreadable' | undefined => {
    try {
      const text = readIfThere(join(folder, file));
      if (text === undefined) return undefined;
      return schema.safeParse(JSON.parse(text)).data ?? 'unreadable';
    } catch {
      return 'unreadable';
    }
  };
  return {
    add: (name, draft) => writeFileDurably(pathOf(name), `${JSON.stringify(draft)}\n`),
    list: () =>
      files().flatMap((file) => {
        const draft = read(file);
        if (draft === undefined || draft === 'unreadable') return [];
        return [{ name: file.slice(0, -'.json'.length), draft }];
      }),
    remove: (name) => rmSync(pathOf(name), { force: true }),
    unreadable: () => files().filter((file) => read(file) === 'unreadable'),
  };
}
