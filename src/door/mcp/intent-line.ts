import { toInstant } from '../../base/time.ts';
import { line } from '../../brief/lines.ts';
import { safeId, safeName, sanitise } from '../../brief/sanitise.ts';
import type { BriefLine, Intent } from '../../capture/brief-file.ts';

/** What another session works on. What is said of a running session is of its session, as a digest would be. */
export function intentLine({ agent, session, repo, path, until, reason }: Intent): BriefLine {
  const why = reason === undefined ? 'edited it lately' : `“${sanitise(reason, 200)}”`;
  const ends = `until ${toInstant(until).slice(11, 16)} UTC`;
  const text = `- [${safeName(agent, 40)}, ${ends}] (${safeId(session)}) ${sanitise(path, 200)} in ${sanitise(repo, 120)}: ${why}`;
  const item = {
    kind: 'digest' as const,
    id: safeId(session, 200),
    source: session,
    observed_by: agent,
  };
  return line(text, [item], until);
}
