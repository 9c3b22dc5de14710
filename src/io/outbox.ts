import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { HandoffDraft } from '../handoff/handoff.ts';
import type { Outbox } from '../handoff/port.ts';
import { readIfThere, writeFileDurably } from './small-file.ts';

/** A file that holds no note, or can't be read, stays where it is, and stops nothing. Undefined where it is gone. */
function readDraft(path: string): HandoffDraft | 'unreadable' | undefined {
  try {
    const text = readIfThere(path);
    if (text === undefined) return undefined;
    return HandoffDraft.safeParse(JSON.parse(text)).data ?? 'unreadable';
  } catch {
    return 'unreadable';
  }
}

/** Notes under `<home>/outbox/`, one file each. */
export function openOutbox(home: string): Outbox {
  const folder = join(home, 'outbox');
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
  return {
    add: (name, draft) =>
      writeFileDurably(join(folder, `${name}.json`), `${JSON.stringify(draft)}\n`),
    list: () =>
      files().flatMap((file) => {
        const draft = readDraft(join(folder, file));
        if (draft === undefined || draft === 'unreadable') return [];
        return [{ name: file.slice(0, -'.json'.length), draft }];
      }),
    remove: (name) => rmSync(join(folder, `${name}.json`), { force: true }),
    unreadable: () => files().filter((file) => readDraft(join(folder, file)) === 'unreadable'),
  };
}
