import type { Command } from 'commander';
import type { Signer } from '../../base/ed25519.ts';
import { CredenceError } from '../../base/errors.ts';
import { observer } from '../../brief/describe-claim.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { principalOf } from '../../fold/view.ts';
import type { ClaimView } from '../../query/claims.ts';
import { shownId } from '../../query/shown-id.ts';
import { readerOf } from '../../snapshot/database.ts';
import { findClaim } from './claims-command.ts';
import type { Context } from './context.ts';
import { addProposing } from './propose-commands.ts';
import { ownWords, say } from './said.ts';

/** The keys of this home by which whoever runs this may speak: an agent inside its session by its own alone. */
function ownSigners(context: Context): Signer[] {
  const { keys, settings } = context.home();
  const calling = context.local.callingSession();
  const named = calling ? [settings.agents[calling.runtime]] : Object.values(settings.agents);
  const agents = [...new Set(named)].flatMap((id) =>
    id === undefined ? [] : [keys.signer(`agent-${id}`)],
  );
  return calling ? agents : [keys.signer('person'), ...agents, keys.signer('host')];
}

/** A key that speaks for a claim's author: by name, since a new key is no new voice. Throws `claim.author` where this home has none. */
function authorOf(context: Context, claim: ClaimView): Signer {
  const speaks = ({ address }: Signer) => {
    const known = context.read('state', (sql) => principalOf(readerOf(sql), address));
    return known?.principal === claim.principal && known.revoked === undefined;
  };
  const signer = ownSigners(context).find(speaks);
  if (signer) return signer;
  throw new CredenceError(
    'forbidden',
    'claim.author',
    `claim ${safeId(claim.id)} is of ${observer(claim)}, who signed it with ${safeId(claim.author, 60)}: only that author withdraws it`,
    {
      data: { id: claim.id, author: claim.author },
      next: 'run it in the home that has a key of that name; whoever saw otherwise contradicts the claim',
    },
  );
}

interface RetireOptions {
  readonly reason: string;
  readonly dryRun?: boolean;
}

async function retireAction(context: Context, id: string, options: RetireOptions): Promise<void> {
  const { claim, shown } = context.read('state', (sql) => {
    const found = findClaim(context, sql, id);
    return { claim: found, shown: shownId(sql, 'claim', found.id) };
  });
  const signer = authorOf(context, claim);
  const reason = ownWords(context, options.reason);
  if (claim.status === 'retired') {
    throw new CredenceError('incorrect', 'claim.retired', `claim ${shown} is withdrawn already`, {
      next: `\`credence claims ${shown}\` shows it`,
    });
  }
  if (options.dryRun === true) {
    context.out.value({ claim: claim.id, reason, dryRun: true });
    context.out.text(`would withdraw ${shown} for good: ${sanitise(claim.statement, 300)}`);
    return;
  }
  const record = await say(context, `claim ${shown}`, (base) =>
    base.retire(claim.id, reason, signer),
  );
  context.out.value({ claim: claim.id, reason, record });
  context.out.text(`withdrew ${shown}: no agent is told of it any more, and its history stays`);
}

/** `credence claim <verb>`: what an author does with its claims. */
export function claimCommands(program: Command, context: Context): void {
  const claim = program
    .command('claim')
    .description('say something about a claim')
    .addHelpText(
      'after',
      '\nExample:\n  credence claim retire 3fa9c1d2 --reason "the flag is gone"',
    );
  addProposing(claim, context);
  claim
    .command('retire')
    .description('withdraw a claim of one’s own, for good')
    .argument('<id>', 'a claim’s id, or how it begins')
    .requiredOption('--reason <text>', 'why')
    .option('--dry-run', 'say what would be recorded, and record nothing')
    .addHelpText(
      'after',
      '\nExample:\n  credence claim retire 3fa9c1d2 --reason "the flag is gone"',
    )
    .action((id: string, options: RetireOptions) => retireAction(context, id, options));
}
