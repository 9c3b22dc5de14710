import { type Command, Option } from 'commander';
import { CredenceError, messageOf } from '../../base/errors.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { type ClaimDetail, detailOf } from '../../query/claim-detail.ts';
import { type ClaimStatus, type ClaimView, getClaim, listClaims } from '../../query/claims.ts';
import { firstCited } from '../../query/claims-for.ts';
import { duplicatesAmong } from '../../query/duplicates.ts';
import { openExcerpt } from '../../query/excerpt.ts';
import { getSession, type SessionView } from '../../query/session.ts';
import { findKey, shownId } from '../../query/shown-id.ts';
import type { Envelope } from '../../runtime/envelope.ts';
import { readerOf } from '../../snapshot/database.ts';
import type { Sql } from '../../snapshot/port.ts';
import { limitOf, remoteOrId } from './arguments.ts';
import { duplicateLines, explained, explainedLines } from './claim-lists.ts';
import { claimReader, fleetSpace } from './claim-reader.ts';
import { claimPage, claimTable, type OpenedCitation } from './claim-text.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { opened } from './opened.ts';
import { shownContext } from './shown-context.ts';
import { recordViews, shownClaim } from './shown-views.ts';
import { terminalWidth } from './table.ts';

const STATUSES: readonly ClaimStatus[] = [
  'candidate',
  'promoted',
  'contested',
  'superseded',
  'joined',
  'expired',
  'rejected',
  'retired',
];

interface ClaimsOptions {
  readonly status?: ClaimStatus;
  readonly repo?: string;
  readonly agent?: string;
  readonly type?: string;
  readonly subject?: string;
  readonly space?: string;
  readonly limit: number;
  readonly explain?: true;
  readonly duplicates?: true;
}

function fits(claim: ClaimView, options: ClaimsOptions): boolean {
  const { status, repo, agent, type, subject } = options;
  const wanted = subject?.toLowerCase();
  return (
    (status === undefined || claim.status === status) &&
    (repo === undefined || claim.scope.segment === `repo:${repo}`) &&
    (agent === undefined || claim.observedBy === agent) &&
    (type === undefined || (claim.claimType ?? claim.kind) === type) &&
    (wanted === undefined || claim.subject.some((name) => name.toLowerCase() === wanted))
  );
}

function nothingIn(options: ClaimsOptions): string {
  if (options.duplicates) return 'no two claims say the same';
  return Object.keys(options).length > 1
    ? 'no claim fits; `credence claims` lists those of the fleet'
    : 'no claim was made in this fleet yet';
}

/** The newest first. */
const byDate = (a: ClaimView, b: ClaimView) => b.seq - a.seq;

function printClaims(context: Context, options: ClaimsOptions): void {
  const { world } = context.home();
  const { claims, sources, text, all, note } = context.read('state', (sql) => {
    const own = fleetSpace(sql);
    const { maySee, note } = claimReader(context, own);
    const known = listClaims(readerOf(sql), options.space ?? own, { now: world.now() });
    const found = known.filter((one) => maySee(one) && fits(one, options)).sort(byDate);
    const groups = options.duplicates ? duplicatesAmong(readerOf(sql), found) : undefined;
    const named = new Set(
      groups?.flatMap(({ claim, others }) => [claim, ...others.map((one) => one.claim)]),
    );
    const shown = groups ? found.filter(({ id }) => named.has(id)) : found.slice(0, options.limit);
    const decided = options.explain ? explained(sql, shown) : undefined;
    const text = groups
      ? duplicateLines(sql, groups, shown).join('\n')
      : decided
        ? explainedLines(sql, decided).join('\n')
        : claimTable(shown, (kind, key) => shownId(sql, kind, key), terminalWidth());
    return {
      claims: groups ?? decided ?? shown,
      sources: shown.map((claim) => shownClaim(claim, firstCited(readerOf(sql), claim.id))),
      text,
      all: groups ? groups.length : found.length,
      note,
    };
  });
  recordViews(context, 'claims', sources);
  context.out.value(claims);
  if (note !== undefined) context.out.note(note);
  if (claims.length === 0) {
    context.out.text(nothingIn(options));
    return;
  }
  context.out.text(text);
  if (claims.length < all)
    context.out.text(pc.dim(`${claims.length} of ${all}; --limit shows more`));
}

