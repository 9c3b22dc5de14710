import * as z from 'zod';
import { CredenceError } from '../base/errors.ts';
import type { Passphrase } from '../base/keyring.ts';
import { READING_MODE } from '../base/mode.ts';
import { BATCH_DEFAULTS, BATCH_SETTINGS } from './batch-settings.ts';
import { Duration, Flag, listOf, type Setting, Variable } from './setting-types.ts';

const List = listOf(z.string(), 'a list of texts, or one text with commas');
const FOLDERS_FORM = 'a list of globs of folders that begin with /, ~/ or **';
/** Nothing else can match: a session's folder is absolute. */
const Folders = listOf(z.string().regex(/^(?:\/|~\/|~$|\*\*)/, FOLDERS_FORM), FOLDERS_FORM);
const NAME_FORM = '1 to 64 letters, digits, `.`, `_` or `-`, with a letter or digit in front';

/** The form of a fleet's id, and of an agent's. */
export const Name = z
  .string({ error: NAME_FORM })
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, NAME_FORM);

/** Every mode, in the order of its documentation. */
export const MODES = ['none', 'agent', 'batch', 'both', 'shadow', 'live'] as const;

/** A name for three settings: handoffs, extraction, and whether agents read promoted claims. */
export const Mode = z.enum(MODES, { error: `one of ${MODES.join(', ')}` });
export type Mode = z.infer<typeof Mode>;

