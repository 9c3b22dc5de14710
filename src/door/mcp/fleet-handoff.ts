import * as z from 'zod';
import { toInstant } from '../../base/time.ts';
import { defined } from '../../base/unknown.ts';
import { draftHandoff, HandoffDraft, handoffBody } from '../../handoff/handoff.ts';
import { hostIdIn } from '../../home/home.ts';
import { recordId } from '../../record/record.ts';
import { redactionOf } from '../cli/said.ts';
import { speakerOf } from './caller.ts';
import { tool } from './tool.ts';

const Text = z.string().trim().min(1).max(65_536);

/** Leaves a note for whoever comes next: what happened, never a belief. */
export const fleetHandoff = tool({
  name: 'fleet_handoff',
  title: 'Leave a note for whoever works here next',
  description:
    'Leaves a short note of this session for the next one in this repo: what was done and what failed, how far it is, what is left. Once, at the end.',
  reads: false,
  repeatable: false,
  input: z.strictObject({
    summary: Text.describe('what was done, and what failed'),
    status: HandoffDraft.shape.status.describe('how far the work is'),
    next: Text.optional().describe('what is left to do'),
  }),
  output: z.object({
    state: z.literal('queued'),
    id: z.string().describe('of the handoff, once it is sent'),
    name: z.string().describe('its name in the queue'),
    agent: z.string(),
    repo: z.string().optional(),
  }),
  run(context, { summary, status, next }) {
    const { session, runtime, repo, agent } = speakerOf(context, 'a handoff');
    const { world, keys } = context.home();
    const written_at = toInstant(world.now());
    const draft = draftHandoff(
      { session, agent, runtime, status, summary, written_at, ...defined({ repo, next }) },
      redactionOf(context),
    );
    const { address } = keys.signer(`agent-${agent}`);
    // The record is a function of the note, so that its id is known before it is signed and sent.
    const id = recordId('handoff', handoffBody(draft, { address, host: hostIdIn(context.home()) }));
    const name = context.local.queueHandoff(draft);
    const text = `queued as handoff ${id.slice(0, 12)}: the next sync signs and sends it; the next session in this repo is told`;
    return { text, value: { state: 'queued' as const, id, name, agent, ...defined({ repo }) } };
  },
});
