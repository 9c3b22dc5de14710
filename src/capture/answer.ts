import { READING_MODE } from '../base/mode.ts';
import { type Answer, NO_ANSWER } from '../runtime/answer.ts';
import type { Injected } from '../runtime/envelope.ts';
import { covers } from './announced.ts';
import type { BriefFile, BriefLine, LiveFile } from './brief-file.ts';
import { type Fenced, fence } from './fence.ts';

/** An answer, and what it puts before the agent. */
export interface AnswerWithLineage {
  readonly answer: Answer;
  readonly injected: readonly Injected[];
}

/** The answer where there is nothing to say. */
export const SILENT: AnswerWithLineage = { answer: NO_ANSWER, injected: [] };

/** A prompt calls up at most this much: it is a reminder, not a second briefing. */
const REMINDER_BYTES_MAX = 1_200;
const REMINDER_LINES_MAX = 2;
const SESSION_LENGTH_MAX = 256;
const WORD_LENGTH_MAX = 200;

function plain(text: string): BriefLine {
  return { text, bytes: Buffer.byteLength(text) + 1, items: [] };
}

/** True for a session itself, and for a subagent of it. */
export function isPartOf(session: string, one: string): boolean {
  return one === session || one.startsWith(`${session}:`);
}

/** True for a line that tells a session of itself, or of its subagents: it began once, and goes on now. */
function isOwn(line: BriefLine, session: string): boolean {
  return line.items.some(({ source }) => isPartOf(session, source));
}

/**
 * A briefing as it may be shown: without claims, unless agents are shown some and it was rendered for that. The settings
 * and the file can differ for a while, and either can say no.
 */
export function shownBrief(file: BriefFile, claims: boolean): BriefFile {
  if (claims && file.mode === READING_MODE) return file;
  const isAllowed = ({ items }: BriefLine) => items.every(({ kind }) => kind !== 'claim');
  return {
    ...file,
    lines: file.lines.filter(isAllowed),
    triggers: file.triggers.filter(isAllowed),
  };
}

/** The briefing of a session's start. Names the session, so that the agent can cite what it sees. */
export function startContext(file: BriefFile, session: string, now: number): Fenced | undefined {
  const id = session.slice(0, SESSION_LENGTH_MAX).replace(/[^A-Za-z0-9._:~-]/g, '?');
  // Below the heading: lines are left out from the end, and this one never is.
  const [heading, ...rest] = file.lines.filter((line) => !isOwn(line, session));
  return fence([...(heading ? [heading] : []), plain(`(this session: ${id})`), ...rest], now);
}

/** Words as the trigger terms are written: lower case, split at anything but letters, digits, `.`, `_`, `-`, none of these three at an end. */
function wordsOf(prompt: string): Set<string> {
  const words = prompt.toLowerCase().split(/[^\p{L}\p{N}._-]+/u);
  return new Set(
    words.flatMap((word) =>
      word.length > WORD_LENGTH_MAX ? [] : word.replace(/^[._-]+|[._-]+$/g, ''),
    ),
  );
}

/** The lines whose terms stand in a prompt; undefined where none does. */
export function reminder(
  file: BriefFile,
  prompt: string,
  session: string,
  now: number,
): Fenced | undefined {
  const words = wordsOf(prompt.slice(0, 20_000));
  const hits = file.triggers.filter(
    (line) => line.terms.some((term) => words.has(term)) && !isOwn(line, session),
  );
  return fence(hits.slice(0, REMINDER_LINES_MAX), now, REMINDER_BYTES_MAX);
}

/** A warning that another session is at work on the path, or undefined. */
export function collision(
  live: LiveFile,
  call: { readonly repo: string; readonly path: string; readonly session: string },
  now: number,
): string | undefined {
  const other = live.intents.find(
    (intent) =>
      intent.repo === call.repo &&
      covers(intent.path, call.path) &&
      !isPartOf(intent.session, call.session) &&
      !isPartOf(call.session, intent.session) &&
      intent.until >= now,
  );
  if (!other) return undefined;
  const who = other.agent.replace(/[^A-Za-z0-9._-]/g, '?');
  const does =
    other.reason === undefined ? 'is editing this file too' : 'has said that it works on this';
  return `Credence: ${who} ${does}, in a session that is running now. Look at its state before you write.`;
}
