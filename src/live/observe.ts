import { truncateUtf8 } from '../base/text.ts';
import { toInstant, toMs } from '../base/time.ts';
import { defined, jsonIn, listOf, objectOf } from '../base/unknown.ts';
import { INTENT_DETAIL } from '../capture/announced.ts';
import type { SpoolLine } from '../capture/spool.ts';
import { latestOf } from '../lake/cut.ts';
import type { Manifest } from '../lake/manifest.ts';
import { toolKind } from '../runtime/tool-kind.ts';
import { LIVE_MAX, LiveIntent, type LiveSession } from './live.ts';

/** Without a daemon a session is live until its end, or until this much silence. */
export const LIVE_MS = 30 * 60_000;

/** For no longer than this can an agent announce what it works on: readers believe nobody who says more. */
export const INTENT_MS_MAX = 2 * LIVE_MS - 60_000;

/**
 * True where a moment lies less than `span` from now, on either side. One far ahead says only that some clock was
 * wrong; believed, it would hold until that clock's day.
 */
export function isWithin(span: number, at: number, now: number): boolean {
  return Math.abs(now - at) < span;
}

/**
 * What the spool shows of a session: undefined once it ended or fell silent. `manifest` knows what stood in the
 * parts that were cut before these lines.
 */
export function liveSession(
  lines: readonly SpoolLine[],
  manifest: Manifest | undefined,
  now: number,
): LiveSession | undefined {
  const first = lines[0]?.envelope;
  const last = lines.at(-1)?.envelope;
  if (!first || !last || last.event_type === 'session_end') return undefined;
  if (!isWithin(LIVE_MS, toMs(last.emitted_at), now)) return undefined;
  const { asked, shown = [] } = latestOf(lines, manifest);
  return {
    session: first.session_id,
    ...defined({
      repo: last.repo && truncateUtf8(last.repo, LIVE_MAX.repo),
      branch: last.branch && truncateUtf8(last.branch, LIVE_MAX.branch),
    }),
    started_at: manifest?.parts[0]?.first_at ?? first.emitted_at,
    last_at: last.emitted_at,
    ...defined({ asked }),
    // One that was cut would be another's.
    shown: shown.filter((item) => item.length <= LIVE_MAX.item),
  };
}

/** What a line says that its session is about to work on, as far as that holds: nobody keeps a path to itself for long. */
function announcedIn({ envelope }: SpoolLine, now: number): LiveIntent[] {
  const { detail, content = '', session_id: session } = envelope;
  if (envelope.event_type !== 'other' || detail !== INTENT_DETAIL) return [];
  const { intents, until, reason } = objectOf(jsonIn(content));
  return listOf(intents).flatMap((one) => {
    const { data } = LiveIntent.safeParse({ ...objectOf(one), session, until, reason });
    const isStanding = data && toMs(data.until) > now && toMs(data.until) <= now + INTENT_MS_MAX;
    return isStanding ? [data] : [];
  });
}

/**
 * The paths that a session edits, each until half an hour after its last edit, and those that it announced. `root` is the
 * top of its checkout.
 */
export function intentsOf(
  lines: readonly SpoolLine[],
  root: string | undefined,
  now: number,
): LiveIntent[] {
  const intents = new Map<string, LiveIntent>();
  const add = (intent: LiveIntent) => {
    const key = `${intent.repo}\n${intent.path}`;
    const before = intents.get(key);
    // Which holds longer is what counts; why it was announced stays with it.
    const until = before && before.until > intent.until ? before.until : intent.until;
    intents.set(key, { ...before, ...intent, until });
  };
  for (const line of lines) {
    const { envelope } = line;
    for (const intent of announcedIn(line, now)) add(intent);
    const { tool, repo, session_id: session, emitted_at } = envelope;
    if (toolKind(tool?.name) !== 'edit' || repo === undefined || root === undefined) continue;
    const at = toMs(emitted_at);
    if (!isWithin(LIVE_MS, at, now)) continue;
    for (const path of tool?.paths ?? []) {
      if (!path.startsWith(`${root}/`)) continue;
      const inside = path.slice(root.length + 1);
      add({ session, repo, path: inside, until: toInstant(at + LIVE_MS) });
    }
  }
  return [...intents.values()];
}
