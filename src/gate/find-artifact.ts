import { sha256 } from '../base/hash.ts';
import { pathIn } from '../extract/body.ts';
import { repeats, wordLine } from '../extract/shingles.ts';
import type { ExcerptFound } from '../record/finding.ts';
import { repoUri } from '../record/knowledge.ts';
import type { Envelope } from '../runtime/envelope.ts';

type Artifact = NonNullable<ExcerptFound['artifact']>;

/** What was before an agent in an event: what a tool gave, or what somebody told it. */
function textBefore({ event_type, role, content, tool }: Envelope): string | undefined {
  const isTold = event_type === 'prompt' || role === 'user' || role === 'system';
  return tool?.result ?? (isTold ? content : undefined);
}

/** Where such a text comes from: a file of a repo, another file, a tool without one, or whoever wrote the prompt. */
function uriOf({ tool, repo, cwd }: Envelope): string {
  const [path] = tool?.paths ?? [];
  if (path === undefined) return tool === undefined ? 'prompt:' : `tool:${tool.name ?? ''}`;
  const inside = pathIn(cwd, path);
  return repo !== undefined && inside !== undefined ? repoUri(repo, inside) : `file:${path}`;
}

const artifactIn = (event: Envelope, text: string): Artifact => ({
  uri: uriOf(event).normalize('NFC').slice(0, 4_096),
  revision: sha256(Buffer.from(text)).toString('hex'),
});

/**
 * What an excerpt was read from, and at which revision: of a tool's answer about a file that file; of what an agent says itself
 * the first text before it that holds the statement nearly word by word. Undefined for what was nobody's before.
 */
export function artifactOf(
  statement: string,
  events: readonly Envelope[],
  position: number,
): Artifact | undefined {
  const cited = events[position];
  const result = cited?.tool?.result;
  if (cited && result !== undefined && (cited.tool?.paths ?? []).length > 0)
    return artifactIn(cited, result);
  for (const event of events.slice(0, position)) {
    const text = textBefore(event);
    if (text !== undefined && repeats(lineOf(event, text), statement))
      return artifactIn(event, text);
  }
  return undefined;
}

/** Each event is looked through once for every claim of its session. */
const lines = new WeakMap<Envelope, string>();

function lineOf(event: Envelope, text: string): string {
  const known = lines.get(event) ?? wordLine(text);
  lines.set(event, known);
  return known;
}
