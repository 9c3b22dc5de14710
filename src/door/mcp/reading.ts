import * as z from 'zod';
import { READING_MODE } from '../../base/mode.ts';
import { needsVerifying } from '../../brief/knowledge.ts';
import { claimLine, handoffLine, type LineGround, sessionLine } from '../../brief/lines.ts';
import type { BriefLine } from '../../capture/brief-file.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { agentsRead } from '../../home/home.ts';
import { getClaim, horizonOf } from '../../query/claims.ts';
import { reachOf } from '../../query/claims-for.ts';
import { getHandoff, offersOf } from '../../query/handoff.ts';
import type { ClaimsSought } from '../../query/search.ts';
import { familyOf } from '../../query/session.ts';
import { shownId } from '../../query/shown-id.ts';
import { meta, readerOf } from '../../snapshot/database.ts';
import type { DocumentKind } from '../../snapshot/document.ts';
import { positionOf } from '../../snapshot/follow.ts';
import type { Sql } from '../../snapshot/port.ts';
import { type Caller, callerOf } from './caller.ts';
import type { ToolContext } from './tool.ts';

/** The agents' snapshot, open for one call of a tool, and who calls. */
export interface Opened {
  readonly sql: Sql;
  readonly ground: LineGround;
  readonly caller: Caller | undefined;
  /** Whose claims are looked through: none where agents read none. */
  readonly claims: ClaimsSought;
}

/** How many entries of the ledger an answer knows, and when this machine synced last. */
export const AsOf = z.object({ position: z.int(), synced_at: z.string().optional() });

/** True where agents read claims: by the settings, and by what was built for them. */
export function readsClaims(context: ToolContext, sql: Sql): boolean {
  return meta(sql, 'mode') === READING_MODE && agentsRead(context.home());
}

/** What an agent is to know of what it is not shown. */
function heldBack(context: ToolContext, sql: Sql): string[] {
  if (readsClaims(context, sql)) return [];
  const mode = context.home().settings['summarize.mode'];
  return [
    `claims are not read here: summarize.mode is ${mode}, and a person has to set it to ${READING_MODE}`,
  ];
}

/** What a snapshot answered. */
export interface Answered<T> {
  readonly found: T | undefined;
  readonly notes: readonly string[];
  readonly as_of: z.output<typeof AsOf> | undefined;
}

/** Asks the agents' snapshot. Where there is none yet nothing is found, and a note says so. */
export function ask<T>(context: ToolContext, body: (opened: Opened) => T): Answered<T> {
  const caller = callerOf(context);
  const now = context.home().world.now();
  const live = context.liveAgents();
  const running = live.flatMap(({ sessions }) => sessions.map(({ session }) => session));
  const answered = context.tryRead('agent', (sql): Answered<T> => {
    const ground: LineGround = {
      live,
      now,
      shownId: (kind, key) => shownId(sql, kind, key, kind === 'session' ? running : []),
      offersOf: (handoff) => offersOf(sql, handoff),
    };
    const claims = readsClaims(context, sql) ? { agent: caller?.agent ?? UNCONFIGURED } : 'none';
    const synced_at = context.home().lastSync()?.at;
    return {
      found: body({ sql, ground, caller, claims }),
      notes: heldBack(context, sql),
      as_of: { position: positionOf(sql), ...(synced_at === undefined ? {} : { synced_at }) },
    };
  });
  const note = 'nothing was followed on this machine yet: `credence sync --once` does it';
  return answered ?? { found: undefined, notes: [note], as_of: undefined };
}

/** The line of what was found; undefined where it is gone meanwhile. */
export function lineOf(
  { sql, ground, caller }: Opened,
  { kind, id }: { readonly kind: DocumentKind; readonly id: string },
): BriefLine | undefined {
  if (kind === 'session') {
    const family = familyOf(sql, id);
    return family && sessionLine(family, ground);
  }
  if (kind === 'handoff') {
    const handoff = getHandoff(sql, id);
    return handoff && handoffLine(handoff, ground);
  }
  const reader = readerOf(sql);
  const claim = getClaim(reader, id, { now: ground.now, ofAgents: true });
  if (!claim) return undefined;
  const whom = { agent: caller?.agent ?? UNCONFIGURED, repo: caller?.repo ?? '' };
  const { segment } = claim.scope;
  const reach = reachOf(claim, whom) ?? (segment === null ? 'fleet' : 'elsewhere');
  const horizon =
    horizonOf(reader, claim.scope) ?? horizonOf(reader, { ...claim.scope, segment: null });
  return claimLine(sql, { claim, reach }, needsVerifying(claim, horizon));
}
