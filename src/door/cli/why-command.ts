import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { observer } from '../../brief/describe-claim.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { firstCited } from '../../query/claims-for.ts';
import { shownId } from '../../query/shown-id.ts';
import { type Why, type WhyClass, type WhyMerge, whyOf } from '../../query/why.ts';
import { readerOf } from '../../snapshot/database.ts';
import { claimReader, fleetSpace } from './claim-reader.ts';
import { findClaim } from './claims-command.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { count } from './output.ts';
import type { ShownId } from './session-text.ts';
import { shownContext } from './shown-context.ts';
import { recordViews, shownClaim } from './shown-views.ts';

const CHANNELS: Readonly<Record<string, string>> = {
  briefing: 'in its briefing',
  tool: 'in what a tool showed it',
  file: 'in a file that it read',
  prompt: 'in a prompt',
  parent: 'before the session that it is a part of',
};

const NAMED = { claim: 'claim', handoff: 'handoff', digest: 'session' } as const;

function mergeLines(merge: WhyMerge, shown: ShownId): string[] {
  const session = shown('session', merge.session);
  if (merge.why !== 'exposed') {
    const other = shown('session', merge.with);
    return [`    ${session} and ${other} ${MERGED[merge.why]}`];
  }
  const from = merge.from === undefined ? 'of none of these' : `of ${shown('session', merge.from)}`;
  const path = merge.path.map(({ session: of, kind, id, channel }) => {
    const what = `${kind} ${kind in NAMED ? shown(NAMED[kind as keyof typeof NAMED], id) : sanitise(id, 40)}`;
    return `      ${shown('session', of)} had ${what} ${CHANNELS[channel] ?? channel}`;
  });
  return [`    ${session} had met it before, by what is ${from}:`, ...path];
}

const MERGED = {
  cited: 'are one: who cites the other has read it',
  source: 'rest on one source',
  day: 'are of one operator, on one day at one commit',
  operator: 'are of one operator, where others work, too',
} as const;

function classLines({ counts, sessions, merges }: WhyClass, n: number, shown: ShownId): string[] {
  const head = counts ? pc.green(`observation ${n}`) : pc.red('no observation: it was all hearsay');
  return [
    `  ${head}`,
    ...sessions.map(({ session, agent, observedAt = '', through }) => {
      const by =
        through === undefined ? '' : `, by ${shown('claim', through)}, which says the same`;
      return `    ${shown('session', session)}  ${observer({ observedBy: agent })}, ${observedAt.slice(0, 16).replace('T', ' ')}${by}`;
    }),
    ...merges.flatMap((merge) => mergeLines(merge, shown)),
  ];
}

/** What a person accepted from a file goes by the file: the beginning of its name says nothing. */
function sessionNames(shown: ShownId): ShownId {
  return (kind, key) => {
    const [, file] = /^file:(.+)@[0-9a-f]+$/.exec(kind === 'session' ? key : '') ?? [];
    return file === undefined ? shown(kind, key) : sanitise(file, 120);
  };
}

function whyLines(why: Why, statement: string, shown: ShownId): string[] {
  const { claim, independent, needs, sessions, classes, unread } = why;
  // Those that count come first, so that they can be numbered.
  const inOrder = [...classes].sort((a, b) => Number(b.counts) - Number(a.counts));
  return [
    `${pc.bold(shown('claim', claim))}  ${sanitise(statement, 400)}`,
    `${count(independent, 'independent observation')} of ${count(sessions, 'session')}; it takes ${needs}`,
    ...inOrder.flatMap((one, i) => classLines(one, i + 1, shown)),
    ...(classes.length === 0 ? ['  no session that supports it was looked up yet'] : []),
    ...unread.map((one) =>
      pc.yellow(
        `  nobody has said yet what was before ${shown('session', one)}: \`credence maint --once\``,
      ),
    ),
  ];
}

/** `credence why <claim>`. */
export function whyCommand(program: Command, context: Context): void {
  program
    .command('why')
    .description(
      'which sessions support a claim, which of them count, and how the others came to it',
    )
    .argument('<claim>', 'a claim’s id, or how it begins')
    .addHelpText('after', '\nExample:\n  credence why 3fa9c1d2')
    .action((typed: string) => {
      const reading = shownContext(context);
      const { why, lines, shown } = reading.read('state', (sql) => {
        const claim = findClaim(reading, sql, typed);
        const { maySee, note } = claimReader(reading, fleetSpace(sql));
        const why = whyOf(readerOf(sql), claim.id);
        if (!why || !maySee(claim)) {
          throw new CredenceError(
            'forbidden',
            'claim.unread',
            note ?? 'agents do not read this claim',
            {
              next: 'ask a person, who sees every claim',
            },
          );
        }
        const lines = whyLines(
          why,
          claim.statement,
          sessionNames((kind, key) => shownId(sql, kind, key)),
        );
        return { why, lines, shown: shownClaim(claim, firstCited(readerOf(sql), claim.id)) };
      });
      recordViews(reading, 'why', [shown]);
      reading.out.value(why);
      for (const line of lines) reading.out.text(line);
    });
}
