import { fleetHandoff } from './fleet-handoff.ts';
import { fleetHistory } from './fleet-history.ts';
import { fleetIntent } from './fleet-intent.ts';
import { fleetStatus } from './fleet-status.ts';
import { memoryEndorse } from './memory-endorse.ts';
import { memoryPropose } from './memory-propose.ts';
import { memorySearch } from './memory-search.ts';
import { memoryTimeline } from './memory-timeline.ts';
import type { Profile, Tool } from './tool.ts';

const TOOLS: readonly Tool[] = [
  fleetStatus,
  fleetIntent,
  fleetHistory,
  fleetHandoff,
  memorySearch,
  memoryTimeline,
  memoryPropose,
  memoryEndorse,
];

/** The tools of a profile, in the order in which they are listed. */
export function toolsOf(profile: Profile): readonly Tool[] {
  return TOOLS.filter(({ reads }) => profile === 'default' || reads);
}
