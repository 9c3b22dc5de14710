import { type Command, InvalidArgumentError } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import {
  type AdmitPlan,
  admitAll,
  type Extra,
  planAdmission,
  planRevocation,
  type RevokePlan,
  revokeAll,
} from '../../home/members.ts';
import { planRotation, rotate } from '../../home/rotation.ts';
import type { Parts } from '../../pipeline.ts';
import { Role } from '../../record/fleet.ts';
import { shownKey, shownName } from './agents-command.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { count } from './output.ts';
import { assertPerson, ownWords } from './said.ts';
import { assertMember } from './set-up-commands.ts';

/** Whose business a role usually is. */
const KIND_OF: Readonly<Record<Role, Extra[number]['kind']>> = {
  capture: 'host',
  commit: 'host',
  extract: 'host',
  gate: 'host',
  propose: 'agent',
  review: 'person',
  admin: 'person',
};

function roleOf(text: string, before: Extra): Extra {
  const [, kind, name] = /^(?:(person|host|agent):)?([a-z]+)$/.exec(text) ?? [];
  const role = Role.safeParse(name).data;
  if (role === undefined) {
    throw new InvalidArgumentError(
      `It has to be one of ${Role.options.join(', ')}; \`agent:review\` says for which kind of key.`,
    );
  }
  return [...before, { role, kind: (kind as Extra[number]['kind'] | undefined) ?? KIND_OF[role] }];
}

async function within<T>(context: Context, body: (parts: Parts) => Promise<T>): Promise<T> {
  assertPerson(context, 'people say who is in a fleet, and by which keys');
  assertMember(context);
  const done = await context.withParts(body);
  if (!done) throw busyError();
  return done.value;
}

function entryOf(context: Context): string {
  return context.readPin()?.entry ?? '';
}

const isWaiting = 'it is in the inbox, and waits for a host that may commit';

function admitLines({ planned, standing }: AdmitPlan): string[] {
  const lines = planned.flatMap(
    ({ was, sharedWith, principal, kind, operator, roles, address }) => {
      const before = { new: '', revoked: ', which was revoked', other: ', which stands otherwise' };
      const by = kind === 'person' ? '' : ` of ${shownKey(operator)}`;
      const what = roles.length === 0 ? 'no role' : roles.join(' ');
      const shared =
        sharedWith.length === 0
          ? []
          : [
              `  ${pc.yellow('the name is held')} by ${sharedWith.map(shownKey).join(', ')}: both keys will speak as one`,
            ];
      return [
        `${kind} ${pc.bold(shownName(principal))}${by}: ${what}${before[was]}`,
        `  ${pc.dim(address)}`,
        ...shared,
      ];
    },
  );
  if (standing.length === 0) return lines;
  const stands = standing.length === 1 ? 'stands' : 'stand';
  return [...lines, pc.dim(`${count(standing.length, 'key')} ${stands} as asked already`)];
}

interface AdmitOptions {
  readonly role: Extra;
  readonly dryRun?: boolean;
}

function admitAction(context: Context, request: string, options: AdmitOptions): Promise<void> {
  return within(context, async (parts) => {
    const home = context.home();
    const wanted = { entry: entryOf(context), request, extra: options.role };
    const plan = await planAdmission(home, parts, wanted);
    const dryRun = options.dryRun === true;
    const taken = dryRun ? false : await admitAll(home, parts, plan);
    context.out.value({ dryRun, taken, ...plan });
    if (plan.planned.length > 0) context.out.text(dryRun ? 'would admit' : pc.green('admitted'));
    for (const line of admitLines(plan)) context.out.text(line);
    if (!dryRun && !taken) context.out.text(isWaiting);
  });
}

function revokeLines({ keys }: RevokePlan): string[] {
  return keys.flatMap(({ kind, principal, address }) => [
    `${kind} ${pc.bold(shownName(principal))}`,
    `  ${pc.dim(address)}`,
  ]);
}

interface RevokeOptions {
  readonly reason?: string;
  readonly dryRun?: boolean;
}

