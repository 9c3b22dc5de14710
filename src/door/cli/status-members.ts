import { toMs } from '../../base/time.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import { type Home, hostIdIn, type LastSync } from '../../home/home.ts';
import { type Standing, standingOf } from '../../query/members.ts';
import { positionOf } from '../../snapshot/follow.ts';
import { shownKey } from './agents-command.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { ago, count } from './output.ts';

/** A key of this home, and how it stands in the fleet. */
export interface OwnKey {
  readonly kind: 'person' | 'host' | 'agent';
  readonly name: string;
  readonly address: string;
  readonly standing: Standing;
}

function ownNames(home: Pick<Home, 'keys' | 'settings' | 'readPin'>, operator: string) {
  const agents = Object.values(home.settings.agents);
  return [
    { kind: 'person', name: operator, key: 'person' },
    { kind: 'host', name: hostIdIn(home), key: 'host' },
    ...agents.map((id) => ({ kind: 'agent', name: id, key: `agent-${id}` }) as const),
  ] as const;
}

/** The keys of this home as the ledger has them, up to where it was followed; none where it was not. Makes no key. */
export function ownKeys(context: Context): readonly OwnKey[] {
  const home = context.home();
  const pin = home.readPin();
  const operator = pin?.person ?? home.keys.peek('person')?.address;
  if (pin === undefined || operator === undefined || !home.keys.peek('host')) return [];
  const read = context.tryRead('state', (sql) => {
    if (positionOf(sql) === 0) return [];
    return ownNames(home, operator).flatMap(({ kind, name, key }): OwnKey[] => {
      const address = home.keys.peek(key)?.address;
      if (address === undefined) return [];
      return [{ kind, name, address, standing: standingOf(sql, { address, name, operator }) }];
    });
  });
  return read ?? [];
}

const SAYS: Readonly<Record<Exclude<Standing, 'admitted'>, readonly [says: string, next: string]>> =
  {
    waiting: [
      'waits for admission',
      'give an admin of the fleet the line that `credence join` prints; nothing is lost meanwhile',
    ],
    revoked: [
      'its key is revoked, so that what it says is refused',
      '`credence fleet rotate` gives it another, or ask an admin of the fleet',
    ],
    taken: [
      'its name is another person’s, so that what it says is refused',
      'another id by `credence init --agent-id <id>`, or an admin admits it by the line of `credence join`',
    ],
  };

/** What is wrong with the keys of this home. */
export function keyLines(keys: readonly OwnKey[]): string[] {
  return keys.flatMap(({ kind, name, address, standing }) => {
    if (standing === 'admitted') return [];
    const [says, next] = SAYS[standing];
    const who = kind === 'agent' ? `agent ${sanitise(name, 60)}` : `this ${kind}`;
    const line = pc.yellow(`${who} (${shownKey(address)}): ${says}`);
    return [`${line}\n           ${pc.dim('next:')} ${next}`];
  });
}

const REASON = {
  admission: 'for admission',
  date: 'for its date',
  reference: 'for what it names',
  access: 'and can’t be read from here',
} as const;

/** What the last sync left in the inbox. */
export function waitLines(waits: NonNullable<LastSync['waits']>, now: number): string[] {
  return waits.map(({ for: reason, records, host, author, oldest }) => {
    const of = author === undefined ? '' : ` of ${shownKey(author)}`;
    const since = oldest === undefined ? '' : `, the oldest of ${ago(now - toMs(oldest))}`;
    const verb = records === 1 ? 'waits' : 'wait';
    return `${count(records, 'record')}${of} from host ${safeId(host, 16)} ${verb} ${REASON[reason]}${since}`;
  });
}

/** The agents whose claims are contested so often that somebody should look. */
export function contestedLines(
  warned: readonly { readonly agent: string; readonly rate: number }[],
): string[] {
  return warned.map(({ agent, rate }) =>
    pc.yellow(
      `${Math.round(100 * rate)} % of what ${sanitise(agent, 40)} claims: \`credence agents ${safeId(agent)}\` shows it by week`,
    ),
  );
}
