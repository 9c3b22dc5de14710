import { join } from 'node:path';
import * as z from 'zod';
import { isInstant } from '../base/time.ts';
import { ProposalDraft } from '../extract/draft.ts';
import type { Proposals } from '../extract/port.ts';
import { openDraftFolder } from './draft-folder.ts';

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

/** Drafts under `<home>/proposals/`; `refused/` holds those that were refused, the last hundred. */
export function openProposals(home: string): Proposals {
  const folder = join(home, 'proposals');
  const waiting = openDraftFolder(folder, ProposalDraft);
  const refused = openDraftFolder(join(folder, 'refused'), RefusedFile);
  return {
    ...waiting,
    refuse(one) {
      refused.add(one.name, one);
      waiting.remove(one.name);
      for (const { name } of refused.list().slice(0, -REFUSED_MAX)) refused.remove(name);
    },
    refused: () =>
      refused
        .list()
        .map(({ draft }) => draft)
        .reverse(),
  };
}
