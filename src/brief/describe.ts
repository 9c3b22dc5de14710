import type { SessionView } from '../query/session.ts';
import type { Digest } from '../record/digest.ts';
import { sanitise } from './sanitise.ts';

const ASKED_BYTES_MAX = 140;
const COMMAND_BYTES_MAX = 70;
const PATH_BYTES_MAX = 70;

/** `12 min`, `3 h`, `2 d`: the largest unit that says something. */
export function duration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1) return '<1 min';
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}

const command = (text: string) => `\`${sanitise(text, COMMAND_BYTES_MAX)}\``;
const path = (text: string) => sanitise(text, PATH_BYTES_MAX);
const times = (count: number) => (count === 1 ? 'once' : `${count} times`);
const others = (count: number) =>
  count === 0 ? '' : ` (and ${count} ${count === 1 ? 'other' : 'others'})`;
const read = (count: number) => `read ${count} ${count === 1 ? 'file' : 'files'}`;

function frictionPhrase(item: Digest['friction'][number]): string {
  switch (item.kind) {
    case 'abandoned_after_failures':
      return `abandoned after ${item.count} failed calls in a row`;
    case 'repeated_failure':
      return `${command(item.command)} failed ${times(item.count)}`;
    case 'repeated_edit':
      return `${path(item.path)} edited ${times(item.count)}`;
  }
}

/** What went wrong, as phrases: the friction that was counted, then tests that ended failing. */
export function troubles(digest: Digest): string[] {
  const friction = digest.friction.map(frictionPhrase);
  const named = new Set(
    digest.friction.flatMap((item) => (item.kind === 'repeated_failure' ? [item.command] : [])),
  );
  const failing = digest.tests
    .filter((line) => line.exit !== 0 && line.exit !== '?' && !named.has(line.command))
    .map((line) => `${command(line.command)} still failed at its last run (exit ${line.exit})`);
  if (friction.length + failing.length > 0 || digest.outcome === 'clean')
    return [...friction, ...failing];
  const last = digest.commands.find((line) => line.exit !== 0 && line.exit !== '?');
  return [
    last ? `${command(last.command)} failed (exit ${last.exit})` : `ended as ${digest.outcome}`,
  ];
}

/** The files that were edited, save those that are named as trouble. */
function editedPhrase(digest: Digest): string[] {
  const named = new Set(
    digest.friction.flatMap((item) => (item.kind === 'repeated_edit' ? [item.path] : [])),
  );
  const edited = digest.files.filter((file) => file.edits > 0 && !named.has(file.path));
  const files = edited.slice(0, 4).map((file) => path(file.path));
  if (files.length === 0) return [];
  const more = edited.length - files.length;
  // The most edited come first: where the last that was kept has no edit, those that were left out have none.
  const isCut = omitted(digest, 'files') > 0 && (digest.files.at(-1)?.edits ?? 0) > 0;
  const kept = more > 0 ? `${more}${isCut ? ' or' : ''} more` : isCut ? 'perhaps more' : undefined;
  return [`edited ${files.join(', ')}${kept === undefined ? '' : ` and ${kept}`}`];
}

/** How many items of a list the size limit took. */
function omitted(digest: Digest, list: string): number {
  return digest.omitted?.[list] ?? 0;
}

/** What was done, as phrases: edits, tests that passed, commits. */
export function deeds(digest: Digest): string[] {
  const passed = digest.tests.filter((line) => line.exit === 0);
  const last = digest.commits.at(-1);
  return [
    ...editedPhrase(digest),
    ...(passed[0] ? [`${command(passed[0].command)} passed${others(passed.length - 1)}`] : []),
    ...(last ? [`committed ${sanitise(last.sha, 12)} “${sanitise(last.subject, 80)}”`] : []),
    ...(digest.files.length > 0 && digest.files.every((file) => file.edits === 0)
      ? [read(digest.files.length + omitted(digest, 'files'))]
      : []),
  ];
}

/** True for a session whose trouble others should know before they begin. */
export function isTroubled(digest: Digest): boolean {
  return troubles(digest).length > 0;
}

/** `[agent, day, duration, outcome]` and what the session was about, in two lines. */
export function describeSession(view: SessionView, id: string): string {
  const { digest } = view;
  const commits = digest.commits.length + omitted(digest, 'commits');
  const coverage = digest.coverage;
  const missed =
    coverage && coverage.captured < coverage.known
      ? `captured ${coverage.captured} of ${coverage.known} events`
      : '';
  const facts = [
    sanitise(view.agent, 40),
    view.lastAt.slice(0, 10),
    duration(digest.duration_ms),
    digest.outcome,
    commits > 0 ? `${commits} commit${commits > 1 ? 's' : ''}` : '',
    missed,
  ];
  const asked =
    digest.asked === undefined
      ? 'no prompt was captured'
      : `“${sanitise(digest.asked, ASKED_BYTES_MAX)}”`;
  const happened = [...troubles(digest), ...deeds(digest)].slice(0, 5);
  const head = `- [${facts.filter((fact) => fact !== '').join(', ')}] (${id}) ${asked}`;
  return happened.length > 0 ? `${head}\n  ${happened.join('; ')}` : head;
}
