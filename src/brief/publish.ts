import { LIMIT } from '../base/limits.ts';
import { toInstant, toMs } from '../base/time.ts';
import type { BriefFile, BriefLine, Intent, LiveFile } from '../capture/brief-file.ts';
import { BRIEF_PATH, briefPath, LIVE_PATH, ROSTER_PATH } from '../capture/paths.ts';
import type { RefusedDraft } from '../extract/port.ts';
import type { LiveAgent } from '../live/live.ts';
import type { Roster } from '../live/roster.ts';
import { listHandoffs, offersOf } from '../query/handoff.ts';
import { listFamilies } from '../query/session.ts';
import { shownId } from '../query/shown-id.ts';
import { meta } from '../snapshot/database.ts';
import { positionOf } from '../snapshot/follow.ts';
import type { Sql } from '../snapshot/port.ts';
import { composeBrief, LATELY_MAX } from './brief.ts';
import { type ClaimLines, openClaims } from './claim-lines.ts';
import { refusedLines } from './refused-lines.ts';

/** More than a briefing has room for: the composition chooses. */
const HANDOFFS_MAX = 20;

/** More than `live.json` has around its list. */
const LIVE_FRAME_BYTES = 100;

/** Where rendered files go: relative to the product's folder, beside and then renamed. */
export interface RenderedFiles {
  write(path: string, text: string): void;
  /** Removes the files below a folder that are none of these. */
  keepOnly(folder: string, paths: ReadonlySet<string>): void;
}

/**
 * The briefing of a repo, from the agents' snapshot and the roster. But for its claims, which are those that reach one
 * agent, it is the same for each.
 */
export function briefFile(
  snapshot: Sql,
  at: {
    readonly repo: string;
    readonly live: readonly LiveAgent[];
    readonly now: number;
    readonly claims?: ClaimLines | undefined;
    readonly refused?: readonly BriefLine[] | undefined;
  },
): BriefFile {
  const { repo, live, now, claims, refused } = at;
  const running = live.flatMap((agent) => agent.sessions.map(({ session }) => session));
  const { lines, triggers } = composeBrief({
    repo,
    sessions: listFamilies(snapshot, repo, LATELY_MAX),
    handoffs: listHandoffs(snapshot, { repo, waiting: true, limit: HANDOFFS_MAX }),
    live,
    now,
    shownId: (kind, key) => shownId(snapshot, kind, key, kind === 'session' ? running : []),
    offersOf: (handoff) => offersOf(snapshot, handoff),
    claims,
    refused,
  });
  return {
    version: 1,
    position: positionOf(snapshot),
    rendered_at: toInstant(now),
    mode: meta(snapshot, 'mode') ?? 'none',
    lines,
    triggers,
  };
}

/** As many intents as a hook can read before each edit, the newest first: what it can't read whole warns of nothing. */
function newestThatFit(intents: readonly Intent[]): Intent[] {
  const kept: Intent[] = [];
  let room: number = LIMIT.live_json_bytes_max - LIVE_FRAME_BYTES;
  for (const intent of [...intents].sort((a, b) => b.until - a.until)) {
    room -= Buffer.byteLength(JSON.stringify(intent)) + 1;
    if (room < 0) break;
    kept.push(intent);
  }
  return kept;
}

/** Writes the briefing of each of this host's agents in each repo that is known, the roster, and `live.json`. */
export function publishBriefs(
  snapshot: Sql,
  files: RenderedFiles,
  of: {
    readonly agents: readonly string[];
    readonly roster: Roster;
    readonly now: number;
    /** What was refused of what they proposed. */
    readonly refused: readonly RefusedDraft[];
  },
): void {
  const { roster, now } = of;
  const open = openClaims(snapshot, now);
  // Handoffs that were taken count too: the file must stop to offer them.
  const known = snapshot.all(
    `SELECT repo FROM sessions WHERE repo IS NOT NULL
     UNION SELECT repo FROM handoffs WHERE repo IS NOT NULL`,
  );
  const live = roster.agents.flatMap((agent) =>
    agent.sessions.flatMap((session) => session.repo ?? []),
  );
  const named = known.map((row) => String(row['repo']));
  const repos = new Set([...named, ...live, ...(open?.repos ?? [])]);
  const agents = new Set(of.agents);
  const written = new Set<string>();
  for (const repo of agents.size > 0 ? repos : []) {
    const at = { repo, live: roster.agents, now };
    const same = open ? undefined : JSON.stringify(briefFile(snapshot, at));
    for (const agent of agents) {
      const refused = refusedLines(of.refused, agent, now);
      const own = { ...at, claims: open?.linesFor({ agent, repo }), refused };
      const text = refused.length > 0 ? undefined : same;
      files.write(briefPath(agent, repo), text ?? JSON.stringify(briefFile(snapshot, own)));
      written.add(briefPath(agent, repo));
    }
  }
  // Of a repo that is known no more, as where all that told of it was erased.
  files.keepOnly(BRIEF_PATH, written);
  const intents = roster.intents.flatMap((host) =>
    host.intents.map((intent) => ({ ...intent, agent: host.agent, until: toMs(intent.until) })),
  );
  const liveFile: LiveFile = {
    version: 1,
    intents: newestThatFit(intents.filter((intent) => intent.until > now)),
  };
  files.write(LIVE_PATH, JSON.stringify(liveFile));
  files.write(ROSTER_PATH, JSON.stringify({ version: 1, agents: roster.agents }));
}
