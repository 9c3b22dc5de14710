import * as z from 'zod';
import type { ProposalDraft } from '../../extract/draft.ts';
import type { Reply, ToolContext } from './tool.ts';

/** What a tool answers that puts something into a queue of this machine. */
export const Queued = z.object({
  state: z.literal('queued'),
  name: z.string().describe('its name in the queue'),
  agent: z.string().describe('who says it'),
});

/** Puts a draft into the queue of the next sync, which signs and sends it. */
export function queueDraft(
  context: ToolContext,
  draft: ProposalDraft,
): Reply<z.output<typeof Queued>> {
  const name = context.local.queueProposal(draft);
  const { agent } = draft;
  const text = `queued as ${name}: the next sync looks up what it cites, signs it as ${agent} and sends it; fleet_status says what was refused`;
  return { text, value: { state: 'queued', name, agent } };
}
