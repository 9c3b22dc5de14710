import { CredenceError } from './base/errors.ts';
import { toInstant } from './base/time.ts';
import type { HookSettings } from './capture/settings.ts';
import type { Home } from './home.ts';
import {
  admissions,
  type FleetCard,
  type Founding,
  foundFleet,
  type Household,
  hostIdOf,
  readFounding,
} from './ledger/found.ts';
import { deposit } from './ledger/inbox.ts';
import { modeParts } from './settings.ts';

/** True once this home has founded or joined the fleet of its store. */
export function isSetUp(home: Home): boolean {
  const pin = home.readPin();
  return (
    pin?.store === home.settings.store && pin.admitted.includes(home.keys.signer('host').address)
  );
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
  const family = household(home, agents);
  const { settings } = home;
  const store = home.store();
  const before = await readFounding(store);
  if (before) assertWanted(home, store.name, before.fleetId);
  const fleet = { fleetId: settings.fleet_id, admission: 'open' as const };
  const founding = before ?? (await foundFleet(store, fleet, family, home.world));
  const joined = await admitFamily(home, founding, family);
  home.keys.hostSecret();
  const named = Object.entries(agents).map(([runtime, id]) => [`agents.${runtime}`, id] as const);
  home.save({ store: settings.store, fleet_id: founding.fleetId, ...Object.fromEntries(named) });
  writeHookSettings(home, founding.fleetId, agents);
  return { fleetId: founding.fleetId, founded: !before, joined, minted, agents };
}

function assertWanted(home: Home, storeName: string, fleetId: string): void {
  const { settings, sources } = home;
  if (sources['fleet_id'] === 'default' || settings.fleet_id === fleetId) return;
  throw new CredenceError(
    'configuration',
    'fleet.other',
    `${storeName} holds fleet ${fleetId}, not ${settings.fleet_id}`,
    {
      next: `set fleet_id to ${fleetId}, or point store to an empty place`,
    },
  );
}

/**
 * Asks for the admission of everyone of this home whom the founding commit does not admit and who was not asked for
 * before; true where this home joins now. The records are dated by the pin, which is written first: a joining
 * that was cut off and begins again asks with the same records.
 */
async function admitFamily(home: Home, founding: Founding, family: Household): Promise<boolean> {
  const { fleetId, entry } = founding;
  const known = home.readPin();
  const base =
    known?.entry === entry
      ? known
      : { joinedAt: toInstant(home.world.now()), admitted: founding.admitted };
  const pin = {
    fleetId,
    entry,
    store: home.settings.store,
    joinedAt: base.joinedAt,
    admitted: base.admitted,
  };
  home.writePin(pin);
  const owed = admissions(family, pin.joinedAt).filter(
    ({ address }) => !pin.admitted.includes(address),
  );
  if (owed.length === 0) return false;
  await deposit(
    home.store(),
    family.hostId,
    home.nextCounter(),
    owed.map(({ record }) => record),
  );
  home.writePin({ ...pin, admitted: [...pin.admitted, ...owed.map(({ address }) => address)] });
  return owed.some(({ address }) => address === family.host.address);
}

/**
 * Refuses a store that is not the one this home joined. Throws `fleet.none` where it joined none, `fleet.missing`
 * where the store holds no fleet any more, `fleet.pin` where it holds another.
 */
export function assertPinned(
  home: Home,
  storeName: string,
  card: FleetCard | undefined,
): asserts card is FleetCard {
  const pin = home.readPin();
  if (!pin) {
    throw new CredenceError('configuration', 'fleet.none', 'this home has not joined a fleet', {
      next: 'run `credence init`',
    });
  }
  if (!card) {
    throw new CredenceError(
      'unavailable',
      'fleet.missing',
      `${storeName} no longer holds fleet ${pin.fleetId}`,
      {
        next: 'bring the store back: nothing captured is lost meanwhile, it stays in the spool',
      },
    );
  }
  if (card.entry !== pin.entry) {
    throw new CredenceError(
      'configuration',
      'fleet.pin',
      `${storeName} holds another fleet than the one this home joined`,
      {
        next: 'point store back, or run `credence init` to join the other one',
      },
    );
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What the hook has to know of the settings. */
export function hookSettingsOf(
  home: Home,
  fleetId: string,
  agents: Readonly<Record<string, string>>,
): HookSettings {
  const { settings, keys, main } = home;
  return {
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
}

/** Writes `hook.json`, from which alone the hook knows what is set. */
export function writeHookSettings(
  home: Home,
  fleetId: string,
  agents: Readonly<Record<string, string>>,
): void {
  const hook = hookSettingsOf(home, fleetId, agents);
  home.writeHookSettings(`${JSON.stringify(hook, undefined, 2)}\n`);
}
