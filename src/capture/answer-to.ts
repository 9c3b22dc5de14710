import type { HookReading } from '../runtime/hook.ts';
import type { Checkout } from '../runtime/repo.ts';
import { toolKind } from '../runtime/tool-kind.ts';
import {
  type AnswerWithLineage,
  collision,
  reminder,
  SILENT,
  shownBrief,
  startContext,
} from './answer.ts';
import type { BriefFile, LiveFile } from './brief-file.ts';
import type { Fenced } from './fence.ts';
import { nudge } from './nudge.ts';
import { briefPath, LIVE_PATH } from './paths.ts';
import type { HookFiles } from './port.ts';
import { readsDenied } from './redact.ts';
import { type HookSettings, UNCONFIGURED } from './settings.ts';

/** What the answer may rest on: small files that the follower rendered, and the event itself. */
export interface Ground {
  readonly runtimeName: string;
  readonly checkout: Checkout | undefined;
  readonly now: number;
  readonly settings: HookSettings;
  readonly files: HookFiles;
  readonly exclude: readonly string[];
}

function readJson<T extends { readonly version: number }>(
  files: HookFiles,
  path: string,
): T | undefined {
  const text = files.read(path);
  if (text === undefined) return undefined;
  try {
    const value = JSON.parse(text) as T;
    return value.version === 1 ? value : undefined;
  } catch {
    // A file of ours that is damaged is rendered again by the next sync; the agent goes without until then.
    return undefined;
  }
}

function context(fenced: Fenced | undefined): AnswerWithLineage {
  return fenced
    ? { answer: { kind: 'context', text: fenced.text }, injected: fenced.items }
    : SILENT;
}

/** Chooses the answer. Reads nothing but small rendered files; decides nothing that the event does not show. */
export function answerTo(reading: HookReading, ground: Ground): AnswerWithLineage {
  const { event } = reading;
  const { settings, files, now, checkout } = ground;
  const agent = settings.agents[ground.runtimeName] ?? UNCONFIGURED;
  const brief = () => {
    if (checkout === undefined) return undefined;
    const file = readJson<BriefFile>(files, briefPath(agent, checkout.repo));
    return file && shownBrief(file, settings.claims);
  };
  switch (reading.moment) {
    case 'start': {
      const file = brief();
      return file ? context(startContext(file, event.session_id, now)) : SILENT;
    }
    case 'prompt': {
      const file = brief();
      return file ? context(reminder(file, event.content ?? '', event.session_id, now)) : SILENT;
    }
    case 'before_tool':
      return beforeTool(reading, ground);
    case 'turn_end':
      return settings.handoffs && !reading.repeated
        ? nudge(ground.runtimeName, event.session_id, settings, files)
        : SILENT;
    default:
      return SILENT;
  }
}

function beforeTool(reading: HookReading, ground: Ground): AnswerWithLineage {
  const { tool, cwd, session_id: session } = reading.event;
  if (tool === undefined) return SILENT;
  const deniedPaths = [...ground.settings.denied_paths, ...ground.exclude];
  if (ground.settings.refuse_denied && readsDenied(tool, { deniedPaths, cwd })) {
    return {
      answer: {
        kind: 'refuse',
        reason: 'Credence: this path is denied to agents by the settings of this machine.',
      },
      injected: [],
    };
  }
  const { checkout } = ground;
  const path = tool.paths?.[0];
  if (checkout === undefined || path === undefined || toolKind(tool.name) !== 'edit') return SILENT;
  const live = readJson<LiveFile>(ground.files, LIVE_PATH);
  const inside = path.startsWith(`${checkout.root}/`)
    ? path.slice(checkout.root.length + 1)
    : undefined;
  if (!live || inside === undefined) return SILENT;
  const warning = collision(live, { repo: checkout.repo, path: inside, session }, ground.now);
  return warning === undefined
    ? SILENT
    : { answer: { kind: 'context', text: warning }, injected: [] };
}
