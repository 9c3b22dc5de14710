import { codeOf } from '../../base/errors.ts';
import { findRunning, type RunningView } from '../../query/running.ts';
import { findSession, type SessionView } from '../../query/session.ts';
import type { Sql } from '../../snapshot/port.ts';
import type { Context } from './context.ts';

/** Opens what an id means: as it was typed, as a fence writes it (`digest:2a80…`), or in capitals. */
export function opened<T>(typed: string, open: (id: string) => T): T {
  const bare = typed.replace(/^(?:digest|session|handoff|claim):/i, '');
  const [last, ...before] = [...new Set([typed, bare, bare.toLowerCase()])].reverse();
  for (const id of before.reverse()) {
    try {
      return open(id);
    } catch (error) {
      if (!codeOf(error).endsWith('.missing')) throw error;
    }
  }
  return open(last ?? bare);
}

/** What is known of a session that nobody has sealed yet: from the roster, or of this home's own by its whole id. */
function runningSession(context: Context, id: string): RunningView | undefined {
  const found = findRunning(context.liveAgents(), id);
  const captured = found ? undefined : context.captured(id);
  if (!captured) return found;
  const agent = context.home().settings.agents[captured.runtime] ?? 'unconfigured';
  return { ...captured, agent };
}

/** The sealed session that an id means, else the one that runs. Throws as `findSession` does. */
export function findAnySession(context: Context, sql: Sql, id: string): SessionView | RunningView {
  try {
    return findSession(sql, id);
  } catch (error) {
    const running = codeOf(error) === 'session.missing' ? runningSession(context, id) : undefined;
    if (running) return running;
    throw error;
  }
}
