import { CredenceError } from '../../base/errors.ts';
import { cleanText } from '../../base/text.ts';
import { redactText } from '../../capture/redact.ts';
import type { KnowledgeBase } from '../../verbs/knowledge.ts';
import type { Context } from './context.ts';

/** What a person can do about a refusal of the ledger. */
const NEXT: Readonly<Record<string, string>> = {
  'verdict.role':
    'a person with the role review gives verdicts, and an admin of the fleet grants it',
  'verdict.own': 'whoever proposed a claim does not review it: somebody else has to',
  'verdict.repeated': 'your verdict on this attempt stands: `credence claims <id>` shows it',
  'promotion.decided': '`credence claims <id>` shows what was decided',
  'settlement.own': 'whoever claimed it does not settle it: somebody else has to',
  'settlement.role': 'a person with the role review settles, and an admin of the fleet grants it',
  'trust.role': 'an admin of the fleet does this',
  'claim.author': 'only its author withdraws a claim; whoever saw otherwise contradicts it',
  'claim.retired': 'it is withdrawn already',
  'artifact_change.role': 'whoever may propose or capture can say that something changed',
};

/**
 * Says something in the ledger, and brings what agents are told there, before it returns. A refusal names the claim or
 * artifact that it was about. Throws the ledger's codes.
 */
export async function say<T>(
  context: Context,
  about: string,
  verb: (base: KnowledgeBase) => Promise<T>,
): Promise<T> {
  let said: T;
  try {
    said = await context.knowledge(verb);
  } catch (error) {
    const next = error instanceof CredenceError ? NEXT[error.code] : undefined;
    if (!(error instanceof CredenceError) || next === undefined) throw error;
    const { category, code, data } = error;
    const more = { data: { ...data, about }, cause: error, next };
    throw new CredenceError(category, code, `${about}: ${error.message}`, more);
  }
  await context.syncOnce();
  return said;
}

/** How this home withholds what is secret. */
export function redactionOf(context: Pick<Context, 'home'>) {
  const { keys, settings } = context.home();
  return { secret: () => keys.hostSecret(), deniedPaths: settings['capture.denied_paths'] };
}

/** Words that somebody gives to a command, as they may stand in the ledger: redacted, like all that comes in. */
export function ownWords(context: Pick<Context, 'home'>, text: string): string {
  return redactText(cleanText(text), 'prose', redactionOf(context)).text;
}

/** Refuses what a person has to say where an agent runs it inside its session. */
export function assertPerson(context: Context, what: string): void {
  const calling = context.local.callingSession();
  if (!calling) return;
  throw new CredenceError(
    'forbidden',
    'person.needed',
    `${what}, and this runs inside session ${calling.session} of an agent`,
    { next: 'a person runs it in a terminal of their own', data: { session: calling.session } },
  );
}
