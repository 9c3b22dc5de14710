import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../base/errors.ts';
import { objectOf, type UnknownObject } from '../base/unknown.ts';
import type { Home } from './home.ts';
import { hookRules, isSetUp } from './set-up.ts';
import type { Setting } from './setting-types.ts';
import { SETTINGS, type Settings } from './settings.ts';

/** What hooks go by, held against the settings. */
export interface HookState {
  /** False where no event is kept at all. */
  readonly keeps: boolean;
  /** True where hooks that run with the variables of this process are paused. */
  readonly paused: boolean;
  readonly faults: readonly HookFault[];
}

interface HookFault {
  readonly says: string;
  readonly next: string;
}

type SetUpHome = Omit<Home, 'store' | 'save'>;

/** Which setting stands behind a field of `hook.json`. */
const FIELDS = {
  agents: 'agents',
  pause: 'capture.pause',
  exclude: 'capture.exclude',
  denied_paths: 'capture.denied_paths',
  refuse_denied: 'capture.refuse_denied',
  handoffs: 'summarize.mode',
  claims: 'summarize.mode',
} as const satisfies Record<string, keyof Settings>;
const NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[];

/** The text as hooks read it. Throws where they can't. */
function fieldsIn(text: string): UnknownObject {
  const fields = objectOf(JSON.parse(text));
  const missing = NAMES.find((name) => fields[name] === undefined);
  if (missing !== undefined) throw new Error(`it does not say ${missing}`);
  return fields;
}

/** Settings whose values are not those that hooks go by. */
function differing(settings: Settings, fields: UnknownObject): (keyof Settings)[] {
  const wanted = { ...hookRules(settings), agents: settings.agents };
  const stale = NAMES.filter((name) => !isDeepStrictEqual(fields[name], wanted[name]));
  return [...new Set(stale.map((name) => FIELDS[name]))];
}

/** Variables stand over the settings of a command. Hooks hear of a pause alone. */
function unheard({ settings, sources }: SetUpHome, fields: UnknownObject): HookFault[] {
  return differing(settings, fields).flatMap((name) => {
    if (name === 'agents' || name === 'capture.pause' || sources[name] !== 'environment') return [];
    const { env = name }: Setting = SETTINGS[name];
    const says = `${env} is set, and hooks do not go by it`;
    return [{ says, next: `\`credence config set ${name} <value>\` sets it for them` }];
  });
}

/** What `hook.json` says, and where that is not what is set. Throws `settings.*`. */
export function hookState(home: SetUpHome): HookState {
  const path = `${home.folders.home}/hook.json`;
  const next = isSetUp(home) ? 'run `credence sync --once`' : 'run `credence init`';
  const lost = (says: string) => ({ keeps: false, paused: false, faults: [{ says, next }] });
  let fields: UnknownObject;
  try {
    const text = home.readHookSettings();
    if (text === undefined) return lost(`${path} is missing, so that hooks keep nothing`);
    fields = fieldsIn(text);
  } catch (error) {
    return lost(`${path} can't be read, so that hooks lose every event: ${messageOf(error)}`);
  }
  const stale = differing(home.lasting(), fields).join(', ');
  const says = `hooks go by ${path}, where ${stale} is not what the settings say`;
  return {
    keeps: true,
    paused: fields['pause'] === true || isPausedHere(home),
    faults: [...(stale === '' ? [] : [{ says, next }]), ...unheard(home, fields)],
  };
}

/** By the variable, which a hook takes for a pause too. */
function isPausedHere({ settings, sources }: SetUpHome): boolean {
  return settings['capture.pause'] && sources['capture.pause'] === 'environment';
}
