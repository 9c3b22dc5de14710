import { join } from 'node:path';
import { HandoffDraft } from '../handoff/handoff.ts';
import type { Outbox } from '../handoff/port.ts';
import { openDraftFolder } from './draft-folder.ts';

/** Notes under `<home>/outbox/`. */
export function openOutbox(home: string): Outbox {
  return openDraftFolder(join(home, 'outbox'), HandoffDraft);
}
