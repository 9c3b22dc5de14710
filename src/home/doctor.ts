import { CredenceError, messageOf } from '../base/errors.ts';
import { unsealed } from '../base/keyring.ts';
import { explained } from '../base/system-error.ts';
import { sanitise } from '../brief/sanitise.ts';
import { UNCONFIGURED } from '../capture/settings.ts';
import { PREFIX } from '../lake/layout.ts';
import { type Check, probeStore } from '../lake/probe.ts';
import { readFleet } from '../ledger/found.ts';
import type { sealedParts } from '../query/session.ts';
import { HOOK_EVENTS } from '../runtime/claude-code/hook.ts';
import type { Home } from './home.ts';
import { hookState } from './hook-state.ts';
import { assertPinned, isSetUp } from './set-up.ts';

/** What the checks try. */
export interface Tried {
  readonly home: Home;
  /** Writes into a folder and takes it away again. Throws Node's errors. */
  readonly tryToWrite: (folder: string) => void;
  readonly isFile: (path: string) => boolean;
  /** The hooks in a runtime's settings file, and why they are not run, though they are there. */
  readonly installed: (runtime: string) => {
    readonly path: string;
    readonly events: readonly string[];
    readonly fault: string | null;
  };
  /** What is wrong with a snapshot; undefined where it is whole. Throws `state.missing`, `sqlite.*`. */
  readonly damage: (which: 'state' | 'agent') => string | undefined;
  /** The parts that the ledger names. Throws as `damage` does. */
  readonly named: () => ReturnType<typeof sealedParts>;
  /** Whom sealed sessions are sent to, if anybody. Throws `model.*` where that can't be done. */
  readonly model: () => string;
  /** Hears how many of them were found so far. */
  readonly found: (n: number, of: number) => void;
}

type Verdict = readonly [ok: boolean, says: string, next?: string];

const SYNC = 'and run `credence sync --once`, which builds it again';

/** As many lost parts as a person would look for by hand. */
const LOST_MAX = 20;

/** One check: what it finds or throws says more than `next`, where that names a next step of its own. */
async function attempt(
  name: string,
  next: string,
  body: () => Verdict | Promise<Verdict>,
): Promise<Check> {
  try {
    const [ok, says, own = next] = await body();
    return ok ? { name, ok, says } : { name, ok, says, next: own };
  } catch (thrown) {
    const error = explained(thrown);
    const own = error instanceof CredenceError ? error.next : undefined;
    return { name, ok: false, says: messageOf(error), next: own ?? next };
  }
}

/** Tries everything that can be wrong with an installation. */
export async function doctorChecks(tried: Tried): Promise<Check[]> {
  const { home } = tried;
  const { folders, hookFile } = home;
  const fleet = await attempt('fleet', 'run `credence init`', async () => {
    if (!isSetUp(home)) return [false, 'not set up'];
    const store = home.store();
    const card = await readFleet(store);
    assertPinned(home, store.name, card);
    return [true, `joined ${card.fleetId} in ${store.name}`];
  });
  const snapshot = await attempt('snapshot', `remove it from ${folders.home}, ${SYNC}`, () => {
    for (const which of ['state', 'agent'] as const) {
      const damage = tried.damage(which);
      if (damage !== undefined) return [false, `${which}.sqlite is damaged: ${damage}`];
    }
    return [true, 'state.sqlite and agent.sqlite are whole'];
  });
  const checks = [
    await attempt('folders', 'make them writable', () => {
      for (const folder of [folders.config, folders.home]) tried.tryToWrite(folder);
      return [
        true,
        `settings in ${folders.config}, all else in ${folders.home}: both can be written`,
      ];
    }),
    await attempt('keys', 'chmod 600 the file that it names', () => {
      // Opened, not only read: under a passphrase that is not there, or another one, no sync can sign.
      const own = ['host', ...Object.values(home.settings.agents).map((id) => `agent-${id}`)];
      const [host] = own.map((name) => unsealed(home.keys.signer(name)));
      return [true, `host ${host?.address.slice(0, 24)}…, and each of ${own.length} can sign`];
    }),
    fleet,
    await attempt('agents', 'run `credence init`', () => {
      const agents = Object.entries(home.settings.agents);
      const names = agents.map(([runtime, id]) => `${id} for ${runtime}`).join(', ');
      return [agents.length > 0, names || UNCONFIGURED];
    }),
    await attempt('hook', 'run `npm run build`, or install the package again', () => [
      tried.isFile(hookFile),
      hookFile,
    ]),
    await attempt('installed', 'run `credence install claude-code`', () => {
      const { events, path, fault } = tried.installed('claude-code');
      const server = home.handoffTool() === undefined ? 'no MCP server' : 'the MCP server';
      const says = `${events.length} of ${HOOK_EVENTS.length} hooks in ${path}; ${server} beside them`;
      if (fault !== null) return [false, `${says}, and none is run: ${fault}`];
      return [events.length >= HOOK_EVENTS.length, says];
    }),
    await attempt('hook.json', 'run `credence sync --once`', () => {
      const [fault] = hookState(home).faults;
      return fault ? [false, fault.says, fault.next] : [true, 'hooks go by what the settings say'];
    }),
    await attempt('model', 'correct it with `credence config set summarize.batch.…`', () => [
      true,
      tried.model(),
    ]),
    snapshot,
    await partsCheck(tried, fleet, snapshot),
  ];
  return [...checks, ...(await storeChecks(home, fleet)), CLOCK];
}

/** Whether the store still has what the ledger names: by one look through its names, whatever is in them. */
async function partsCheck(
  { home, named, found }: Tried,
  fleet: Check,
  snapshot: Check,
): Promise<Check> {
  const before = [fleet, snapshot].find((check) => !check.ok);
  if (before) return { ...before, name: 'parts', says: `not tried without the ${before.name}` };
  const next = 'restore them from a backup of the store, under the same names';
  return attempt('parts', next, async () => {
    const missing = new Map(
      named().flatMap(({ session, keys }) => keys.map((key) => [key, session])),
    );
    const all = missing.size;
    for await (const key of home.store().list(PREFIX.sessions))
      if (missing.delete(key)) found(all - missing.size, all);
    if (missing.size === 0) return [true, `all ${all} that the ledger names are in the store`];
    const lost = [...missing]
      .slice(0, LOST_MAX)
      .map(([key, session]) => `\n    ${sanitise(session, 80)}: ${sanitise(key, 400)}`);
    const more = missing.size > lost.length ? `\n    and ${missing.size - lost.length} more` : '';
    const says = `${missing.size} of ${all} that the ledger names are not in the store:`;
    return [false, `${says}${lost.join('')}${more}`];
  });
}

const CLOCK: Check = {
  name: 'clock',
  ok: true,
  says: 'a directory has no clock of its own: commits are dated by this machine’s',
};

/** Writes to the store that holds this home's fleet, and to no other: a folder may be a volume that is not mounted. */
async function storeChecks(home: Home, fleet: Check): Promise<Check[]> {
  if (!fleet.ok) return [{ ...fleet, name: 'store', says: 'not tried without the fleet' }];
  const found: Check[] = [];
  const opened = await attempt('store', 'make it reachable', async () => {
    found.push(...(await probeStore(home.store(), home.world)));
    return [true, ''];
  });
  return opened.ok ? found : [opened];
}
