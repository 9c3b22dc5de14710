import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { objectOf } from '../../base/unknown.ts';
import { safeId } from '../../brief/sanitise.ts';
import type { Audit, Witness } from '../../fold/audit.ts';
import {
  checkEntryProof,
  checkGrowthProof,
  type EntryProof,
  openHead,
  type SeenHead,
} from '../../ledger/entry-proof.ts';
import { open as verifyRecord } from '../../record/record.ts';
import type { Replay } from '../../snapshot/replay.ts';
import { assertMayProve } from './claim-reader.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { count } from './output.ts';

const day = (instant: string) => `${instant.slice(0, 16).replace('T', ' ')} UTC`;
const headText = ({ n, size, root, committer, recordedAt }: SeenHead) =>
  `commit ${n}, ${count(size, 'entry', 'entries')}, root ${root.slice(0, 16)}…, recorded ${day(recordedAt)}, signed by ${committer}`;

function auditLines(audit: Audit): string[] {
  const { fleetId, commits, entries, root, recordedAt, fault } = audit;
  const whole = `${count(entries, 'entry', 'entries')} in ${count(commits, 'commit')}`;
  if (!fault) {
    return [
      `${pc.green('ok')} the ledger of fleet ${fleetId ?? '?'} holds, from its first byte: ${whole}`,
      `   root ${root}, recorded ${day(recordedAt)}`,
      ...unerasedLines(audit),
    ];
  }
  return [
    `${pc.red('bad')} ${fault.message} ${pc.dim(`(${fault.code})`)}`,
    `    what stands before it holds: ${whole}`,
    `    ${pc.dim('next:')} restore the object from a backup; whoever followed the ledger before can say what it was`,
  ];
}

function unerasedLines({ unerased }: Audit): string[] {
  if (unerased.length === 0) return [];
  return [
    ...unerased.map(
      ({ seq, commit, erasure }) =>
        `${pc.yellow('not erased')} commit ${commit} still holds entry ${seq}, which ${erasure.slice(0, 12)} erased ${pc.dim('(ledger.not_erased)')}`,
    ),
    `    ${pc.dim('next:')} run \`credence sync --once\` on a host that may commit`,
  ];
}

/** A proof is checked by itself; a head that somebody saw is held against the ledger. */
async function verifyFile(context: Context, path: string): Promise<void> {
  const received = context.local.readJson(path);
  const { kind } = objectOf(received);
  if (kind === 'entry') {
    const proven = checkEntryProof(received);
    const what =
      'commitment' in proven
        ? `was erased: ${proven.commitment} is all that is left of it`
        : `is ${proven.context} ${proven.id}\n   by ${proven.author}`;
    context.out.value(proven);
    context.out.text(
      `${pc.green('ok')} entry ${proven.seq} of fleet ${proven.fleetId} ${what}\n   under ${headText(proven)}`,
    );
  } else if (kind === 'growth') {
    const { from, to } = checkGrowthProof(received);
    context.out.value({ from, to });
    context.out.text(
      `${pc.green('ok')} the ledger of fleet ${to.fleetId} goes on from what was seen\n   from ${headText(from)}\n   to   ${headText(to)}`,
    );
  } else {
    const { n, size, root } = openHead(received);
    await verifyLedger(context, [{ n, size, root, by: path }]);
  }
}

function replayLines({ decisions, same, erased, otherVersion, refuted }: Replay): string[] {
  const rest = [
    ...(erased > 0 ? [`${erased} rest on what was erased`] : []),
    ...(otherVersion > 0 ? [`${otherVersion} are of a gate of another version`] : []),
  ];
  if (refuted.length === 0) {
    const all = decisions === 0 ? 'no decision to tell again' : count(decisions, 'decision');
    const how =
      decisions === 0 ? '' : ` told again: ${[`${same} come out the same`, ...rest].join(', ')}`;
    return [`${pc.green('ok')} ${all}${how}`];
  }
  return [
    ...refuted.map(
      ({ seq, claim, kind, again }) =>
        `${pc.red('bad')} entry ${seq} settled claim ${claim.slice(0, 12)} as ${kind}, and its basis gives ${again ?? 'no decision'} ${pc.dim('(decision.refuted)')}`,
    ),
    `    ${count(refuted.length, 'decision')} of ${decisions} not as the ledger before ${refuted.length === 1 ? 'it has it' : 'them has it'}`,
    `    ${pc.dim('next:')} \`credence claims <id>\` shows what was decided and by whom; \`credence fleet revoke\` takes a gate's role`,
  ];
}

