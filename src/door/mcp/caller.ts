import { CredenceError } from '../../base/errors.ts';
import { UNCONFIGURED } from '../../capture/settings.ts';
import type { CapturedSession } from '../cli/context.ts';
import type { ToolContext } from './tool.ts';

/** The session that calls a tool, and the agent that runs it. */
export interface Caller extends CapturedSession {
  readonly agent: string;
}

/**
 * The session that the server's parents run, looked up at each call: a runtime goes on to another one without starting its
 * servers again. Undefined where no hook announced one.
 */
export function callerOf(context: ToolContext): Caller | undefined {
  const calling = context.local.callingSession();
  if (!calling) return undefined;
  const agent = context.home().settings.agents[calling.runtime] ?? UNCONFIGURED;
  const captured = context.captured(calling.session);
  const repo = captured?.repo ?? context.local.repoOf(process.cwd());
  return { ...calling, agent, repo };
}

/** The same, where what is said needs somebody who says it. Throws `session.unknown`, `agent.unconfigured`. */
export function speakerOf(context: ToolContext, what: string): Caller {
  const caller = callerOf(context);
  if (!caller) {
    throw new CredenceError(
      'configuration',
      'session.unknown',
      `${what} needs a session, and none was announced for the process that started this server`,
      {
        next: 'run `credence install claude-code` and begin a new session; until then `credence` in a terminal does the same',
      },
    );
  }
  if (caller.agent !== UNCONFIGURED) return caller;
  throw new CredenceError(
    'configuration',
    'agent.unconfigured',
    `${caller.runtime} has no agent id here, and nobody can sign ${what}`,
    { next: 'run `credence init`' },
  );
}
