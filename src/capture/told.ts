import { toMs } from '../base/time.ts';
import type { World } from '../base/world.ts';
import type { Event } from '../runtime/envelope.ts';
import { type Checkout, checkoutOf } from '../runtime/repo.ts';
import type { Circumstance } from './envelope.ts';
import { type Exclusion, excluded } from './exclusion.ts';
import { pausedPath } from './paths.ts';
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
  const pauses = memo((session: string): readonly Pause[] =>
    pausesOf(files.read(pausedPath(runtime, session)) ?? ''),
  );
  return {
    checkout: (cwd) => place(cwd).checkout,
    circumstance({ cwd }, origin) {
      const at = cwd === undefined ? undefined : place(cwd);
      return {
        runtime,
        fleetId: settings.fleet_id,
        hostId: settings.host_id,
        agents: settings.agents,
        // What is checked out now says nothing of the day of the event.
        checkout: at?.checkout && { repo: at.checkout.repo, root: at.checkout.root },
        injected: [],
        policy: { secret, deniedPaths: [...settings.denied_paths, ...(at?.rule.paths ?? [])] },
        origin,
      };
    },
    isExcluded({ cwd, session_id, emitted_at }) {
      if (settings.pause || (cwd !== undefined && place(cwd).rule.paused)) return true;
      const at = toMs(emitted_at);
      return pauses(session_id).some(({ from, to }) => from <= at && at < to);
    },
  };
}
