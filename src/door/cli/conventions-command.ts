import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { toInstant } from '../../base/time.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { getClaim } from '../../query/claims.ts';
import { shownId } from '../../query/shown-id.ts';
import { type SignedRecord, seal } from '../../record/record.ts';
import { readerOf } from '../../snapshot/database.ts';
import {
  acceptedClaim,
  type Convention,
  type Conventions,
  enter,
  readConventions,
} from '../../verbs/conventions.ts';
import { retirementBody } from '../../verbs/knowledge-bodies.ts';
import { remoteOrId } from './arguments.ts';
import { fleetSpace } from './claim-reader.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { count } from './output.ts';
import { assertPerson, redactionOf } from './said.ts';

interface ConventionOptions {
  readonly repo?: string;
  readonly dryRun?: boolean;
  readonly all?: boolean;
  readonly accept?: string;
  readonly retireGone?: boolean;
}

const WHY: Readonly<Record<string, string>> = {
  two_things: 'says two things',
  refers_back: 'says nothing without the sentence before',
  too_short: 'too short to say one',
  too_long: 'too long for one thing',
  import: 'names another file',
  table: 'a table',
  intro: 'leads into a list',
};

/** `1,3-5` as places in a list, counted from 0. Throws `conventions.choice`. */
function chosen(typed: string, of: number): number[] {
  const wrong = (part: string) =>
    new CredenceError('usage', 'conventions.choice', `${part} is none of 1 to ${of}`, {
      next: 'give numbers and ranges, such as 1,3-5',
    });
  const places = typed.split(',').flatMap((part) => {
    const [, from, to] = /^\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*$/.exec(part) ?? [];
    const [first, last] = [Number(from), Number(to ?? from)];
    if (from === undefined || first < 1 || last > of || first > last) throw wrong(part.trim());
    return Array.from({ length: last - first + 1 }, (_, at) => first - 1 + at);
  });
  return [...new Set(places)].sort((a, b) => a - b);
}

function place({ path, first, last }: Convention): string {
  return `${sanitise(path, 120)}:${first === last ? first : `${first}-${last}`}`;
}

function show(context: Context, read: Conventions, fresh: readonly Convention[]): void {
  const { out } = context;
  const known = read.found.filter((one) => one.known !== undefined);
  for (const [at, one] of fresh.entries())
    out.text(
      `${pc.bold(String(at + 1).padStart(3))}  ${sanitise(one.statement, 400)}  ${pc.dim(place(one))}`,
    );
  const shown = (id: string) => context.read('state', (sql) => shownId(sql, 'claim', id));
  for (const one of known)
    out.text(
      `${pc.dim('  =')}  ${sanitise(one.statement, 400)}  ${pc.dim(`${place(one)}, on file as ${shown(one.known ?? '')}`)}`,
    );
  for (const { path, line, reason, text } of read.leftOut)
    out.text(
      pc.dim(`  -  ${sanitise(path, 120)}:${line} ${WHY[reason] ?? reason}: ${sanitise(text, 80)}`),
    );
  for (const { path, why } of read.unread)
    out.text(`${pc.yellow('passed over')} ${sanitise(path, 120)}: it ${why}`);
  for (const { id, statement } of read.gone)
    out.text(
      `${pc.yellow('gone')} ${shown(id)} is no longer in the file: ${sanitise(statement, 200)}`,
    );
  out.text(
    `${count(fresh.length, 'new line')}, ${known.length} on file, ${read.leftOut.length} left out, ${read.gone.length} gone`,
  );
}

/** Which of the new lines are accepted: as an option says, or a person at the terminal. */
async function choose(
  context: Context,
  options: ConventionOptions,
  of: number,
): Promise<readonly number[] | undefined> {
  const every = Array.from({ length: of }, (_, at) => at);
  if (options.all === true) return every;
  if (options.accept !== undefined) return chosen(options.accept, of);
  if (of === 0 || options.retireGone === true) return [];
  const answer = await context.local.ask('accept which? [all, numbers such as 1,3-5, or none] ');
  if (answer === undefined) return undefined;
  if (/^(?:n|no|none)?$/i.test(answer)) return [];
  return /^(?:a|all)$/i.test(answer) ? every : chosen(answer, of);
}

