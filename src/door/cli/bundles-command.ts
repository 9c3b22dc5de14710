import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { type ForeignClaim, foreignClaims, listOrigins, type Origin } from '../../query/foreign.ts';
import { readerOf } from '../../snapshot/database.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { count } from './output.ts';
import { assertPerson } from './said.ts';

function originLine(origin: Origin): string {
  const { fleet, fleetId, claims, taken, commit } = origin;
  return `${safeId(fleet)}  ${sanitise(fleetId, 64)}: ${count(claims, 'claim')} up to its commit ${commit}, ${taken} of which count here`;
}

function claimLine(claim: ForeignClaim): string {
  const { id, principal, statement, corroborations, contradictions, retired, taken } = claim;
  const marks = [
    retired ? pc.yellow('withdrawn') : '',
    taken === null ? 'foreign' : pc.green(`counts here from entry ${taken} on`),
    `there +${corroborations} −${contradictions}`,
  ].filter((mark) => mark !== '');
  return `${safeId(id)}  ${sanitise(statement, 300)}\n   ${pc.dim(`${sanitise(principal, 160)}, ${sanitise(claim.space, 80)}; ${marks.join(', ')}`)}`;
}

/** The fleet that is meant by its id, its founding record's, or the beginning of that. */
function originMeant(origins: readonly Origin[], ref: string): Origin {
  const found = origins.filter(({ fleet, fleetId }) => fleet.startsWith(ref) || fleetId === ref);
  const [origin, other] = found;
  if (origin && !other) return origin;
  const code = origin ? 'origin.ambiguous' : 'origin.missing';
  const what = origin
    ? `several fleets are meant by ${ref}`
    : `nothing of a fleet ${ref} was imported`;
  throw new CredenceError(origin ? 'incorrect' : 'missing', code, what, {
    data: { ref, candidates: found.map(({ fleet }) => fleet) },
    next: '`credence bundles` lists the fleets; give the beginning of what stands first in a line',
  });
}

function showOrigin(context: Context, ref: string): void {
  // What nobody here admitted is told to no agent, as a candidate of another's is not.
  assertPerson(context, 'agents read nothing of other fleets');
  const { world } = context.home();
  const { origin, claims } = context.read('state', (sql) => {
    const reader = readerOf(sql);
    const one = originMeant(listOrigins(reader), ref);
    return { origin: one, claims: foreignClaims(reader, one, world.now()) };
  });
  context.out.value({ ...origin, held: claims });
  context.out.text(originLine(origin));
  for (const claim of claims) context.out.text(claimLine(claim));
}

function listAction(context: Context): void {
  const origins = context.tryRead('state', (sql) => listOrigins(readerOf(sql))) ?? [];
  context.out.value({ origins });
  for (const origin of origins) context.out.text(originLine(origin));
  if (origins.length === 0)
    context.out.text('no bundle was imported yet; `credence import-bundle <file>` brings one in');
}

/** `credence bundles`. */
export function bundlesCommand(program: Command, context: Context): void {
  program
    .command('bundles')
    .description('what other fleets say, as bundles of theirs brought it')
    .argument(
      '[fleet]',
      'show the claims of a fleet: its id, or the beginning of its founding record’s',
    )
    .addHelpText('after', '\nExample:\n  credence bundles\n  credence bundles 3f9a01')
    .action((fleet: string | undefined) => {
      if (fleet === undefined) listAction(context);
      else showOrigin(context, fleet);
    });
}