function revokeAction(context: Context, name: string, options: RevokeOptions): Promise<void> {
  return within(context, async (parts) => {
    const home = context.home();
    const plan = await planRevocation(home, parts, name);
    const dryRun = options.dryRun === true;
    const reason = options.reason === undefined ? undefined : ownWords(context, options.reason);
    const taken = dryRun ? false : await revokeAll(home, parts, plan, reason);
    context.out.value({ dryRun, taken, ...plan });
    context.out.text(dryRun ? 'would revoke' : pc.green('revoked'));
    for (const line of revokeLines(plan)) context.out.text(line);
    if (!dryRun)
      context.out.text(
        taken ? 'what it said before stays; what comes from now on is refused' : isWaiting,
      );
  });
}

/** The name of a key of this home. Throws `usage.key`, `key.unknown`. */
function keyNameOf(context: Context, what: string, id: string | undefined): string {
  if (what !== 'agent' && id === undefined) return what;
  if (what !== 'agent' || id === undefined) {
    throw new CredenceError('usage', 'usage.key', 'which key?', {
      next: 'credence fleet rotate host, person, or agent <id>',
    });
  }
  const name = `agent-${id}`;
  if (context.home().keys.peek(name)) return name;
  throw new CredenceError('missing', 'key.unknown', `this home has no key of an agent ${id}`, {
    data: { agent: id },
    next: `its agents: ${Object.values(context.home().settings.agents).join(', ')}`,
  });
}

function rotateAction(
  context: Context,
  what: string,
  id: string | undefined,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<void> {
  const key = keyNameOf(context, what, id);
  return within(context, async (parts) => {
    const home = context.home();
    if (dryRun) {
      const plan = planRotation(home, parts, key);
      context.out.value({ dryRun, ...plan });
      context.out.text(
        `would give ${pc.bold(shownName(plan.principal))} another key for ${shownKey(plan.from)}, and revoke that`,
      );
      return;
    }
    const done = await rotate(home, parts, key);
    context.out.value({ dryRun, ...done });
    context.out.text(
      done.isDone
        ? `${pc.green('rotated')} ${pc.bold(shownName(done.principal))}: ${shownKey(done.to)} in place of ${shownKey(done.from)}, which is revoked`
        : `${shownKey(done.to)} is to take the place of ${shownKey(done.from)}: ${isWaiting}; the next sync goes on`,
    );
  });
}

/** `credence fleet admit`, `revoke` and `rotate`. */
export function fleetCommands(program: Command, context: Context): void {
  const fleet = program
    .command('fleet')
    .description('who may be in the fleet, and by which keys')
    .addHelpText('after', '\nExample:\n  credence fleet admit <request> --dry-run');
  fleet
    .command('admit')
    .description(
      'admit who asks by a request, or give more roles to who is in the fleet; by an admin',
    )
    .argument('<request>', 'the line that `credence join` printed, or a name or address')
    .option(
      '--role <role>',
      'a role beside the usual ones, such as review, admin or agent:review; may be repeated',
      roleOf,
      [],
    )
    .option('--dry-run', 'show who would be admitted as what, and do nothing')
    .addHelpText('after', '\nExample:\n  credence fleet admit credence-join:1:… --role review')
    .action((request: string, options: AdmitOptions) => admitAction(context, request, options));
  fleet
    .command('revoke')
    .description('let a key, or every key of a name, say nothing more; what it said stays')
    .argument('<who>', 'an address, or a name as `credence agents` lists it')
    .option('--reason <text>', 'why; everybody in the fleet can read it')
    .option('--dry-run', 'show which keys it would be, and do nothing')
    .addHelpText('after', '\nExample:\n  credence fleet revoke cc-01 --reason "laptop lost"')
    .action((who: string, options: RevokeOptions) => revokeAction(context, who, options));
  fleet
    .command('rotate')
    .description('replace a key of this home; whoever it speaks for stays the same')
    .argument('<what>', 'host, person, or agent')
    .argument('[id]', 'the agent’s id')
    .option('--dry-run', 'show what would be done, and do nothing')
    .addHelpText('after', '\nExample:\n  credence fleet rotate agent cc-01')
    .action((what: string, id: string | undefined, options: { dryRun?: boolean }) => {
      if (!['host', 'person', 'agent'].includes(what)) {
        throw new CredenceError('usage', 'usage.key', `${what} is no kind of key`, {
          next: 'credence fleet rotate host, person, or agent <id>',
        });
      }
      return rotateAction(context, what, id, options);
    });
}
