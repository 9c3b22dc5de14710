import { shortId } from '../../base/short-id.ts';
import type { TranscriptSource } from '../transcript.ts';

/** A transcript's path below `projects/` → the session that it holds; undefined for other files. */
export function transcriptSource(relativePath: string): TranscriptSource | undefined {
  const parts = relativePath.split('/');
  const name = /^(.{1,200})\.jsonl$/.exec(parts.at(-1) ?? '')?.[1];
  if (name === undefined) return undefined;
  if (parts.length === 2) return { session: shortId(name) };
  // <project>/<session>/subagents/agent-<id>.jsonl
  const agent = /^agent-(.+)$/.exec(name)?.[1];
  const parent = parts[1];
  if (agent === undefined || parent === undefined || parts[2] !== 'subagents') return undefined;
  return { session: `${shortId(parent)}:${shortId(agent)}`, parent: shortId(parent) };
}
