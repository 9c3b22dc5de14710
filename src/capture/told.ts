import { toMs } from '../base/time.ts';
import type { World } from '../base/world.ts';
import type { Event } from '../runtime/envelope.ts';
import { type Checkout, checkoutOf } from '../runtime/repo.ts';
import type { Circumstance } from './envelope.ts';
import { type Exclusion, excluded } from './exclusion.ts';
import { ALL_PAUSED_PATH, pausedPath } from './paths.ts';
import { type Pause, pausesOf } from './pause.ts';
import type { HookFiles } from './port.ts';
import type { HookSettings } from './settings.ts';

/** What holds for events that a transcript tells, as it would have held in the hook. */
export interface Told {
  readonly checkout: (cwd: string) => Checkout | undefined;
  readonly circumstance: (event: Event, origin: 'imported' | 'reconciled') => Circumstance;
  /** True for what must not be captured: in an excluded folder, or in a time of pause. */
  readonly isExcluded: (event: Event) => boolean;
}

function memo<T>(of: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.get(key) ?? of(key);
    known.set(key, value);
    return value;
  };
}

/** The rules for one run over a runtime's transcripts: folders and pauses are looked up once. */
export function toldRules(parts: {
  readonly runtime: string;
  readonly files: HookFiles;
  readonly settings: HookSettings;
  readonly world: World;
  readonly secret: () => Uint8Array;
}): Told {
  const { runtime, files, settings, world, secret } = parts;
  const place = memo((cwd: string): { checkout: Checkout | undefined; rule: Exclusion } => {
    const checkout = checkoutOf(cwd, { files, hostId: settings.host_id, world });
    return { checkout, rule: excluded(cwd, checkout?.root, settings, files) };
  });
  // One list for each pair of folders, since what is made of its globs is kept with it.
  const denied = memo((folders: string): readonly string[] => [
    ...settings.denied_paths,
    ...new Set(folders.split('\0').flatMap((folder) => (folder ? place(folder).rule.paths : []))),
  ]);
  const pauses = memo((log: string): readonly Pause[] => pausesOf(files.read(log) ?? ''));
  /** Where an event happened, and where the call was made of which it is the result. */
  const foldersOf = ({ cwd, asked }: Event) => [cwd, asked === 'unknown' ? undefined : asked?.cwd];
  return {
    checkout: (cwd) => place(cwd).checkout,
    circumstance(event, origin) {
      const at = event.cwd === undefined ? undefined : place(event.cwd);
      return {
        runtime,
        fleetId: settings.fleet_id,
        hostId: settings.host_id,
        agents: settings.agents,
        // What is checked out now says nothing of the day of the event.
        checkout: at?.checkout && { repo: at.checkout.repo, root: at.checkout.root },
        injected: [],
        policy: { secret, deniedPaths: denied(foldersOf(event).join('\0')) },
        origin,
      };
    },
    isExcluded(event) {
      if (settings.pause || foldersOf(event).some((folder) => folder && place(folder).rule.paused))
        return true;
      const { session_id, parent_session_id: parent, emitted_at } = event;
      const logs = [ALL_PAUSED_PATH, pausedPath(runtime, session_id)];
      if (parent !== undefined) logs.push(pausedPath(runtime, parent));
      const at = toMs(emitted_at);
      return logs.flatMap(pauses).some(({ from, to }) => from <= at && at < to);
    },
  };
}
