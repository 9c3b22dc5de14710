import type { Keyring } from '../base/keyring.ts';
import type { Trouble } from '../base/trouble.ts';
import type { World } from '../base/world.ts';
import { parseInboxKey } from '../lake/layout.ts';
import type { ObjectStore } from '../lake/objects.ts';
import type { Waiting } from '../ledger/committer.ts';
import { type FleetCard, hostIdOf } from '../ledger/found.ts';
import { type Mode, modeParts, type Resolved, type Settings } from './settings.ts';

/** The fleet that a home has joined, and where. */
export interface Pin extends FleetCard {
  readonly store: string;
  /** When this home first turned to the fleet; its requests for admission are dated so. */
  readonly joinedAt: string;
  /** Addresses of this home that are admitted, or whose admission was asked for. */
  readonly admitted: readonly string[];
  /** The host's id there, which outlives its first key; absent where that key is still the only one. */
  readonly hostId?: string;
  /** The address that names this home's person there; absent likewise. */
  readonly person?: string;
  /** Keys that are being replaced. */
  readonly rotating?: readonly Rotating[];
}

/** A new key beside the old one: whose, and when its admission was signed. */
export interface Rotating {
  readonly key: string;
  readonly address: string;
  readonly at: string;
  /** The id of its admission, once that was put into the inbox. */
  readonly asked?: string;
}

/** This home's host as its fleet names it: by its first key, whichever it signs with now. */
export function hostIdIn({ readPin, keys }: Pick<Home, 'readPin' | 'keys'>): string {
  return readPin()?.hostId ?? hostIdOf(keys.signer('host').address);
}

/**
 * The mode by which this home's files are built, as it is set now: a variable or a flag holds for one call, and can keep
 * agents from reading but never make them read: a folder that an agent works in can set variables. Throws `settings.*`.
 */
export function publishedMode({ settings, sources, lasting }: Modes): Mode {
  const name = 'summarize.mode';
  const set = lasting()[name];
  const isGiven = sources[name] === 'environment' || sources[name] === 'flag';
  if (!isGiven || modeParts(settings[name]).reads) return set;
  return settings[name];
}
type Modes = Pick<Home, 'settings' | 'sources' | 'lasting'>;

/** True where agents of this home read claims, as it is set now. Throws `settings.*`. */
export function agentsRead(home: Modes): boolean {
  return modeParts(publishedMode(home)).reads;
}

/** How the last sync of this home ended. */
export interface LastSync {
  readonly at: string;
  readonly ok: boolean;
  readonly code?: string;
  readonly message?: string;
  readonly next?: string;
  /** How many sessions and files it passed over, and what was wrong with the first of them. */
  readonly passed_over?: number;
  readonly troubles?: readonly Trouble[];
  /** What it left in the inbox. */
  readonly waits?: readonly Waits[];
}

/** Records of one key, or items of one host, that wait in the inbox for one thing. */
export interface Waits {
  readonly for: Waiting['for'];
  readonly records: number;
  readonly host: string;
  readonly author?: string;
  /** The earliest instant that one of them claims. */
  readonly oldest?: string;
}

/** More than these nobody reads in a status. */
const WAITS_MAX = 20;

function waitsOf(waiting: readonly Waiting[]): Waits[] {
  const groups = new Map<string, Waits>();
  for (const { item, for: reason, author, at } of waiting) {
    const host = parseInboxKey(item)?.host ?? '';
    const key = `${reason}\n${host}\n${author ?? ''}`;
    const group = groups.get(key);
    const [oldest] = [group?.oldest, at].flatMap((one) => one ?? []).sort();
    groups.set(key, {
      for: reason,
      records: (group?.records ?? 0) + 1,
      host,
      ...(author === undefined ? {} : { author }),
      ...(oldest === undefined ? {} : { oldest }),
    });
  }
  return [...groups.values()].slice(0, WAITS_MAX);
}

/** More than these nobody reads in a status. */
const TROUBLES_MAX = 20;

/** A pass that came to its end, whatever it passed over and left in the inbox. */
export function passDone(
  at: string,
  troubles: readonly Trouble[],
  waiting: readonly Waiting[] = [],
): LastSync {
  const passed_over = troubles.length;
  const waits = waiting.length === 0 ? {} : { waits: waitsOf(waiting) };
  if (passed_over === 0) return { at, ok: true, ...waits };
  return { at, ok: true, passed_over, troubles: troubles.slice(0, TROUBLES_MAX), ...waits };
}

/** One home, as commands see it: what is set, its keys, and the small files that it keeps. */
export interface Home {
  readonly settings: Settings;
  readonly sources: Resolved['sources'];
  /**
   * The settings without variables and flags, which hold for one call alone. Throws `settings.*` for what these may have
   * stood over.
   */
  readonly lasting: () => Settings;
  readonly keys: Keyring;
  readonly world: World;
  readonly user: string;
  /** Absolute: settings and keys, everything else, and the settings file. */
  readonly folders: { readonly config: string; readonly home: string };
  readonly configPath: string;
  /** The command line by which a hook and an agent start us, and the hook's file. */
  readonly main: readonly string[];
  readonly hookFile: string;
  /** Throws `store.gone` where there is none, unless it is to be made. */
  readonly store: (options?: { readonly make: boolean }) => ObjectStore;
  readonly nextCounter: () => number;
  readonly readPin: () => Pin | undefined;
  readonly writePin: (pin: Pin) => void;
  readonly save: (
    values: Readonly<Record<string, string | number | boolean | readonly string[]>>,
  ) => void;
  /** The text of `hook.json`; undefined where there is none. Throws Node's errors. */
  readonly readHookSettings: () => string | undefined;
  readonly writeHookSettings: (text: string) => void;
  /** The tool by which agents of this machine leave handoffs, as their runtime names it; undefined where none is registered. */
  readonly handoffTool: () => string | undefined;
  /** Notes whether capture is paused for all, where that is news. */
  readonly notePause: (paused: boolean, now: number) => void;
  readonly lastSync: () => LastSync | undefined;
  readonly writeLastSync: (last: LastSync) => void;
}
