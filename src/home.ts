import type { Keyring } from './base/keyring.ts';
import type { Trouble } from './base/trouble.ts';
import type { World } from './base/world.ts';
import type { ObjectStore } from './lake/objects.ts';
import type { FleetCard } from './ledger/found.ts';
import { type Mode, modeParts, type Resolved, type Settings } from './settings.ts';

/** The fleet that a home has joined, and where. */
export interface Pin extends FleetCard {
  readonly store: string;
  /** When this home first turned to the fleet; its requests for admission are dated so. */
  readonly joinedAt: string;
  /** Addresses of this home that are admitted, or whose admission was asked for. */
  readonly admitted: readonly string[];
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
}

/** More than these nobody reads in a status. */
const TROUBLES_MAX = 20;

/** A pass that came to its end, whatever it passed over. */
export function passDone(at: string, troubles: readonly Trouble[]): LastSync {
  const passed_over = troubles.length;
  if (passed_over === 0) return { at, ok: true };
  return { at, ok: true, passed_over, troubles: troubles.slice(0, TROUBLES_MAX) };
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
  readonly save: (values: Readonly<Record<string, string | boolean | readonly string[]>>) => void;
  /** The text of `hook.json`; undefined where there is none. Throws Node's errors. */
  readonly readHookSettings: () => string | undefined;
  readonly writeHookSettings: (text: string) => void;
  /** Notes whether capture is paused for all, where that is news. */
  readonly notePause: (paused: boolean, now: number) => void;
  readonly lastSync: () => LastSync | undefined;
  readonly writeLastSync: (last: LastSync) => void;
}
