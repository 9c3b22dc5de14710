import { CredenceError } from './base/errors.ts';
import type { HookSettings } from './capture/settings.ts';
import type { Home } from './home.ts';
import {
  admissions,
  agentAdmission,
  foundFleet,
  type Household,
  hostIdOf,
  readFleet,
} from './ledger/found.ts';
import { deposit } from './ledger/inbox.ts';
import { modeParts } from './settings.ts';

/** True once this home has founded or joined the fleet of its store. */
export function isSetUp(home: Home): boolean {
  return home.readPin()?.store === home.settings.store;
}

function household(home: Home, agents: Readonly<Record<string, string>>): Household {
  const host = home.keys.signer('host');
  return {
    person: home.keys.signer('person'),
    host,
    hostId: hostIdOf(host.address),
    agents: [...new Set(Object.values(agents))].map((id) => ({
      id,
      signer: home.keys.signer(`agent-${id}`),
    })),
  };
}

/** An id for an agent of a runtime that has none: `<user>-<runtime>-<4 characters>`. */
function mintAgentId(home: Home, runtime: string): string {
  return `${home.user}-${runtime}-${Buffer.from(home.world.random(2)).toString('hex')}`;
}

/** What setting up came to: each is true where it was done now. */
export interface SetUp {
  readonly fleetId: string;
  readonly founded: boolean;
  readonly joined: boolean;
  readonly minted: Readonly<Record<string, string>>;
  readonly agents: Readonly<Record<string, string>>;
}

/**
 * Founds or joins the fleet of the store where that was not done, and gives each runtime an agent that has none.
 * Idempotent. Throws `fleet.other` where the store belongs to another fleet than the settings name.
 */
export async function setUp(
  home: Home,
  wanted: {
    readonly runtimes: readonly string[];
    readonly agentIds?: Readonly<Record<string, string>>;
  },
): Promise<SetUp> {
  const minted: Record<string, string> = {};
  for (const runtime of wanted.runtimes) {
    const id =
      wanted.agentIds?.[runtime] ?? home.settings.agents[runtime] ?? mintAgentId(home, runtime);
    if (id !== home.settings.agents[runtime]) minted[runtime] = id;
  }
  const agents = { ...home.settings.agents, ...minted };
  const store = home.store();
  const known = await readFleet(store);
  const family = household(home, agents);
  const { sources, settings } = home;
  if (known && sources['fleet_id'] !== 'default' && known.fleetId !== settings.fleet_id) {
    throw new CredenceError(
      'configuration',
      'fleet.other',
      `${store.name} holds fleet ${known.fleetId}, not ${settings.fleet_id}`,
      {
        next: `set fleet_id to ${known.fleetId}, or point store to an empty place`,
      },
    );
  }
  const fleet = { fleetId: settings.fleet_id, admission: 'open' as const };
  const card = known ?? (await foundFleet(store, fleet, family, home.world));
  const joins = known !== undefined && home.readPin()?.entry !== card.entry;
  const now = home.world.now();
  if (joins) await deposit(store, family.hostId, home.nextCounter(), admissions(family, now));
  else if (known) {
    const fresh = family.agents.filter(({ id }) => Object.values(minted).includes(id));
    const records = fresh.map(({ id, signer }) => agentAdmission(family, id, signer, now));
    if (records.length > 0) await deposit(store, family.hostId, home.nextCounter(), records);
  }
  home.keys.hostSecret();
  const named = Object.fromEntries(
    Object.entries(agents).map(([runtime, id]) => [`agents.${runtime}`, id]),
  );
  home.save({ store: settings.store, fleet_id: card.fleetId, ...named });
  home.writePin({ ...card, store: settings.store });
  writeHookSettings(home, card.fleetId, agents);
  return { fleetId: card.fleetId, founded: !known, joined: joins, minted, agents };
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** Writes `hook.json`, from which alone the hook knows what is set. */
export function writeHookSettings(
  home: Home,
  fleetId: string,
  agents: Readonly<Record<string, string>>,
): void {
  const { settings, keys, main } = home;
  const hook: HookSettings = {
    fleet_id: fleetId,
    host_id: hostIdOf(keys.signer('host').address),
    agents,
    pause: settings['capture.pause'],
    exclude: settings['capture.exclude'],
    denied_paths: settings['capture.denied_paths'],
    refuse_denied: settings['capture.refuse_denied'],
    handoffs: modeParts(settings['summarize.mode']).handoffs,
    sync_command: [...main, 'sync', '--once', '--quiet'],
    handoff_command: `${main.map(quoted).join(' ')} handoff`,
  };
  home.writeHookSettings(`${JSON.stringify(hook, undefined, 2)}\n`);
}
