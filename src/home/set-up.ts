import { CredenceError } from '../base/errors.ts';
import { defined } from '../base/unknown.ts';
import type { HookSettings } from '../capture/settings.ts';
import { type FleetCard, type Founding, foundFleet, readFounding } from '../ledger/found.ts';
import { type Home, hostIdIn, type Pin } from './home.ts';
import { admitFamily, assertFree, household, requestOf } from './joining.ts';
import { modeParts, Name } from './settings.ts';

/**
 * True once this home has founded or joined a fleet. Where its store lies now doesn't matter: whoever opens that
 * compares it with the pin.
 */
export function isSetUp(home: Pick<Home, 'readPin' | 'keys'>): boolean {
  return home.readPin()?.admitted.includes(home.keys.signer('host').address) === true;
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
  /** Found a fleet that admits nobody by itself. */
  readonly closed?: boolean;
  /** Join a fleet that is there, and ask for what an admin alone can give. */
  readonly asks?: boolean;
}

/** What setting up came to: each is true where it was done now. */
export interface SetUp {
  readonly fleetId: string;
  readonly founded: boolean;
  readonly joined: boolean;
  readonly minted: Readonly<Record<string, string>>;
  readonly agents: Readonly<Record<string, string>>;
  /** The line that an admin is to be given; absent where none has to be asked. */
  readonly request?: string;
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
 * Idempotent. Throws `agent.id`, `agent.taken`, `fleet.none`, `fleet.open`, `store.gone` where the store was that this home joined, `fleet.other` where it belongs
 * to another fleet than the one that was named, and as `assertPinned` where this home has joined a fleet and the store does not hold it.
 */
export async function setUp(home: Home, wanted: Wanted): Promise<SetUp> {
  const minted = newAgentIds(home, wanted);
  const agents = { ...home.settings.agents, ...minted };
  const { settings } = home;
  const store = home.store({ make: isNewPlace(home, wanted) });
  const before = await readFounding(store);
  if (before) assertWanted(home, store.name, before.fleetId);
  assertAdmission(store.name, before, wanted);
  leaveOrStay(home, store.name, before, wanted.leave);
  const known = home.readPin();
  const pin = known?.entry === before?.entry ? known : undefined;
  if (before && wanted.asks !== true)
    await assertFree({ store, keys: home.keys }, chosenIds(home, wanted, pin), pin);
  const family = household(home, agents, pin);
  const admission = wanted.closed === true ? 'closed' : 'open';
  const founding =
    before ??
    (await foundFleet(store, { fleetId: settings.fleet_id, admission }, family, home.world));
  const ids = Object.entries(agents).map(([runtime, id]) => [`agents.${runtime}`, id] as const);
  // Before the pin: a set-up that is cut off in between goes on at the same store, whoever goes on with it.
  home.save({ store: settings.store, fleet_id: founding.fleetId, ...Object.fromEntries(ids) });
  const joined = await admitFamily(home, founding, family);
  home.keys.hostSecret();
  // Whoever founded the fleet draws its secret; others are handed it.
  if (founding.admitted[0] === family.person.address) home.keys.keepFleetSecret(founding.entry);
  writeHookSettings(home, founding.fleetId, agents);
  const request = requestOf(founding, family, wanted.asks === true);
  const done = { fleetId: founding.fleetId, founded: !before, joined, minted, agents };
  return { ...done, ...(request === undefined ? {} : { request }) };
}

/** The agent ids that somebody chose, and that this home has not asked for: those that were drawn are nobody else's. */
function chosenIds(home: Home, { runtimes, agentIds }: Wanted, pin: Pin | undefined): string[] {
  const chosen = [
    ...Object.values(agentIds ?? {}),
    ...runtimes.flatMap((runtime) => home.settings.agents[runtime] ?? []),
  ];
  const isAsked = (id: string) => {
    const address = home.keys.peek(`agent-${id}`)?.address;
    return address !== undefined && pin?.admitted.includes(address) === true;
  };
  return [...new Set(chosen)].filter((id) => !isAsked(id));
}

/** Throws `fleet.none` where a fleet is to be joined and none is there, `fleet.open` where a closed one is wanted and it is not. */
function assertAdmission(storeName: string, found: Founding | undefined, wanted: Wanted): void {
  if (!found && wanted.asks === true) {
    throw new CredenceError('missing', 'fleet.none', `${storeName} holds no fleet to join`, {
      next: 'found one with `credence init`, or name the store of another with --store',
    });
  }
  if (found?.admission === 'open' && wanted.closed === true) {
    throw new CredenceError(
      'conflict',
      'fleet.open',
      `${storeName} holds fleet ${found.fleetId}, which admits whoever comes`,
      {
        next: 'found a closed fleet on a store of its own: `credence init --closed --store <url>`',
      },
    );
  }
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
  const { settings, main } = home;
  return {
    fleet_id: fleetId,
    host_id: hostIdIn(home),
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
  const rules = hookSettingsOf({ ...home, settings: home.lasting() }, fleetId, agents);
  const hook = { ...rules, ...defined({ handoff_tool: home.handoffTool() }) };
  // A hook hears of a pause only when it runs: what an agent writes until then would come in from its transcript.
  home.notePause(hook.pause, home.world.now());
  home.writeHookSettings(`${JSON.stringify(hook, undefined, 2)}\n`);
}
