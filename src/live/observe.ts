import { truncateUtf8 } from '../base/text.ts';
import { type Instant, toInstant, toMs } from '../base/time.ts';
import { stripFences } from '../capture/fence.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { toolKind } from '../runtime/tool-kind.ts';
import type { LiveIntents, LiveSession } from './live.ts';

/** Without a daemon a session is live until its end, or until this much silence. */
export const LIVE_MS = 30 * 60_000;
const ASKED_BYTES_MAX = 160;
const SHOWN_MAX = 200;

type Intent = LiveIntents['intents'][number];

/** What the spool shows of a session: undefined once it ended or fell silent. */
export function liveSession(lines: readonly SpoolLine[], now: number): LiveSession | undefined {
  const first = lines[0]?.envelope;
  const last = lines.at(-1)?.envelope;
  if (!first || !last || last.event_type === 'session_end') return undefined;
  if (now - toMs(last.emitted_at) > LIVE_MS) return undefined;
  const prompt = lines.findLast((line) => line.envelope.event_type === 'prompt')?.envelope.content;
  const asked = prompt === undefined ? '' : stripFences(prompt).replace(/\s+/g, ' ').trim();
  const shown = lines
    .flatMap((line) => line.envelope.injected_context ?? [])
    .map((item) => `${item.kind}:${item.id}`);
  return {
    session: first.session_id,
    ...(last.repo === undefined ? {} : { repo: last.repo }),
    ...(last.branch === undefined ? {} : { branch: last.branch }),
    started_at: first.emitted_at,
    last_at: last.emitted_at,
    ...(asked === '' ? {} : { asked: truncateUtf8(asked, ASKED_BYTES_MAX) }),
    shown: [...new Set(shown)].slice(-SHOWN_MAX),
  };
}

/** The paths that a session edits, each until half an hour after its last edit. `root` is the top of its checkout. */
export function intentsOf(
  lines: readonly SpoolLine[],
  root: string | undefined,
  now: number,
): Intent[] {
  const until = new Map<string, { readonly at: Instant; readonly intent: Intent }>();
  for (const { envelope } of lines) {
    const { tool, repo, session_id, emitted_at } = envelope;
    if (toolKind(tool?.name) !== 'edit' || repo === undefined || root === undefined) continue;
    for (const path of tool?.paths ?? []) {
      if (!path.startsWith(`${root}/`) || toMs(emitted_at) + LIVE_MS < now) continue;
      const inside = path.slice(root.length + 1);
      const intent = {
        session: session_id,
        repo,
        path: inside,
        until: toInstant(toMs(emitted_at) + LIVE_MS),
      };
      until.set(inside, { at: emitted_at, intent });
    }
  }
  return [...until.values()].map(({ intent }) => intent);
}
