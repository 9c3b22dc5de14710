import { toInstant, toMs } from '../base/time.ts';
import type { World } from '../base/world.ts';
import type { BriefFile, LiveFile } from '../capture/brief-file.ts';
import { briefPath, LIVE_PATH } from '../capture/paths.ts';
import type { LiveAgent, LiveIntents } from '../live/live.ts';
import { listHandoffs } from '../query/handoff.ts';
import { listSessions } from '../query/session.ts';
import { positionOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import { composeBrief } from './brief.ts';

/** More than a briefing has room for: the composition chooses. */
const SESSIONS_MAX = 60;
const HANDOFFS_MAX = 20;

/** Where rendered files go: relative to the product's folder, beside and then renamed. */
export interface RenderedFiles {
  write(path: string, text: string): void;
}

/** The briefing of one agent in one repo, from the agents' snapshot and the roster. */
export function briefFile(
  snapshot: Sql,
  at: {
    readonly agent: string;
    readonly repo: string;
    readonly live: readonly LiveAgent[];
    readonly now: number;
  },
): BriefFile {
  const { repo, live, now } = at;
  const sessions = listSessions(snapshot, { repo, limit: SESSIONS_MAX });
  const handoffs = listHandoffs(snapshot, { repo, waiting: true, limit: HANDOFFS_MAX });
  const { lines, triggers } = composeBrief({ repo, sessions, handoffs, live, now });
  return {
    version: 1,
    position: positionOf(snapshot),
    rendered_at: toInstant(now),
    lines,
    triggers,
  };
}

/** Writes the briefing files of the given agents and repos, and `live.json`. */
export function publishBriefs(
  snapshot: Sql,
  files: RenderedFiles,
  what: {
    readonly agents: readonly string[];
    readonly repos: readonly string[];
    readonly live: readonly LiveAgent[];
    readonly intents: readonly LiveIntents[];
    readonly world: World;
  },
): number {
  const now = what.world.now();
  for (const agent of what.agents) {
    for (const repo of what.repos) {
      const file = briefFile(snapshot, { agent, repo, live: what.live, now });
      files.write(briefPath(agent, repo), JSON.stringify(file));
    }
  }
  const intents = what.intents.flatMap((host) =>
    host.intents.map((intent) => ({ ...intent, agent: host.agent, until: toMs(intent.until) })),
  );
  const live: LiveFile = { version: 1, intents: intents.filter((intent) => intent.until > now) };
  files.write(LIVE_PATH, JSON.stringify(live));
  return what.agents.length * what.repos.length;
}
