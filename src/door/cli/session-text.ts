import { deeds, duration, troubles } from '../../brief/describe.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import type { RunningView } from '../../query/running.ts';
import type { SessionView } from '../../query/session.ts';
import type { Named } from '../../query/shown-id.ts';
import type { Envelope, Injected } from '../../runtime/envelope.ts';
import { pc } from './colour.ts';
import { count } from './output.ts';

const day = (instant: string) => instant.slice(0, 16).replace('T', ' ');

/** What is printed of an id, so that it opens the record. */
export type ShownId = (kind: Named, key: string) => string;

const field = (name: string, value: string | undefined) =>
  value === undefined || value === '' ? [] : [`${pc.dim(name.padEnd(10))} ${value}`];

/** A session's digest for people. */
export function sessionLines(
  view: SessionView,
  children: readonly SessionView[],
  shownId: ShownId,
): string[] {
  const { digest } = view;
  const { tokens, coverage } = digest;
  const usage = `${tokens.input + tokens.cache_write + tokens.cache_read} tokens in, ${tokens.output} out`;
  return [
    `${pc.bold(sanitise(view.session, 200))}  ${digest.outcome}`,
    ...field(
      'agent',
      `${sanitise(view.agent, 60)} on host ${safeId(view.host, 16)}, ${sanitise(view.runtime, 40)}`,
    ),
    ...field(
      'repo',
      view.repo === undefined
        ? pc.yellow('unresolved: its folder is gone; see `credence repos`')
        : sanitise(view.repo, 200),
    ),
    ...field('folder', view.cwd && sanitise(view.cwd, 300)),
    ...field(
      'when',
      `${day(view.firstAt)} to ${day(view.lastAt)} UTC, ${duration(digest.duration_ms)}${digest.branch === undefined ? '' : `, on ${sanitise(digest.branch, 100)}`}`,
    ),
    ...field('asked', digest.asked && `“${sanitise(digest.asked, 300)}”`),
    ...field('replied', digest.replied && `“${sanitise(digest.replied, 300)}”`),
    ...field(
      'turns',
      `${count(digest.turns, 'turn')}, ${count(digest.tool_calls, 'tool call')} (${digest.tool_errors} failed), ${usage}`,
    ),
    ...field('trouble', troubles(digest).join('; ')),
    ...field('done', deeds(digest).join('; ')),
    ...field(
      'coverage',
      coverage && `${coverage.captured} of ${coverage.known} events that hooks can see`,
    ),
    ...field(
      'revision',
      `${view.revision}, ${count(view.parts.length, 'part')}${view.imported ? ', imported' : ''}`,
    ),
    ...field('subagents', children.map((child) => shownId('session', child.session)).join(', ')),
  ];
}

/** A session that is not sealed yet, for people; `subagents` are the ids of those that are. */
export function runningLines(view: RunningView, subagents: readonly string[]): string[] {
  const { session, agent, host, runtime, repo, branch, startedAt, lastAt, asked } = view;
  const where = host === undefined ? '' : ` on host ${safeId(host, 16)}`;
  const times =
    startedAt === undefined || lastAt === undefined
      ? undefined
      : `${day(startedAt)} UTC, last heard of ${day(lastAt)} UTC`;
  return [
    `${pc.bold(sanitise(session, 200))}  ${pc.yellow('not sealed yet')}`,
    ...field('agent', `${sanitise(agent, 60)}${where}, ${sanitise(runtime, 40)}`),
    ...field('repo', repo && sanitise(repo, 200)),
    ...field('branch', branch && sanitise(branch, 100)),
    ...field('since', times),
    ...field('asked', asked && `“${sanitise(asked, 300)}”`),
    ...field('subagents', subagents.join(', ')),
    pc.dim('what it did can be read here once it is over and its host has sealed it'),
  ];
}

function eventText(event: Envelope, whole: boolean): string {
  const max = whole ? 20_000 : 110;
  const { tool } = event;
  if (tool) {
    const exit = tool.exit_code === undefined ? (tool.outcome ?? '?') : `exit ${tool.exit_code}`;
    const head = `${tool.name ?? 'tool'} ${sanitise(tool.input ?? '', max)} ${pc.dim(`[${exit}]`)}`;
    return whole && tool.result !== undefined ? `${head}\n    ${sanitise(tool.result, max)}` : head;
  }
  return sanitise(event.content ?? event.detail ?? '', max);
}

/** What was put before the agent, by the id that opens it. */
function injectedText(item: Injected, shownId: ShownId): string {
  const id = {
    digest: () => shownId('session', item.source),
    handoff: () => shownId('handoff', item.id),
    claim: () => safeId(item.id),
  };
  return `${item.kind}:${id[item.kind]()}`;
}

/** A session's events, one a line. Replies that hold nothing are left out. */
export function timelineLines(
  events: readonly Envelope[],
  whole: boolean,
  shownId: ShownId,
): string[] {
  const shown = events.filter(
    (event) => whole || (event.tool ?? event.content ?? event.detail) !== undefined,
  );
  const lines = shown.map((event) => {
    const injected = event.injected_context
      ? pc.cyan(` ← ${event.injected_context.map((item) => injectedText(item, shownId)).join(' ')}`)
      : '';
    // What a claim cites.
    const id = event.message_id;
    const named = whole && id !== undefined ? pc.dim(` #${sanitise(id, 100)}`) : '';
    const kind = event.role === 'thinking' ? 'thinking' : event.event_type;
    return `${pc.dim(event.emitted_at.slice(11, 19))} ${kind.padEnd(13)} ${eventText(event, whole)}${injected}${named}`;
  });
  return ['', ...lines];
}
