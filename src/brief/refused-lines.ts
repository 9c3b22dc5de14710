import { toMs } from '../base/time.ts';
import type { BriefLine } from '../capture/brief-file.ts';
import type { RefusedDraft } from '../extract/port.ts';
import { sanitise } from './sanitise.ts';

/** An agent hears of what was refused for a day, and of the newest. */
const HEARD_MS = 24 * 3_600_000;
const LINES_MAX = 3;

/** What an agent proposed and was refused since, so that it can say it again, rightly. It is the agent's own: no lineage. */
export function refusedLines(
  refused: readonly RefusedDraft[],
  agent: string,
  now: number,
): BriefLine[] {
  return refused
    .filter(({ draft, at }) => draft.agent === agent && toMs(at) + HEARD_MS > now)
    .slice(0, LINES_MAX)
    .map(({ draft, code, message, at }) => {
      const said = draft.kind === 'claim' ? draft.statement : draft.basis;
      const why = `${sanitise(message, 200)} (${sanitise(code, 60)})`;
      const text = `- “${sanitise(said, 140)}”: ${why}`;
      return { text, bytes: Buffer.byteLength(text) + 1, items: [], until: toMs(at) + HEARD_MS };
    });
}
