import { CredenceError } from '../../base/errors.ts';
import { READING_MODE } from '../../base/mode.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { agentsRead } from '../../home/home.ts';
import { type ClaimView, getClaim } from '../../query/claims.ts';
import { firstCited } from '../../query/claims-for.ts';
import { mayRead } from '../../query/readable.ts';
import type { ClaimsSought } from '../../query/search.ts';
import { meta, readerOf } from '../../snapshot/database.ts';
import type { Sql } from '../../snapshot/port.ts';
import type { Context } from './context.ts';
import { recordViews, shownClaim } from './shown-views.ts';

/** Who looks at claims: a person, who sees all, or an agent inside its session, who sees what agents may. */
export interface ClaimReader {
  /** Undefined for a person. */
  readonly agent: string | undefined;
  readonly maySee: (claim: ClaimView) => boolean;
  readonly searches: ClaimsSought;
  /** What an agent is to know of what it is not shown; undefined where nothing is held back. */
  readonly note: string | undefined;
}

/** True where agents read claims: by the settings, and by what was built for them. */
function isOn(context: Context): boolean {
  const built = context.tryRead('agent', (sql) => meta(sql, 'mode'));
  return built === READING_MODE && agentsRead(context.home());
}

/** What agents read of the ledger without reading a claim, of what can be erased. */
const NO_CLAIMS: readonly string[] = ['handoff', 'artifact-change'];

/**
 * Refuses to an agent the bytes of what it is not shown elsewhere: a claim that it may not read, and what is said of one.
 * Throws `claim.unread`; what it may read is recorded as shown.
 */
export function assertMayProve(context: Context, seq: number): void {
  if (!context.local.callingSession()) return;
  const shown = context.read('state', (sql) => {
    const reader = readerOf(sql);
    const row = reader.get('contents', String(seq));
    if (!row || NO_CLAIMS.includes(row.context)) return [];
    const now = context.home().world.now();
    const claim = row.about === null ? undefined : getClaim(reader, row.about, { now });
    const { maySee, note } = claimReader(context, fleetSpace(sql));
    if (claim && maySee(claim)) return [shownClaim(claim, firstCited(reader, claim.id))];
    const what = note ?? `position ${seq} holds ${row.context}: agents do not read this one`;
    throw new CredenceError('forbidden', 'claim.unread', what, {
      next: 'ask a person, who sees every claim',
    });
  });
  recordViews(context, 'prove', shown);
}

/** The fleet's own space. */
export function fleetSpace(sql: Sql): string {
  return readerOf(sql).get('fleet', 'fleet')?.fleet_id ?? '';
}

/** Who runs this command, as far as claims go. `space` is the fleet's own. */
export function claimReader(context: Context, space: string): ClaimReader {
  const calling = context.local.callingSession();
  if (!calling) {
    return { agent: undefined, maySee: () => true, searches: 'all', note: undefined };
  }
  const agent = context.home().settings.agents[calling.runtime] ?? UNCONFIGURED;
  const isOwn = ({ observedBy }: ClaimView) => observedBy === agent;
  if (isOn(context)) {
    const maySee = (claim: ClaimView) => isOwn(claim) || mayRead(claim, agent, space);
    return { agent, maySee, searches: { agent }, note: undefined };
  }
  const mode = context.home().settings['summarize.mode'];
  return {
    agent,
    maySee: isOwn,
    searches: 'none',
    note: `agents read no claims here: summarize.mode is ${mode}, and a person has to set it to ${READING_MODE}. What ${agent} claims itself is shown.`,
  };
}