/** What the person signs: the claims that it accepts, and the withdrawals of its own that are gone. */
function signed(
  context: Context,
  read: Conventions,
  accepted: readonly Convention[],
  retires: boolean,
): SignedRecord[] {
  const { keys, world } = context.home();
  const person = keys.signer('person');
  const { space, principal } = context.read('state', (sql) => ({
    space: fleetSpace(sql),
    principal: readerOf(sql).get('principals', person.address)?.principal,
  }));
  const at = toInstant(world.now());
  const claims = accepted.map((one) => {
    const nonce = Buffer.from(world.random(16)).toString('hex');
    return seal(
      'claim',
      acceptedClaim(one, read.repo, { address: person.address, space, at, nonce }),
      person,
    );
  });
  const own = retires ? read.gone.filter((one) => one.principal === principal) : [];
  const reason = 'its words are no longer in the file that it was accepted from';
  const gone = own.map(({ id }) =>
    seal('retirement', retirementBody(id, reason, { author: person.address, now: at }), person),
  );
  return [...claims, ...gone];
}

async function conventionsAction(
  context: Context,
  paths: readonly string[],
  options: ConventionOptions,
): Promise<void> {
  assertPerson(context, 'a person accepts conventions');
  await context.syncOnce();
  const files = context.local.conventionFiles(paths, options.repo);
  const now = context.home().world.now();
  const read = context.read('state', (sql) =>
    readConventions(
      files,
      { reader: readerOf(sql), space: fleetSpace(sql), now },
      redactionOf(context),
    ),
  );
  const fresh = read.found.filter((one) => one.known === undefined);
  const view = {
    repo: read.repo,
    new: fresh,
    known: read.found.length - fresh.length,
    leftOut: read.leftOut,
  };
  const told = {
    ...view,
    unread: read.unread,
    gone: read.gone.map(({ id, statement }) => ({ id, statement })),
  };
  show(context, read, fresh);
  if (options.dryRun === true) {
    context.out.value({ state: 'dry run', ...told });
    return;
  }
  const places = await choose(context, options, fresh.length);
  const accepted = (places ?? []).flatMap((at) => fresh[at] ?? []);
  const records = signed(context, read, accepted, options.retireGone === true);
  if (records.length === 0) {
    context.out.value({ state: 'nothing accepted', ...told });
    if (places === undefined)
      context.out.text(pc.dim('accept them with --all, or with --accept 1,3-5'));
    return;
  }
  const done = await context.withParts((parts) => enter(parts, records));
  if (!done) throw busyError();
  context.local.watchCheckout(files.root);
  await context.syncOnce();
  const states = context.read('state', (sql) =>
    done.value.map(({ id, refused }) => {
      const status = getClaim(readerOf(sql), id, { now })?.status;
      return { id, refused, ...(status === undefined ? {} : { status }) };
    }),
  );
  const refused = states.find((one) => one.refused !== undefined);
  if (refused?.refused !== undefined) {
    throw new CredenceError(
      'forbidden',
      refused.refused,
      'the ledger did not take what was accepted',
      {
        next: 'a person with the role review accepts conventions, and an admin of the fleet grants it',
      },
    );
  }
  const promoted = states.filter(({ status }) => status === 'promoted').length;
  const withdrawn = records.length - accepted.length;
  context.out.value({
    state: 'accepted',
    ...told,
    accepted: states.slice(0, accepted.length),
    withdrawn,
  });
  context.out.text(
    `accepted ${count(accepted.length, 'convention')}: ${promoted} ${promoted === 1 ? 'holds' : 'hold'} now${withdrawn > 0 ? `; withdrew ${withdrawn} that ${withdrawn === 1 ? 'is' : 'are'} gone` : ''}`,
  );
  if (promoted < accepted.length)
    context.out.text(pc.dim('what does not: `credence claims <id>` says which gate holds it'));
}

/** `credence import conventions`. */
export function conventionsCommand(program: Command, context: Context): void {
  const parent = program.commands.find((one) => one.name() === 'import');
  // So that --all is of the command that it follows.
  parent
    ?.enablePositionalOptions()
    .command('conventions')
    .description(
      'accept what files for agents say, line by line: CLAUDE.md, AGENTS.md, .cursorrules, …',
    )
    .argument('[path...]', 'files of this checkout; all that agents read, unless told')
    .option('--repo <id>', 'the repo that they hold in, if not that of this checkout', remoteOrId)
    .option('--dry-run', 'show what would be asked; store nothing')
    .option('--all', 'accept every new line')
    .option('--accept <numbers>', 'accept these, as they are numbered: 1,3-5')
    .option('--retire-gone', 'withdraw your claims whose words are no longer in the file')
    .addHelpText(
      'after',
      '\nExample:\n  credence import conventions --dry-run\n  credence import conventions CLAUDE.md --accept 1,3-5',
    )
    .action((paths: string[], options: ConventionOptions) =>
      conventionsAction(context, paths, options),
    );
}
