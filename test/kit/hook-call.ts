import { expect } from 'vitest';
import type { BriefFile } from '../../src/capture/brief-file.ts';
import { type HookResult, handleHook } from '../../src/capture/hook.ts';
import { briefPath } from '../../src/capture/paths.ts';
import type { HookSettings } from '../../src/capture/settings.ts';
import type { SpoolLine } from '../../src/capture/spool.ts';
import { parseSpool } from '../../src/lake/read-spool.ts';
import { formatAnswer } from '../../src/runtime/claude-code/answer.ts';
import { readHook } from '../../src/runtime/claude-code/hook.ts';
import type { HookedRuntime } from '../../src/runtime/hooked.ts';
import { hookSettings } from './hook-process.ts';
import { type MemoryFiles, memoryFiles } from './memory-files.ts';

/** When the hooks of a test run. */
export const NOW = 1_772_600_000_000;

/** A checkout at `/w`. */
export const GIT = {
  '/w/.git/config': '[remote "origin"]\nurl = git@github.com:acme/web.git',
  '/w/.git/HEAD': 'ref: refs/heads/main',
  '/w/src/a.ts': '',
};

/** What the briefing of the checkout puts before the agent. */
export const ITEM = { kind: 'digest' as const, id: 'd1', source: 's0', observed_by: 'cc-02' };
const brief: BriefFile = {
  version: 1,
  position: 1,
  rendered_at: '2026-03-04T05:06:07.890Z',
  mode: 'agent',
  lines: [{ text: '- one', bytes: 6, items: [ITEM] }],
  triggers: [],
};

/** Where the briefing of the checkout lies. */
export const BRIEF_PATH = briefPath('cc-01', 'github.com/acme/web');
/** A briefing there. */
export const BRIEF = { [BRIEF_PATH]: JSON.stringify(brief) };

/** The runtime of these hooks. */
export const RUNTIME: HookedRuntime = { readHook, formatAnswer };

let drawn = 0;
/** Calls the hook in this process, over files in memory. */
export function hook(
  event: string,
  received: Uint8Array | string,
  files: MemoryFiles = memoryFiles(GIT),
  set: Partial<HookSettings> = {},
  { runtime = RUNTIME, size }: { readonly runtime?: HookedRuntime; readonly size?: number } = {},
): HookResult {
  const world = {
    now: () => NOW,
    random: (bytes: number) => Buffer.alloc(bytes, String(++drawn).padStart(8, '0')),
  };
  const parts = {
    files,
    world,
    settings: hookSettings(set),
    secret: () => Buffer.alloc(32, 1),
    ...(size === undefined ? {} : { size }),
  };
  return handleHook(
    'claude-code',
    runtime,
    event,
    typeof received === 'string' ? Buffer.from(received) : received,
    parts,
  );
}

/** What the runtime writes for an event of session `s1`. */
export const payload = (event: string, fields: object = {}): string =>
  JSON.stringify({
    hook_event_name: event,
    session_id: 's1',
    cwd: '/w',
    transcript_path: '/t/s1.jsonl',
    ...fields,
  });

/** The lines of all spool files, none of which is torn. */
export const spooledIn = (files: MemoryFiles): SpoolLine[] =>
  [...files.files]
    .filter(([path]) => path.startsWith('spool/'))
    .flatMap(([, text]) => {
      const { lines, torn } = parseSpool(text);
      expect(torn).toBe(0);
      return lines;
    });
