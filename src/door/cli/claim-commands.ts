import type { Command } from 'commander';
import type { Context } from './context.ts';
import { addProposing } from './propose-commands.ts';

/** `credence claim`. */
export function claimCommand(program: Command, context: Context): void {
  const claim = program
    .command('claim')
    .description('say what holds, and what does not')
    .addHelpText('after', '\nExample:\n  credence claim propose --help');
  addProposing(claim, context);
}
