import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { codeOf } from '../base/errors.ts';
import { isInstant } from '../base/time.ts';
import { ProposalDraft } from '../extract/draft.ts';
import type { Proposals, RefusedDraft } from '../extract/port.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';

/** More that were refused nobody reads. */
const REFUSED_MAX = 100;

/** What stands in a file of a draft that was refused. */
export const RefusedFile = z.strictObject({
  name: z.string(),
  draft: ProposalDraft,
  code: z.string(),
  message: z.string(),
  at: z.string().refine(isInstant),
});

function files(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A file that holds no draft, or can't be read, stays where it is, and stops nothing. Undefined where it is gone. */
function read<T>(path: string, schema: z.ZodType<T>): T | 'unreadable' | undefined {
  try {
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    return schema.safeParse(JSON.parse(text)).data ?? 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Drafts under `<home>/proposals/`, one file each; `refused/` holds those that were refused, the last hundred. */
export function openProposals(home: string): Proposals {
  const folder = join(home, 'proposals');
  const refusedFolder = join(folder, 'refused');
  const place = (path: string, value: ProposalDraft | RefusedDraft) =>
    writeFileDurably(path, `${JSON.stringify(value)}\n`);
  const remove = (name: string) => rmSync(join(folder, `${name}.json`), { force: true });
  return {
    add: (name, draft) => place(join(folder, `${name}.json`), draft),
    list: () =>
      files(folder).flatMap((file) => {
        const draft = read(join(folder, file), ProposalDraft);
        if (draft === undefined || draft === 'unreadable') return [];
        return [{ name: file.slice(0, -'.json'.length), draft }];
      }),
    remove,
    refuse(refused) {
      place(join(refusedFolder, `${refused.name}.json`), refused);
      remove(refused.name);
      const old = files(refusedFolder).slice(0, -REFUSED_MAX);
      for (const file of old) rmSync(join(refusedFolder, file), { force: true });
    },
    refused: () =>
      files(refusedFolder)
        .reverse()
        .flatMap((file) => {
          const refused = read(join(refusedFolder, file), RefusedFile);
          return refused === undefined || refused === 'unreadable' ? [] : [refused];
        }),
    unreadable: () =>
      files(folder).filter((file) => read(join(folder, file), ProposalDraft) === 'unreadable'),
  };
}
