import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import type { Certificate, MachinePassed } from '../../query/erasure.ts';
import { type ErasurePlan, erase, planErasure } from '../../verbs/erasure.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { count } from './output.ts';
import { assertPerson, ownWords } from './said.ts';
import { table, terminalWidth } from './table.ts';

interface EraseOptions {
  readonly reason?: string;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly certificate?: string;
}

const TEXT_BYTES = 80;

function planValue({ targets, referring, tombstones }: ErasurePlan) {
  return {
    entries: targets.map(({ seq, context, author, text, isDependent }) => ({
      ...{ seq, context, author: safeId(author, 64), dependent: isDependent },
      text: sanitise(text, TEXT_BYTES),
    })),
    referring,
    tombstones: tombstones.length,
  };
}

function planLines(plan: ErasurePlan): string[] {
  const { entries, referring, tombstones } = planValue(plan);
  const rows = entries.map(({ seq, context, author, dependent, text }) => [
    ...[
      String(seq),
      context,
      author.slice(-12),
      dependent ? 'names a claim that goes' : 'asked for',
    ],
    text,
  ]);
  const fit = { width: terminalWidth(), drop: ['author'], cut: [['text', 20] as const] };
  const lines = [table(['position', 'what', 'author', 'why', 'text'], rows, fit)];
  if (referring.length > 0) {
    const ids = referring.map(({ id }) => safeId(id)).join(', ');
    lines.push(`${count(referring.length, 'claim')} that refer to it stay: ${ids}`);
  }
  if (tombstones === 0)
    lines.push(
      `${pc.yellow('note')} this machine has not the fleet's secret yet: a copy that comes back will not be known`,
    );
  return lines;
}

const PASSED = { true: 'past it', false: 'not yet', null: 'not known' } as const;
const passedOf = ({ passed }: MachinePassed) => PASSED[`${passed}`];

function certificateLines({ erasure, seq, removed, machines, reason }: Certificate): string[] {
  const commits = new Set(removed.flatMap(({ commit }) => commit ?? []));
  const owed = removed.filter(({ commit }) => commit === null);
  return [
    `${pc.green('erased')} ${count(removed.length, 'entry', 'entries')} by ${erasure}, at position ${seq}`,
    `   because: ${sanitise(reason, 200)}`,
    ...removed.map((one) => `   ${one.seq} ${safeId(one.context, 32)} ${one.commitment}`),
    `   overwritten, and read again: ${commits.size === 0 ? 'no commit yet' : `commit ${[...commits].join(', ')}`}`,
    ...(owed.length === 0
      ? []
      : [`   ${pc.yellow('not seen to be gone yet')}: ${owed.map((one) => one.seq).join(', ')}`]),
    '   machines that have followed past it:',
    ...machines.map((one) => `   ${safeId(one.host, 16)} ${passedOf(one)}`),
    `   ${pc.dim('what sessions, their parts and backups hold is not erased by this')}`,
  ];
}

function printCertificate(context: Context, certificate: Certificate): void {
  context.out.value(certificate);
  for (const line of certificateLines(certificate)) context.out.text(line);
}

/** Runs with the machine's lock. Throws `machine.busy` where another process holds it. */
async function within<T>(context: Context, body: Parameters<typeof context.withParts<T>>[0]) {
  const done = await context.withParts(body);
  if (!done) throw busyError();
  return done.value;
}

/** True where it is to be done: by the option, or by an answer. */
async function isConfirmed(context: Context, { yes }: EraseOptions): Promise<boolean> {
  if (yes) return true;
  // For programs nothing was shown that could be agreed to.
  const answer = context.out.json
    ? undefined
    : await context.local.confirm('Erase all of this, for ever?');
  if (answer !== undefined) return answer;
  throw new CredenceError('usage', 'erase.unconfirmed', 'nothing was erased: it can’t be undone', {
    next: 'look at what --dry-run shows, then give --yes',
  });
}

async function eraseAction(
  context: Context,
  refs: readonly string[],
  options: EraseOptions,
): Promise<void> {
  const { certificate, dryRun, reason } = options;
  if (certificate !== undefined) {
    printCertificate(context, await context.certificate(certificate));
    return;
  }
  assertPerson(context, 'people erase, and see what would go');
  if (refs.length === 0 || (reason === undefined && !dryRun)) {
    throw new CredenceError('usage', 'usage', 'say what to erase, and why', {
      next: 'credence erase <entry…> --reason "…", or --certificate <id>',
    });
  }
  const plan = await within(context, (parts) => planErasure(parts, refs));
  if (!context.out.json || dryRun) for (const line of planLines(plan)) context.out.text(line);
  if (dryRun) {
    context.out.value(planValue(plan));
    return;
  }
  if (!(await isConfirmed(context, options))) {
    context.out.text('nothing was erased');
    return;
  }
  const by = context.home().keys.signer('person');
  const why = ownWords(context, reason ?? '');
  const id = await within(context, (parts) => erase(parts, plan, why, by));
  printCertificate(context, await context.certificate(id));
}

/** `credence erase`. */
export function eraseCommand(program: Command, context: Context): void {
  program
    .command('erase')
    .description('erase what entries of the ledger say, and keep every proof')
    .argument('[entry...]', 'positions, ids of records or their beginnings, or ids of episodes')
    .option('--reason <text>', 'why; it stays in the ledger, so name nothing of what goes')
    .option('--dry-run', 'show what would go, and erase nothing')
    .option('--yes', 'do not ask')
    .option('--certificate <erasure>', 'print the certificate of an erasure again')
    .addHelpText(
      'after',
      '\nExample:\n  credence erase 41 --dry-run\n  credence erase 41 --reason "asked for by its author"',
    )
    .action((refs: string[], options: EraseOptions) => eraseAction(context, refs, options));
}
