import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { listOf } from '../../base/unknown.ts';
import { CitationDraft, resolveCitation } from '../../extract/citation.ts';
import { jsonValue } from './arguments.ts';
import type { CapturedSession, Context } from './context.ts';
import { findAnySession, opened } from './opened.ts';
import { ownWords } from './said.ts';

/** How a command is told what is cited, and by whom. */
export interface EvidenceOptions {
  readonly session?: string;
  readonly message?: readonly string[];
  readonly quote?: readonly string[];
  readonly evidence?: unknown;
  readonly agent?: string;
}

/** Who proposes, and from which session: the one that runs this command, if any. */
export interface Proposer {
  readonly agent: string;
  readonly calling: CapturedSession | undefined;
}

/** Throws `agent.*` where no agent can speak. */
export function proposerOf(context: Context, { agent }: EvidenceOptions): Proposer {
  const called = context.local.callingSession();
  const calling = called && (context.captured(called.session) ?? { ...called, repo: undefined });
  const { agents } = context.home().settings;
  const own = calling ? agents[calling.runtime] : Object.values(agents)[0];
  if (agent !== undefined && !Object.values(agents).includes(agent)) {
    throw new CredenceError('usage', 'agent.unknown', `this home has no agent ${agent}`, {
      next: `name one of ${Object.values(agents).join(', ') || 'those that `credence init` makes'}`,
    });
  }
  if (agent !== undefined && calling && agent !== own) {
    throw new CredenceError('usage', 'agent.other', `this session runs agent ${own}, not ${agent}`);
  }
  const speaker = agent ?? own;
  if (speaker !== undefined) return { agent: speaker, calling };
  throw new CredenceError('configuration', 'agent.unconfigured', 'no agent can propose here', {
    next: 'run `credence init`',
  });
}

/** The session that an id means: one that is captured here and runs, or any that is known. Throws `session.*`. */
function wholeId(context: Context, typed: string): string {
  const captured = context.captured(typed);
  if (captured) return captured.session;
  const known = context.tryRead('state', (sql) =>
    opened(typed, (id) => findAnySession(context, sql, id)),
  );
  if (known) return known.session;
  throw new CredenceError('missing', 'session.missing', `no session is called ${typed}`, {
    data: { id: typed },
    next: 'run `credence sync --once`: nothing has been followed on this machine yet',
  });
}

/** What is cited, in the words of the call. Throws `citation.session`, `claim.form`. */
export function evidenceOf(
  context: Context,
  options: EvidenceOptions,
  calling: CapturedSession | undefined,
) {
  const { session = calling?.session, message = [], quote = [], evidence } = options;
  const given = listOf(evidence);
  const cites = message.length + quote.length > 0;
  if (cites && session === undefined) {
    throw new CredenceError('usage', 'citation.session', 'it is not known which session is cited', {
      next: 'name it: --session <id>; `credence sessions` lists the sealed ones',
    });
  }
  const session_id = session ?? '';
  // Words beside just one message are words of that.
  const [only, ...others] = message;
  const within = only !== undefined && others.length === 0 ? { message_id: only } : {};
  const named = 'message_id' in within && quote.length > 0 ? [] : message;
  const cited = [
    ...named.map((message_id) => ({ session_id, message_id })),
    ...quote.map((words) => ({ session_id, ...within, quote: words })),
    ...given,
  ];
  return cited.map((one) => {
    const { data } = CitationDraft.safeParse(one);
    if (data) return { ...data, session_id: wholeId(context, data.session_id) };
    throw new CredenceError(
      'usage',
      'citation.form',
      'every citation names a session, and a message or words of it',
      { next: '--evidence \'[{"session_id": "…", "quote": "…"}]\'' },
    );
  });
}

/**
 * Finds what can be found now, so that whoever cites wrongly hears of it at once. Answers with what is cited: words that were
 * found stand in a capture, redacted; those that are to be found later are redacted here. Throws `citation.*`.
 */
export async function foundEvidence(
  context: Pick<Context, 'home' | 'messages'>,
  evidence: readonly CitationDraft[],
  calling: Pick<CapturedSession, 'session'> | undefined,
): Promise<CitationDraft[]> {
  const found: CitationDraft[] = [];
  for (const cited of evidence) {
    const captured = await context.messages(cited.session_id);
    const resolved = captured && resolveCitation(cited, captured);
    const { quote } = cited;
    const isRedacted = quote === undefined || resolved?.kind === 'found';
    found.push(isRedacted ? cited : { ...cited, quote: ownWords(context, quote) });
    const isOwn = cited.session_id === calling?.session;
    const { message_id } = cited;
    if (resolved?.kind === 'waits' && isOwn && message_id !== undefined) {
      const what = `this session has no message ${message_id}`;
      throw new CredenceError('incorrect', 'citation.message', what, {
        next: 'quote words of it instead: --quote "…"',
      });
    }
    if (resolved?.kind !== 'refused') continue;
    throw new CredenceError('incorrect', resolved.code, resolved.message, {
      data: { session: cited.session_id },
      next:
        resolved.code === 'citation.ambiguous'
          ? 'quote more of it, or say which one: --message <id>'
          : '`credence sessions <id> --events` shows what was captured',
    });
  }
  return found;
}

/** Options that may be repeated. */
export const collect = (text: string, before: readonly string[] = []) => [...before, text];

/** Adds the options by which evidence is cited. */
export function evidenceOptions(command: Command): Command {
  return command
    .option('--message <id>', 'a message that is evidence; may be repeated', collect)
    .option(
      '--quote <words>',
      'words of the one message that holds them, or of the one that is named; may be repeated',
      collect,
    )
    .option('--session <id>', 'the session that is cited; inside a session, that one')
    .option('--evidence <json>', 'citations of several sessions, as a JSON list', jsonValue)
    .option('--agent <id>', 'which agent of this home says it');
}
