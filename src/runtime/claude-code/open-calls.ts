import { defined, jsonOf, listOf, objectOf, textOf } from '../../base/unknown.ts';
import type { Asked, ToolCall } from '../envelope.ts';

/** Calls whose results have not come yet, by native key, the oldest first. */
export type OpenCalls = Map<string, Asked>;

/** Results stand close to their calls; one that is never answered is forgotten in time. */
const CALLS_MAX = 256;
const LENGTH_MAX = 1024 * 1024;
/** Of one call: above it, nobody can say what it touched. */
const CALL_LENGTH_MAX = 64 * 1024;

/** Long texts that built-in tools write or look for: they name no file, and are no command. */
const CONTENT = new Set(['content', 'old_string', 'new_string', 'prompt']);

/** Remembers what a call asked, so that its result can be judged by it. */
export function openCall(open: OpenCalls, key: string, tool: ToolCall, cwd: string | undefined) {
  open.delete(key);
  const input = tool.input === undefined ? undefined : withoutContent(tool.input);
  if (input === undefined) return;
  open.set(key, defined({ input, paths: tool.paths, cwd }));
  let length = 0;
  for (const asked of open.values()) length += asked.input.length;
  for (const [oldest, asked] of open) {
    if (open.size <= CALLS_MAX && length <= LENGTH_MAX) return;
    open.delete(oldest);
    length -= asked.input.length;
  }
}

/** What the call asked whose result has come; unknown where it was too long, or too long ago. */
export function closeCall(open: OpenCalls, key: string): Asked | 'unknown' {
  const asked = open.get(key) ?? 'unknown';
  open.delete(key);
  return asked;
}

/** The calls of a saved state; what is none is passed over. */
export function savedCalls(saved: unknown): OpenCalls {
  const open: OpenCalls = new Map();
  for (const pair of listOf(saved)) {
    const [key, asked] = listOf(pair);
    const { input, paths, cwd } = objectOf(asked);
    if (typeof key !== 'string' || typeof input !== 'string') continue;
    const named = listOf(paths).filter((path) => typeof path === 'string');
    open.set(key, {
      input,
      ...defined({ paths: named.length > 0 ? named : undefined, cwd: textOf(cwd) }),
    });
  }
  return open;
}

function withoutContent(json: string): string | undefined {
  if (json.length <= CALL_LENGTH_MAX) return json;
  const short = shortened(json);
  return short === undefined || short.length > CALL_LENGTH_MAX ? undefined : short;
}

function shortened(json: string): string | undefined {
  try {
    const kept: unknown = JSON.parse(json, (key, value: unknown) =>
      typeof value === 'string' && CONTENT.has(key) ? '' : value,
    );
    return jsonOf(kept);
  } catch {
    // Nested too deeply to be walked through.
    return undefined;
  }
}
