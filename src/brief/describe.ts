import { type Family, type SessionView, SUBAGENTS_MAX } from '../query/session.ts';
import type { Digest } from '../record/digest.ts';
import { safeName, sanitise } from './sanitise.ts';

const ASKED_BYTES_MAX = 140;
const COMMAND_BYTES_MAX = 70;
const PATH_BYTES_MAX = 70;
/** Files that are named of those that were edited, and phrases of what happened. */
const FILES_MAX = 4;
const PHRASES_MAX = 5;

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
  const files = edited.slice(0, FILES_MAX).map((file) => path(file.path));
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

/** The subagents in which something went wrong, the newest first. */
export function troubledSubagents({ subagents }: Family): readonly SessionView[] {
  return subagents.filter(({ digest }) => troubles(digest).length > 0);
}

/** True for a session whose trouble, or that of its subagents, others should know before they begin. */
export function isTroubled(family: Family): boolean {
  return troubles(family.digest).length > 0 || troubledSubagents(family).length > 0;
}

/** `25 subagents`; of one that stands for its session, how many others there are. */
function countPhrase({ parent, subagents: { length } }: Family): string {
  const count = length < SUBAGENTS_MAX ? `${length}` : `${length} or more`;
  const nouns = length === 1 ? '' : 's';
  if (parent === undefined) return length > 0 ? `${count} subagent${nouns}` : '';
  return length > 0 ? `a subagent beside ${count} other${nouns}` : 'a subagent';
}

/** The first trouble of the newest of them that had any: the session's id opens the list of all. */
function subagentTrouble(family: Family, idOf: (session: string) => string): string[] {
  const [first, ...more] = troubledSubagents(family);
  if (!first) return [];
  const [trouble = ''] = troubles(first.digest);
  const rest = more.length > 0 ? `, and trouble in ${more.length} more` : '';
  return [`subagent ${idOf(first.session)}: ${trouble}${rest}`];
}

function subagentEdits({ subagents }: Family): string[] {
  const edited = subagents.flatMap(({ digest }) => digest.files.filter(({ edits }) => edits > 0));
  const names = [...new Set(edited.map((file) => file.path))];
  if (names.length === 0) return [];
  const more = names.length > FILES_MAX ? ` and ${names.length - FILES_MAX} more` : '';
  return [`subagents edited ${names.slice(0, FILES_MAX).map(path).join(', ')}${more}`];
}

/**
 * `[agent, day, duration, outcome]` and what the session and its subagents were about, in two lines. `idOf` gives what is
 * printed of a session's id.
 */
export function describeSession(view: Family, idOf: (session: string) => string): string {
  const { digest } = view;
  const commits = digest.commits.length + omitted(digest, 'commits');
  const coverage = digest.coverage;
  const missed =
    coverage && coverage.captured < coverage.known
      ? `captured ${coverage.captured} of ${coverage.known} events`
      : '';
  const facts = [
    safeName(view.agent, 40),
    view.lastAt.slice(0, 10),
    duration(digest.duration_ms),
    digest.outcome,
    commits > 0 ? `${commits} commit${commits > 1 ? 's' : ''}` : '',
    countPhrase(view),
    missed,
  ];
  const asked =
    digest.asked === undefined
      ? 'no prompt was captured'
      : `“${sanitise(digest.asked, ASKED_BYTES_MAX)}”`;
  const inside = subagentTrouble(view, idOf);
  const own = troubles(digest).slice(0, PHRASES_MAX - inside.length);
  const done = [...deeds(digest), ...subagentEdits(view)];
  const happened = [...own, ...inside, ...done].slice(0, PHRASES_MAX);
  const id = idOf(view.session);
  const head = `- [${facts.filter((fact) => fact !== '').join(', ')}] (${id}) ${asked}`;
  return happened.length > 0 ? `${head}\n  ${happened.join('; ')}` : head;
}