const STORE_FORM = 'file:///an/absolute/path, with %25, %3F and %23 for %, ? and #';
// What stands behind a ? or a # would be no part of the path, and the store another one.
const STORE_URL = /^file:\/\/\/(?:[^?#%]|%[0-9A-Fa-f]{2})+$/;
const Store = z
  .string({ error: STORE_FORM })
  .regex(STORE_URL, STORE_FORM)
  .refine((url) => !STORE_URL.test(url) || isEscapedWell(url), STORE_FORM);

function isEscapedWell(url: string): boolean {
  try {
    return decodeURIComponent(url) !== '';
  } catch {
    return false;
  }
}

/** The store in a folder, as the setting names it. */
export function storeUrl(folder: string): string {
  return `file://${folder.replace(/[%?#]/g, encodeURIComponent)}`;
}

/** The folder of a store. */
export function storeFolder(url: string): string {
  return decodeURIComponent(url.slice('file://'.length));
}

/**
 * The one table behind the TOML file, the CREDENCE_* variables, flags and help. A key with a dot stands in a
 * TOML table of that name.
 */
export const SETTINGS = {
  store: {
    type: Store,
    env: 'CREDENCE_STORE',
    help: 'where sessions and the ledger live; file:///path',
  },
  fleet_id: {
    type: Name,
    env: 'CREDENCE_FLEET_ID',
    help: 'the fleet that this machine belongs to',
  },
  'summarize.mode': {
    type: Mode,
    env: 'CREDENCE_MODE',
    help: 'none | agent | batch | both | shadow | live',
  },
  ...BATCH_SETTINGS,
  'capture.pause': {
    type: Flag,
    env: 'CREDENCE_PAUSE',
    help: 'true: nothing is captured on this machine',
  },
  'capture.exclude': {
    type: Folders,
    env: 'CREDENCE_EXCLUDE',
    help: 'globs of folders in which nothing is captured, such as ~/private',
  },
  'capture.denied_paths': {
    type: List,
    env: 'CREDENCE_DENIED_PATHS',
    help: 'globs of files whose content is never kept, beside the built-in ones',
  },
  'capture.refuse_denied': {
    type: Flag,
    env: 'CREDENCE_REFUSE_DENIED',
    help: 'true: agents are refused such files, instead of reading them unrecorded',
  },
  'capture.idle_seal': {
    type: Duration,
    env: 'CREDENCE_IDLE_SEAL',
    help: 'silence after which a session is over, such as 30m',
  },
  'keys.passphrase_env': {
    type: Variable,
    env: 'CREDENCE_KEYS_PASSPHRASE_ENV',
    help: 'the name of the variable that holds the passphrase of the keys, never the passphrase',
  },
} as const satisfies Readonly<Record<string, Setting>>;
/** A setting's dotted name. */
export type SettingName = keyof typeof SETTINGS;

/** What holds where nothing is set; the store is in a folder. */
export function defaultsOf(lake: string): Record<SettingName, unknown> {
  return {
    store: storeUrl(lake),
    fleet_id: 'local',
    'summarize.mode': 'agent',
    ...BATCH_DEFAULTS,
    'capture.pause': false,
    'capture.exclude': [],
    'capture.denied_paths': [],
    'capture.refuse_denied': false,
    'capture.idle_seal': '30m',
    'keys.passphrase_env': '',
  };
}

/** The resolved settings: data, never live objects. */
export type Settings = { readonly [K in SettingName]: z.output<(typeof SETTINGS)[K]['type']> } & {
  /** Runtime → agent id. */
  readonly agents: Readonly<Record<string, string>>;
};

/** Where a value came from. */
export type Source = 'default' | 'file' | 'environment' | 'flag';
/** The settings, and where each came from. */
export interface Resolved {
  readonly settings: Settings;
  readonly sources: Readonly<Record<string, Source>>;
}

/** What flags set over the file: settings by their names, and agents as `agents.<runtime>`. */
export type Flags = Readonly<Partial<Record<SettingName | `agents.${string}`, string>>>;

function invalid(name: string, value: unknown, label: string, source: Source, why: string): never {
  const quoted = shownValue(name, value);
  const next = {
    flag: 'correct the option',
    environment: `correct the variable ${label}, or unset it`,
    file: `correct it with \`credence config set ${name} <value>\``,
    default: 'set it',
  };
  throw new CredenceError(
    source === 'flag' ? 'usage' : 'configuration',
    'settings.invalid',
    `setting ${name} (${label}) is ${quoted}, and has to be ${why}`,
    { next: next[source] },
  );
}

/** The members of a parsed TOML file by dotted name. Throws `settings.unknown` for a name that is not in the table. */
function flatten(file: Readonly<Record<string, unknown>>, path: string): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  const isTable = (value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const isSetting = (name: string) => Object.hasOwn(SETTINGS, name) || isAgentName(name);
  const walk = (table: object, before: string) => {
    for (const [key, value] of Object.entries(table)) {
      const name = `${before}${key}`;
      if (isTable(value) && !isSetting(name)) walk(value, `${name}.`);
      else flat.set(name, value);
    }
  };
  walk(file, '');
  for (const name of flat.keys()) {
    if (Object.hasOwn(SETTINGS, name) || name.startsWith('agents.')) continue;
    const message = `there is no setting ${name}, which stands in ${path}`;
    throw new CredenceError('configuration', 'settings.unknown', message, {
      next: `take it out of the file; known are ${Object.keys(SETTINGS).join(', ')}, agents.<runtime>`,
    });
  }
  return flat;
}

/** A value, and where it came from in words. */
type Layer = readonly [source: Source, value: unknown, label: string];

function chosen(layers: readonly Layer[]): Layer {
  return layers.find(([, value]) => value !== undefined) ?? ['default', undefined, 'default'];
}

function parse(name: string, type: z.ZodType, [source, value, label]: Layer): unknown {
  const parsed = type.safeParse(value);
  if (parsed.success) return parsed.data;
  return invalid(name, value, label, source, parsed.error.issues[0]?.message ?? 'something else');
}

/**
 * Defaults, then the file, then the environment, then flags; later wins, and what it wins over may be wrong. `path`
 * names the file to people. Throws `settings.*`, exit code 78, and 2 for a flag.
 */
export function resolveSettings(from: {
  readonly defaults: Readonly<Record<SettingName, unknown>>;
  readonly file: Readonly<Record<string, unknown>>;
  readonly path?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Flags;
}): Resolved {
  const { flags, path = 'config.toml' } = from;
  const file = flatten(from.file, path);
  const sources: Record<string, Source> = {};
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { env, type }: Setting = SETTINGS[name];
    const layer = chosen([
      ['flag', flags[name], 'flag'],
      ['environment', env === undefined ? undefined : from.env[env] || undefined, env ?? ''],
      ['file', file.get(name), path],
      ['default', from.defaults[name], 'default'],
    ]);
    values[name] = parse(name, type, layer);
    sources[name] = layer[0];
  }
  const agents: Record<string, unknown> = {};
  const named = [...file.keys(), ...Object.keys(flags)].filter(isAgentName);
  for (const name of new Set(named)) {
    const layer = chosen([
      ['flag', flags[name], 'flag'],
      ['file', file.get(name), path],
    ]);
    agents[name.slice('agents.'.length)] = parse(name, Name, layer);
    sources[name] = layer[1] === file.get(name) ? 'file' : layer[0];
  }
  return { settings: { ...values, agents } as unknown as Settings, sources };
}

function isAgentName(name: string): name is `agents.${string}` {
  return name.startsWith('agents.');
}

/** The passphrase of the keys: the settings name a variable, and the environment alone holds what it says. */
export function passphraseOf(
  settings: Settings,
  env: Readonly<Record<string, string | undefined>>,
): Passphrase {
  const variable = settings['keys.passphrase_env'];
  return variable === '' ? {} : { variable, value: env[variable] || undefined };
}

/** A value that is refused, as errors show it: what stands where a variable's name belongs may be the secret itself. */
export function shownValue(name: string, value: unknown): string {
  const mayBeSecret = /_env$|\.base_url$|\.command$/.test(name);
  return mayBeSecret ? 'something else' : (JSON.stringify(value) ?? 'nothing');
}

/** What a mode switches on. */
export function modeParts(mode: Mode): {
  readonly handoffs: boolean;
  readonly extraction: 'none' | 'rules' | 'model';
  readonly reads: boolean;
} {
  const rulesOnly = mode === 'none' || mode === 'agent';
  return {
    handoffs: mode !== 'none' && mode !== 'batch',
    extraction: rulesOnly ? 'rules' : 'model',
    reads: mode === READING_MODE,
  };
}
