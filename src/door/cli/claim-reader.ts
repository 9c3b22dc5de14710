import { READING_MODE } from '../../base/mode.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import { agentsRead } from '../../home/home.ts';
import type { ClaimView } from '../../query/claims.ts';
import { mayRead } from '../../query/readable.ts';
import type { ClaimsSought } from '../../query/search.ts';
import { meta } from '../../snapshot/database.ts';
import type { Context } from './context.ts';

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
