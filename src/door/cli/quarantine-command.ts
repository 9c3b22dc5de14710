import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { readerOf } from '../../snapshot/database.ts';
import type { Context } from './context.ts';
import { assertPerson, ownWords, say } from './said.ts';

interface QuarantineOptions {
  readonly release?: boolean;
  readonly reason?: string;
}

/** Nobody of the fleet goes by a name. */
export function unknownAgent(agent: string): CredenceError {
  const what = `nobody of the fleet is called ${sanitise(agent, 80)}`;
  return new CredenceError('missing', 'agent.unknown', what, {
    next: '`credence agents` lists who is',
  });
}

/** Holds an agent back, or releases it, by an entry that the gate reads. Throws `trust.reason`, `agent.unknown`. */
export async function quarantineAction(
  context: Context,
  agent: string,
  options: QuarantineOptions,
): Promise<void> {
  const { release = false, reason } = options;
  if (reason === undefined || reason.trim() === '') {
    throw new CredenceError('usage', 'trust.reason', 'whoever reads it later asks why', {
      next: 'add --reason "what you saw"',
    });
  }
  const isKnown = context.read(
    'state',
    (sql) => readerOf(sql).where('principals', 'principal', agent).length > 0,
  );
  if (!isKnown) throw unknownAgent(agent);
  const status = release ? 'active' : 'quarantined';
  const why = ownWords(context, reason);
  const signer = context.home().keys.signer('person');
  const id = await say(context, `agent ${agent}`, (base) => base.trust(agent, status, why, signer));
  context.out.value({ agent, status, reason: why, record: id });
  context.out.text(
    release
      ? `released ${agent}: what it claims can be promoted again; what was contested stays so until somebody settles it`
      : `quarantined ${agent}: nothing of it is promoted, and what was is contested at the next maintenance; it is captured as before`,
  );
}

/** `credence quarantine <agent>`. */
export function quarantineCommand(program: Command, context: Context): void {
  program
    .command('quarantine')
    .description('hold back what an agent claims, or release it')
    .argument('<agent>', 'its name, as `credence agents` shows it')
    .option('--release', 'let what it claims be promoted again')
    .option('--reason <text>', 'why')
    .addHelpText(
      'after',
      '\nExample:\n  credence quarantine cc-03 --reason "its claims about ports are all stale"',
    )
    .action((agent: string, options: QuarantineOptions) => {
      assertPerson(context, 'an agent quarantines nobody');
      return quarantineAction(context, agent, options);
    });
}
