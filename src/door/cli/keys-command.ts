import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { sanitise } from '../../brief/sanitise.ts';
import { pc } from './colour.ts';
import type { Context, ShownKey } from './context.ts';
import { askHidden } from './hidden-prompt.ts';
import { count } from './output.ts';
import { table, terminalWidth } from './table.ts';

const stateOf = ({ sealed, fault }: ShownKey) => fault ?? (sealed ? 'sealed' : 'open');

function listAction(context: Context): void {
  const keys = context.keys.list();
  const { variable, isSet } = context.keys.passphrase();
  context.out.value({ keys, passphrase: { variable: variable ?? null, set: isSet } });
  if (keys.length === 0) context.out.text('no key was made yet: `credence init` makes them');
  else {
    const rows = keys.map((key) => [
      sanitise(key.name, 80),
      sanitise(key.address ?? '', 60),
      stateOf(key),
    ]);
    const width = terminalWidth();
    context.out.text(table(['key', 'address', 'state'], rows, { width, drop: [], cut: [] }));
  }
  for (const line of keyWarnings(context, keys)) context.out.note(line);
}

/** What keeps this home from signing, or will. A line a matter. */
export function keyWarnings(context: Context, keys: readonly ShownKey[]): string[] {
  const { variable, isSet } = context.keys.passphrase();
  const sealed = keys.filter((key) => key.sealed);
  const open = keys.filter((key) => key.sealed === false);
  if (sealed.length > 0 && variable === undefined) {
    return [
      'no setting names the variable that holds the passphrase: a sync can’t sign. Run `credence config set keys.passphrase_env <NAME>`',
    ];
  }
  if (sealed.length > 0 && !isSet)
    return [`${variable} is not set here: what runs here can’t sign`];
  if (open.length > 0 && variable !== undefined)
    return [`${count(open.length, 'key')} not sealed: \`credence keys seal\` seals what is there`];
  return [];
}

/** What the variable holds is taken; else a person is asked, for a new passphrase twice: a slip would lock the keys for good. */
async function passphraseFor(context: Context, to: 'sealed' | 'open'): Promise<string | undefined> {
  if (context.keys.passphrase().isSet) return undefined;
  const word = await askHidden('passphrase of the keys: ');
  if (word === undefined || to === 'open') return word;
  if ((await askHidden('the same again: ')) === word) return word;
  throw new CredenceError('usage', 'key.passphrase_repeated', 'the two are not the same', {
    next: 'run the command again',
  });
}

async function changeAction(
  context: Context,
  to: 'sealed' | 'open',
  dryRun: boolean,
): Promise<void> {
  const passphrase = await passphraseFor(context, to);
  const changed = context.keys.change(to, { passphrase, dryRun });
  context.out.value({ changed, dry_run: dryRun });
  const verb = to === 'sealed' ? 'sealed' : 'opened';
  for (const { name, path } of changed) {
    const said = dryRun ? `would be ${verb}` : pc.green(verb);
    context.out.text(`${said}  ${sanitise(name, 80)}  ${pc.dim(sanitise(path, 400))}`);
  }
  if (changed.length === 0) context.out.text(`nothing to do: every key is ${to}`);
  if (dryRun) return;
  for (const line of keyWarnings(context, context.keys.list())) context.out.note(line);
}

/** `credence keys [seal|open]`. */
export function keysCommand(program: Command, context: Context): void {
  const keys = program
    .command('keys')
    .description('the keys of this home, and whether a passphrase seals them')
    .addHelpText('after', '\nExample:\n  credence keys')
    .action(() => listAction(context));
  const change = (verb: string, to: 'sealed' | 'open', description: string) =>
    keys
      .command(verb)
      .description(description)
      .option('--dry-run', 'say which, and change nothing')
      .addHelpText('after', `\nExample:\n  credence keys ${verb} --dry-run`)
      .action(({ dryRun = false }: { dryRun?: boolean }) => changeAction(context, to, dryRun));
  change('seal', 'sealed', 'seal those that are open under a passphrase');
  change('open', 'open', 'take the passphrase away again');
}