/** A session's events; undefined where they are not here. */
async function eventsOf(
  context: Context,
  view: SessionView | undefined,
): Promise<readonly Envelope[] | undefined> {
  if (!view) return undefined;
  try {
    return await context.events(view);
  } catch (error) {
    context.out.note(`session ${sanitise(view.session, 80)} can't be read: ${messageOf(error)}`);
    return undefined;
  }
}

/** Opens the cited messages, each session once. */
async function openCited(context: Context, { citations }: ClaimDetail): Promise<OpenedCitation[]> {
  const sessions = new Map<string, readonly Envelope[] | undefined>();
  const opened: OpenedCitation[] = [];
  for (const citation of citations) {
    const { session } = citation;
    if (!sessions.has(session)) {
      const view = context.read('state', (sql) => getSession(sql, session));
      sessions.set(session, await eventsOf(context, view));
    }
    const events = sessions.get(session);
    opened.push({ citation, excerpt: events && openExcerpt(events, citation) });
  }
  return opened;
}

/** The claim that an id, or its beginning, means. Throws `claim.missing`, `claim.ambiguous`. */
export function findClaim(context: Context, sql: Sql, typed: string): ClaimView {
  const key = opened(typed, (id) => findKey(sql, 'claim', id));
  const claim = getClaim(readerOf(sql), key, { now: context.home().world.now() });
  if (claim) return claim;
  throw new CredenceError('missing', 'claim.missing', `no claim begins with ${typed}`, {
    next: '`credence claims` lists them',
  });
}

async function printClaim(context: Context, typed: string): Promise<void> {
  const { claim, detail, source } = context.read('state', (sql) => {
    const found = findClaim(context, sql, typed);
    const { maySee, note } = claimReader(context, fleetSpace(sql));
    if (!maySee(found)) {
      throw new CredenceError(
        'forbidden',
        'claim.unread',
        note ??
          `claim ${shownId(sql, 'claim', found.id)} is ${found.status}: agents do not read it`,
        { next: 'ask a person, who sees every claim' },
      );
    }
    const reader = readerOf(sql);
    return {
      claim: found,
      detail: detailOf(reader, found),
      source: firstCited(reader, found.id),
    };
  });
  recordViews(context, 'claims', [shownClaim(claim, source)]);
  const cited = await openCited(context, detail);
  const evidence = cited.map(({ citation, excerpt }) => ({
    ...citation,
    ...(excerpt ?? { found: 'unread' }),
  }));
  context.out.value({ ...claim, ...detail, citations: evidence });
  const lines = context.read('state', (sql) =>
    claimPage(claim, detail, cited, (kind, key) => shownId(sql, kind, key)),
  );
  for (const line of lines) context.out.text(line);
}

/** `credence claims [id]`. */
export function claimsCommand(program: Command, context: Context): void {
  program
    .command('claims')
    .description('what agents claim, with its standing, or one claim with its evidence')
    .argument('[id]', 'a claim’s id, or how it begins')
    .addOption(new Option('--status <status>', 'only these').choices(STATUSES))
    .option('--repo <id>', 'only those of this repo', remoteOrId)
    .option('--agent <id>', 'only those that this agent observed')
    .option('--type <type>', 'only this type, such as convention')
    .option('--subject <name>', 'only those about this')
    .option('--space <space>', 'of another space than the fleet’s own')
    .option('--explain', 'with what each gate said of each, as it is recorded')
    .option('--duplicates', 'only those that say the same, in groups')
    .option('--limit <n>', 'how many', limitOf, 20)
    .addHelpText(
      'after',
      '\nExample:\n  credence claims --status candidate --explain\n  credence claims --duplicates\n  credence claims 3fa9c1d2',
    )
    .action(async (id: string | undefined, options: ClaimsOptions) => {
      const shown = shownContext(context);
      if (id !== undefined) return printClaim(shown, id);
      printClaims(shown, options);
    });
}
