import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../base/errors.ts';
import { HandoffDraft } from '../handoff/handoff.ts';
import type { Outbox } from '../handoff/port.ts';
import { readIfThere, writeFileAtomically } from './small-file.ts';

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
        const parsed = text === undefined ? undefined : HandoffDraft.safeParse(JSON.parse(text));
        return parsed?.success ? [{ name: file.slice(0, -5), draft: parsed.data }] : [];
      });
    },
    remove: (name) => rmSync(join(folder, `${name}.json`), { force: true }),
  };
}
