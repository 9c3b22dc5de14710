import { LIMIT } from '../base/limits.ts';
import { truncateUtf8 } from '../base/text.ts';
import { toMs } from '../base/time.ts';
import { defined, objectOf, textOf } from '../base/unknown.ts';
import { stripFences } from '../capture/fence.ts';
import type { Digest } from '../record/digest.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { toolKind } from '../runtime/tool-kind.ts';
import { commandName, commitsIn, isTestRun } from './command.ts';
import { cutToSize } from './cut.ts';

import { failed, outcomeOf, trailingFailures } from './outcome.ts';
import { usageOf } from './usage.ts';

const TEXT_BYTES_MAX = 280;
const PATH_BYTES_MAX = 200;
const FAILURES_MIN = 3;
const EDITS_MIN = 5;

type Coverage = NonNullable<Digest['coverage']>;
type FileLine = Digest['files'][number];
type CommandLine = Digest['commands'][number];

/**
 * The digest of a session: pure arithmetic over its events, merged and in order. The same events give the same
 * bytes. Source: the design's Tier 0; docs/formats/digest.md.
 */
export function digestOf(events: readonly Envelope[], coverage?: Coverage): Digest {
  const calls = events.filter((event) => event.event_type === 'tool_call');
  const shell = commandsOf(calls);
  const files = filesOf(calls, events.find((event) => event.cwd !== undefined)?.cwd);
  const prompts = events.filter((event) => event.event_type === 'prompt');
  const replies = events.filter(
    (event) => event.role === 'assistant' && event.content !== undefined,
  );
  const shas = events.flatMap((event) => event.git_sha ?? []);
  const outcome = outcomeOf(events);
  const edits = files.reduce((sum, file) => sum + file.edits, 0);
  return cutToSize(
    {
      version: 1,
      ...defined({
        asked: excerpt(prompts[0]?.content),
        replied: excerpt(replies.at(-1)?.content),
      }),
      outcome,
      prompts: prompts.length,
      turns: turnsOf(events),
      responses: responsesOf(events),
      tool_calls: calls.length,
      tool_errors: calls.filter(failed).length,
      worked: edits > 0 || calls.length >= 3,
      files,
      commands: shell.filter((line) => !isTestRun(line.command)),
      tests: shell.filter((line) => isTestRun(line.command)),
      commits: madeCommits(calls),
      ...defined({
        git_sha_before: shas[0],
        git_sha_after: shas.at(-1),
        branch: events.findLast((event) => event.branch !== undefined)?.branch,
      }),
      duration_ms: durationOf(events),
      ...usageOf(events),
      compactions: events.filter((event) => event.event_type === 'compact').length,
      friction: frictionOf(shell, files, outcome, trailingFailures(events)),
      ...defined({ coverage }),
    },
    LIMIT.digest_bytes_max,
  );
}

function excerpt(content: string | undefined): string | undefined {
  if (content === undefined) return undefined;
  return textOf(truncateUtf8(stripFences(content).replace(/\s+/g, ' ').trim(), TEXT_BYTES_MAX));
}

function durationOf(events: readonly Envelope[]): number {
  const times = events.map((event) => toMs(event.emitted_at));
  const first = times.reduce((least, time) => Math.min(least, time), Number.POSITIVE_INFINITY);
  const last = times.reduce((most, time) => Math.max(most, time), 0);
  return times.length === 0 ? 0 : last - first;
}

/** Prompts after which anything came from the agent, before the next one. */
function turnsOf(events: readonly Envelope[]): number {
  let turns = 0;
  let open = false;
  for (const { event_type } of events) {
    if (event_type === 'prompt') open = true;
    else if (
      open &&
      (event_type === 'assistant' || event_type === 'tool_call' || event_type === 'turn_end')
    ) {
      turns += 1;
      open = false;
    }
  }
  return turns;
}

function responsesOf(events: readonly Envelope[]): number {
  const ids = events.flatMap((event) => event.usage?.response_id ?? []);
  const nameless = events.filter(
    (event) => event.event_type === 'assistant' && event.usage?.response_id === undefined,
  );
  return new Set(ids).size + nameless.length;
}

function relative(path: string, root: string | undefined): string {
  const inside =
    root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return truncateUtf8(inside, PATH_BYTES_MAX);
}

function filesOf(calls: readonly Envelope[], root: string | undefined): FileLine[] {
  const files = new Map<string, { path: string; reads: number; edits: number }>();
  for (const call of calls) {
    const kind = toolKind(call.tool?.name);
    const { outcome } = call.tool ?? {};
    if ((kind !== 'read' && kind !== 'edit') || (outcome !== undefined && outcome !== 'ok'))
      continue;
    for (const name of call.tool?.paths ?? []) {
      const path = relative(name, root);
      const line = files.get(path) ?? { path, reads: 0, edits: 0 };
      if (kind === 'edit') line.edits += 1;
      else line.reads += 1;
      files.set(path, line);
    }
  }
  return [...files.values()].sort(
    (a, b) => b.edits - a.edits || b.reads - a.reads || (a.path < b.path ? -1 : 1),
  );
}

function shellCommand(call: Envelope): string | undefined {
  if (toolKind(call.tool?.name) !== 'shell' || call.tool?.input === undefined) return undefined;
  try {
    return textOf(objectOf(JSON.parse(call.tool.input))['command']);
  } catch {
    // An input that was cut is no JSON any more; its command is not known.
    return undefined;
  }
}

function commandsOf(calls: readonly Envelope[]): CommandLine[] {
  const lines = new Map<
    string,
    { command: string; runs: number; failed: number; exit: number | '?' }
  >();
  for (const call of calls) {
    const command = shellCommand(call);
    if (command === undefined) continue;
    const name = commandName(command);
    const line = lines.get(name) ?? { command: name, runs: 0, failed: 0, exit: '?' as const };
    lines.set(name, {
      ...line,
      runs: line.runs + 1,
      failed: line.failed + (failed(call) ? 1 : 0),
      exit: call.tool?.exit_code ?? '?',
    });
  }
  return [...lines.values()].sort(
    (a, b) => b.failed - a.failed || b.runs - a.runs || (a.command < b.command ? -1 : 1),
  );
}

function madeCommits(calls: readonly Envelope[]): Digest['commits'] {
  const commits = calls.flatMap((call) =>
    commitsIn(shellCommand(call) ?? '', call.tool?.result ?? ''),
  );
  return [...new Map(commits.map((commit) => [commit.sha, commit])).values()];
}

function frictionOf(
  shell: readonly CommandLine[],
  files: readonly FileLine[],
  outcome: Digest['outcome'],
  trailing: number,
): Digest['friction'] {
  const failures = shell
    .filter((line) => line.failed >= FAILURES_MIN)
    .map((line) => ({
      kind: 'repeated_failure' as const,
      command: line.command,
      count: line.failed,
    }));
  const edits = files
    .filter((file) => file.edits >= EDITS_MIN)
    .map((file) => ({ kind: 'repeated_edit' as const, path: file.path, count: file.edits }));
  const abandoned = outcome === 'abandoned' && trailing >= FAILURES_MIN;
  return [
    ...(abandoned ? [{ kind: 'abandoned_after_failures' as const, count: trailing }] : []),
    ...failures,
    ...edits,
  ];
}
