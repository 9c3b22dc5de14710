import { toolKind } from '../runtime/tool-kind.ts';
import { type AnswerWithLineage, SILENT } from './answer.ts';
import { nudgedPath, spoolPath } from './paths.ts';
import type { HookFiles } from './port.ts';
import type { HookSettings } from './settings.ts';

/** Enough to see three tool calls, or an edit, near the end of a session's events. */
const TAIL_BYTES = 512 * 1024;
/** What follows the dot after a session's name: the names of other sessions can begin with it. */
const SPOOL_STATE = /^(?:ndjson|\d+\.(?:draining|sent))$/;
/** In the JSON of a spool line; quotes inside its texts are escaped, so that no text looks like this. */
const CALL_EVENT = '"event_type":"tool_call"';
const NAME = /"name":"([^"\\]{1,60})"/;
const CALL = /"native":\{"key":"(tool:[^"]{1,300})"/;

/** Real work, as digests count it: one edit, or three tool calls. */
function hasWorked(runtime: string, session: string, files: HookFiles): boolean {
  const path = spoolPath(runtime, session);
  const folder = path.slice(0, path.lastIndexOf('/'));
  const stem = path.slice(folder.length + 1).replace(/ndjson$/, '');
  const calls = new Set<string>();
  for (const name of files.names(folder)) {
    if (!name.startsWith(stem) || !SPOOL_STATE.test(name.slice(stem.length))) continue;
    for (const line of files.tail(`${folder}/${name}`, TAIL_BYTES).split('\n')) {
      if (!line.includes(CALL_EVENT)) continue;
      if (toolKind(NAME.exec(line)?.[1]) === 'edit') return true;
      const call = CALL.exec(line)?.[1];
      if (call !== undefined) calls.add(call);
      if (calls.size >= 3) return true;
    }
  }
  return false;
}

/** By the tool where one is registered, else by the command. */
function howTo(session: string, { handoff_tool: tool, handoff_command }: HookSettings): string {
  if (tool !== undefined)
    return `Call ${tool} once, with your own words: summary (what you did, and what failed), status (done, partial or blocked), next (what is left to do).`;
  const safe = session.replace(/[^A-Za-z0-9._:-]/g, '?');
  return [
    'Run this once, with your own words:',
    `${handoff_command} --session ${safe} --status done|partial|blocked --summary "what you did, and what failed" --next "what is left to do"`,
  ].join('\n');
}

/** Asks once a session, after real work, for a note to whoever comes next. */
export function nudge(
  runtime: string,
  session: string,
  settings: HookSettings,
  files: HookFiles,
): AnswerWithLineage {
  const marker = nudgedPath(session);
  if (files.kind(marker) !== undefined || !hasWorked(runtime, session, files)) return SILENT;
  // Marked before it is said: a nudge that cannot be remembered would be repeated at every turn.
  if (!files.mark(marker, '')) return SILENT;
  const reason = [
    'Before you finish, leave a short handoff for whoever works here next.',
    howTo(session, settings),
    'Then end your turn as you were about to. If there is nothing to hand over, end it now.',
  ].join('\n');
  return { answer: { kind: 'continue', reason }, injected: [] };
}
