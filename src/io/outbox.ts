import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { HandoffDraft } from '../handoff/handoff.ts';
import type { Outbox } from '../handoff/port.ts';
import { readIfThere, writeFileAtomically } from './small-file.ts';

/** A file that holds no note stays where it is, and stops nothing. */
function parseDraft(text: string): HandoffDraft | undefined {
  try {
    return HandoffDraft.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Notes under `<home>/outbox/`, one file each. */
export function openOutbox(home: string): Outbox {
  const folder = join(home, 'outbox');
  return {
    add: (name, draft) =>
      writeFileAtomically(join(folder, `${name}.json`), `${JSON.stringify(draft)}\n`),
    list() {
      let names: string[];
      try {
        names = readdirSync(folder).filter((name) => name.endsWith('.json'));
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return [];
        throw error;
      }
      return names.sort().flatMap((file) => {
        const text = readIfThere(join(folder, file));
        const draft = text === undefined ? undefined : parseDraft(text);
        return draft ? [{ name: file.slice(0, -5), draft }] : [];
      });
    },
    remove: (name) => rmSync(join(folder, `${name}.json`), { force: true }),
  };
}
