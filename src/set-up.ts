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
import { modeParts, Name } from './settings.ts';

/**
 * True once this home has founded or joined a fleet. Where its store lies now doesn't matter: whoever opens that
 * compares it with the pin.
 */
export function isSetUp(home: Pick<Home, 'readPin' | 'keys'>): boolean {
  return home.readPin()?.admitted.includes(home.keys.signer('host').address) === true;
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

/** What to set up. */
export interface Wanted {
  readonly runtimes: readonly string[];
  /** Runtime → the id that its agent is to have. */
  readonly agentIds?: Readonly<Record<string, string>>;
  /** Called before a home leaves the fleet that it joined for the one of another store; without it, none does. */
  readonly leave?: () => void;
}

/** What setting up came to: each is true where it was done now. */
export interface SetUp {
  readonly fleetId: string;
  readonly founded: boolean;
  readonly joined: boolean;
  readonly minted: Readonly<Record<string, string>>;
  readonly agents: Readonly<Record<string, string>>;
}

/** The ids that the file does not hold yet. Throws `agent.id`. */
function newAgentIds(home: Home, wanted: Wanted): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const runtime of wanted.runtimes) {
    const known = home.settings.agents[runtime];
    const id = wanted.agentIds?.[runtime] ?? known ?? mintAgentId(home, runtime);
    assertAgentId(id);
    if (id !== known || home.sources[`agents.${runtime}`] !== 'file') ids[runtime] = id;
  }
  return ids;
}

/** Throws `agent.id` for what can't be an agent's id: a key's file is named by it, and the settings refuse it. */
export function assertAgentId(id: string): void {
  const parsed = Name.safeParse(id);
  if (parsed.success) return;
  throw new CredenceError('usage', 'agent.id', `${JSON.stringify(id)} is no agent id`, {
    next: `give one of ${parsed.error.issues[0]?.message}`,
  });
}

/**
 * Founds or joins the fleet of the store where that was not done, and gives each runtime an agent that has none.
 * Idempotent. Throws `agent.id`, `store.gone` where the store was that this home joined, `fleet.other` where it belongs
 * to another fleet than the one that was named, and as `assertPinned` where this home has joined a fleet and the store does not hold it.
 */
export async function setUp(home: Home, wanted: Wanted): Promise<SetUp> {
  const minted = newAgentIds(home, wanted);
  const agents = { ...home.settings.agents, ...minted };
  const { settings } = home;
  const store = home.store({ make: isNewPlace(home, wanted) });
  const before = await readFounding(store);
  if (before) assertWanted(home, store.name, before.fleetId);
  leaveOrStay(home, store.name, before, wanted.leave);
  const family = household(home, agents);
  const fleet = { fleetId: settings.fleet_id, admission: 'open' as const };
  const founding = before ?? (await foundFleet(store, fleet, family, home.world));
  const named = Object.entries(agents).map(([runtime, id]) => [`agents.${runtime}`, id] as const);
  // Before the pin: a set-up that is cut off in between goes on at the same store, whoever goes on with it.
  home.save({ store: settings.store, fleet_id: founding.fleetId, ...Object.fromEntries(named) });
  const joined = await admitFamily(home, founding, family);
  home.keys.hostSecret();
  writeHookSettings(home, founding.fleetId, agents);
  return { fleetId: founding.fleetId, founded: !before, joined, minted, agents };
}

/** True where this home may make the store: it has none yet, or turns to another by intent. */
function isNewPlace({ readPin, settings }: Home, { leave }: Wanted): boolean {
  const pin = readPin();
  return pin === undefined || (leave !== undefined && pin.store !== settings.store);
}

/** A home never founds a second fleet where the one was that it joined, and goes elsewhere only by intent. */
function leaveOrStay(
  home: Home,
  storeName: string,
  found: FleetCard | undefined,
  leave: Wanted['leave'],
): void {
  const pin = home.readPin();
  if (!pin || found?.entry === pin.entry) return;
  if (leave && pin.store !== home.settings.store) leave();
  else assertPinned(home, storeName, found);
}

function assertWanted(home: Home, storeName: string, fleetId: string): void {
  const { settings, sources } = home;
  // What the file says of a home that has joined a fleet is that fleet's name, not a wish.
  const isWish =
    sources['fleet_id'] !== 'default' && !(sources['fleet_id'] === 'file' && home.readPin());
  if (!isWish || settings.fleet_id === fleetId) return;
  throw new CredenceError(
    'configuration',
    'fleet.other',
    `${storeName} holds fleet ${fleetId}, not ${settings.fleet_id}`,
    {
      next: `name fleet ${fleetId}, or point store to an empty place`,
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
  home: Pick<Home, 'readPin' | 'settings'>,
  storeName: string,
  card: FleetCard | undefined,
): asserts card is FleetCard {
  const pin = home.readPin();
  if (!pin) {
    throw new CredenceError('configuration', 'fleet.none', 'this home has not joined a fleet', {
      next: 'run `credence init`',
    });
  }
  const elsewhere = pin.store !== home.settings.store;
  const turn = `point store back to ${pin.store}, or turn to the other one with \`credence init --store <url>\``;
  if (!card) {
    throw new CredenceError(
      'unavailable',
      'fleet.missing',
      elsewhere
        ? `${storeName} does not hold fleet ${pin.fleetId}, which this home joined in ${pin.store}`
        : `${storeName} no longer holds fleet ${pin.fleetId}`,
      {
        next: elsewhere
          ? turn
          : 'bring the store back: nothing captured is lost meanwhile, it stays in the spool',
      },
    );
  }
  if (card.entry !== pin.entry) {
    throw new CredenceError(
      'configuration',
      'fleet.pin',
      `${storeName} holds another fleet than the one this home joined`,
      {
        next: elsewhere
          ? turn
          : `bring back the store that held fleet ${pin.fleetId}, or point store to where it is`,
      },
    );
  }
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;

/** What hooks do as the settings say. */
export function hookRules(
  settings: Home['settings'],
): Pick<
  HookSettings,
  'pause' | 'exclude' | 'denied_paths' | 'refuse_denied' | 'handoffs' | 'claims'
> {
  const { handoffs, reads } = modeParts(settings['summarize.mode']);
  return {
    pause: settings['capture.pause'],
    exclude: settings['capture.exclude'],
    denied_paths: settings['capture.denied_paths'],
    refuse_denied: settings['capture.refuse_denied'],
    handoffs,
    claims: reads,
  };
}

/** All that the hook has to know. */
export function hookSettingsOf(
  home: Omit<Home, 'store' | 'save'>,
  fleetId: string,
  agents: Readonly<Record<string, string>>,
): HookSettings {
  const { settings, keys, main } = home;
  return {
    fleet_id: fleetId,
    host_id: hostIdOf(keys.signer('host').address),
    agents,
    ...hookRules(settings),
    sync_command: [...main, 'sync', '--once', '--quiet', '--maintain'],
    handoff_command: `${main.map(quoted).join(' ')} handoff`,
  };
}

/** Writes `hook.json`, from which alone the hook knows what is set: not by a variable, which holds for one call. */
export function writeHookSettings(
  home: Omit<Home, 'store' | 'save'>,
  fleetId: string,
  agents: Readonly<Record<string, string>>,
): void {
  const hook = hookSettingsOf({ ...home, settings: home.lasting() }, fleetId, agents);
  // A hook hears of a pause only when it runs: what an agent writes until then would come in from its transcript.
  home.notePause(hook.pause, home.world.now());
  home.writeHookSettings(`${JSON.stringify(hook, undefined, 2)}\n`);
}
