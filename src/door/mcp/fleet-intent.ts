import { relative, resolve } from 'node:path';
import * as z from 'zod';
import { CredenceError } from '../../base/errors.ts';
import { truncateUtf8 } from '../../base/text.ts';
import { toInstant } from '../../base/time.ts';
import { type Announced, covers } from '../../capture/announced.ts';
import { isPartOf } from '../../capture/answer.ts';
import { INTENT_MS_MAX } from '../../live/observe.ts';
import { ownWords } from '../cli/said.ts';
import { type Caller, speakerOf } from './caller.ts';
import { intentLine } from './intent-line.ts';
import { Shown, show } from './shown.ts';
import { type ToolContext, tool } from './tool.ts';

const PATHS_MAX = 20;
/** How the repo of a folder without git begins. */
const NO_GIT = 'dir:';
const REASON_BYTES_MAX = 300;
const TTL_SECS_MAX = INTENT_MS_MAX / 1_000;

/** Where a path lies, as others name it: in a checkout, or below the folder without git that the session works in. */
function placeOf(context: ToolContext, caller: Caller, path: string) {
  const file = resolve(path);
  const found = context.local.placeOf(file);
  if (found && !found.repo.startsWith(NO_GIT)) return found;
  const inside = relative(process.cwd(), file);
  const isBelow = inside !== '' && !inside.startsWith('..');
  const isHere = caller.repo !== undefined && context.local.repoOf(process.cwd()) === caller.repo;
  return isBelow && isHere ? { repo: caller.repo ?? '', path: inside } : undefined;
}

/** All of them. Throws `intent.path` for what lies in no repo. */
function placed(
  context: ToolContext,
  caller: Caller,
  paths: readonly string[],
): Announced['intents'] {
  return paths.map((path) => {
    const found = placeOf(context, caller, path);
    if (!found) {
      const what = `${JSON.stringify(path)} is in no repo that others know`;
      throw new CredenceError('usage', 'intent.path', what, {
        next: 'name files or folders below the top of a checkout, absolute or from where this session began',
      });
    }
    const isFolder = /[/\\]$/.test(path);
    return { repo: found.repo, path: ownWords(context, isFolder ? `${found.path}/` : found.path) };
  });
}

/** Says what a session is about to work on. Who edits a file is seen by itself; this is for before. */
export const fleetIntent = tool({
  name: 'fleet_intent',
  title: 'Say what you are about to work on',
  description:
    'Tells other sessions which paths you are about to work on, so that they are warned before they edit them; answers with who works there already. Not needed for edits: those are seen. Nothing is locked.',
  reads: false,
  repeatable: true,
  input: z.strictObject({
    paths: z
      .array(z.string().min(1).max(4_096))
      .min(1)
      .max(PATHS_MAX)
      .describe('files, or folders with a / at the end'),
    reason: z.string().trim().min(1).max(1_000).describe('what for, in a few words'),
    ttl_secs: z.int().min(60).max(TTL_SECS_MAX).default(1_800).describe('for how long'),
  }),
  output: Shown.extend({
    state: z.literal('queued'),
    paths: z.array(z.object({ repo: z.string(), path: z.string() })),
    until: z.string(),
  }),
  run(context, { paths, reason, ttl_secs }) {
    const caller = speakerOf(context, 'an intent');
    const now = context.home().world.now();
    const intents = placed(context, caller, paths);
    const until = toInstant(now + ttl_secs * 1_000);
    const why = truncateUtf8(ownWords(context, reason), REASON_BYTES_MAX);
    if (!context.local.recordIntents({ intents, reason: why, until })) {
      throw new CredenceError(
        'forbidden',
        'capture.paused',
        'nothing of this session is captured now',
        {
          next: 'a person lifts the pause; `credence status` says where it was set',
        },
      );
    }
    const others = context
      .liveIntents()
      .filter(({ session, until: end }) => end > now && !isPartOf(caller.session, session))
      .filter((one) =>
        intents.some(({ repo, path }) => repo === one.repo && covers(one.path, path)),
      );
    const notes = [`queued: the next sync tells others, until ${until.slice(11, 16)} UTC`];
    const shown = show(context, 'fleet_intent', others.map(intentLine), {
      notes,
      as_of: undefined,
      more: false,
      empty: 'nobody else is known to work there',
    });
    const value = { ...shown.value, state: 'queued' as const, paths: [...intents], until };
    return { text: shown.text, value };
  },
});