interface VerifyOptions {
  readonly replay?: true;
}

async function verifyLedger(
  context: Context,
  witnesses: readonly Witness[],
  { replay }: VerifyOptions = {},
): Promise<void> {
  const found = await context.audit(witnesses);
  const { fault = null, fleetId } = found;
  // What an unsound ledger would have decided says nothing.
  const retold =
    replay && !fault && fleetId !== undefined ? await context.replay(fleetId) : undefined;
  context.out.value({ ...found, fault, ...(retold && { replay: retold }) });
  if (retold && retold.refuted.length > 0) process.exitCode = 1;
  for (const line of auditLines(found)) context.out.text(line);
  for (const { n, by } of found.fault ? [] : witnesses)
    context.out.text(`   its commit ${n} is the one in ${by}`);
  for (const line of retold ? replayLines(retold) : []) context.out.text(line);
  if (found.fault || found.unerased.length > 0) process.exitCode = 1;
}

/** `credence verify`. */
export function verifyCommand(program: Command, context: Context): void {
  program
    .command('verify')
    .description('check the whole ledger from the bytes of the store, or a proof or head in a file')
    .argument('[file]', 'a proof that `prove` wrote, or a signed head to hold against the ledger')
    .option('--replay', 'also tell every decision of gates again, and compare')
    .addHelpText(
      'after',
      '\nExample:\n  credence verify\n  credence verify --replay\n  credence verify proof.json',
    )
    .action(async (file: string | undefined, options: VerifyOptions) => {
      if (file !== undefined && options.replay) {
        throw new CredenceError(
          'usage',
          'usage',
          '--replay is of the whole ledger, not of a file',
          {
            next: 'leave one of them out',
          },
        );
      }
      if (file === undefined) await verifyLedger(context, [], options);
      else await verifyFile(context, file);
    });
}

interface ProveOptions {
  readonly since?: string;
  readonly head?: true;
}

/** What an agent reads in a proof it has read: the session, or the note, that the entry is. */
function recordProven(context: Context, { entry }: EntryProof): void {
  if (!('record' in entry)) return;
  const { record } = entry;
  const { id, body } = verifyRecord(record);
  const [source, agent] = [body['session'], body['agent']];
  if (typeof source !== 'string' || typeof agent !== 'string') return;
  const kind = record.context === 'handoff' ? 'handoff' : 'digest';
  const item = { kind, id: kind === 'handoff' ? id : safeId(source, 200), source } as const;
  context.local.recordShown('credence prove', [{ ...item, observed_by: agent }]);
}

async function proofOf(
  context: Context,
  entry: string | undefined,
  { since, head }: ProveOptions,
): Promise<object> {
  const asked = [entry, since, head].filter((one) => one !== undefined);
  if (asked.length !== 1) {
    throw new CredenceError('usage', 'usage', 'give an entry, or --since and a file, or --head', {
      next: '--help shows how',
    });
  }
  if (head) return await context.signedHead();
  if (since !== undefined) return await context.proveGrowth(context.local.readJson(since));
  const proof = await context.prove(entry ?? '');
  assertMayProve(context, proof.entry.seq);
  recordProven(context, proof);
  return proof;
}

/** Says which erasure took what is proven to have stood there. */
function noteErased(context: Context, proof: object): void {
  const { commitment, seq } = objectOf(objectOf(proof)['entry']);
  if (commitment === undefined) return;
  const erasure = context.erasureOf(Number(seq));
  context.out.note(
    erasure === undefined
      ? `entry ${seq} is gone, and no erasure says so: run \`credence verify\``
      : `entry ${seq} was erased by ${erasure}: \`credence erase --certificate ${erasure.slice(0, 12)}\``,
  );
}

/** `credence prove`. */
export function proveCommand(program: Command, context: Context): void {
  program
    .command('prove')
    .description('print a proof that anybody can check offline')
    .argument('[entry]', 'a position, a record’s id or its beginning, or a session’s id')
    .option('--head', 'print the signed head, to be kept where nobody else writes')
    .option('--since <file>', 'prove that the ledger goes on from the signed head in the file')
    .addHelpText(
      'after',
      '\nExample:\n  credence prove 12 > proof.json\n  credence prove --head > head.json',
    )
    .action(async (entry: string | undefined, options: ProveOptions) => {
      const proof = await proofOf(context, entry, options);
      context.out.value(proof);
      noteErased(context, proof);
      context.out.text(JSON.stringify(proof, null, 2));
    });
}
