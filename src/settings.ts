import { z } from 'zod';
import { CredenceError } from './base/errors.ts';

/** A duration such as `90s`, `30m`, `24h`; in milliseconds once read. */
const Duration = z
  .string()
  .regex(/^\d{1,6}(?:s|m|h|d)$/, 'a whole number and s, m, h or d, such as 30m')
  .transform(
    (text) =>
      Number(text.slice(0, -1)) *
      ({ s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[text.slice(-1)] ?? 0),
  );
const Flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')]);
const List = z.union([
  z.array(z.string()),
  z.string().transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]);
const Name = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, `.`, `_` or `-`');

/** A name for three settings: handoffs, extraction, and whether agents read promoted claims. */
export const Mode = z.enum(['none', 'agent', 'batch', 'both', 'shadow', 'live']);
export type Mode = z.infer<typeof Mode>;

/**
 * The one table behind the TOML file, the CREDENCE_* variables, flags and help. A key with a dot stands in a
 * TOML table of that name.
 */
export const SETTINGS = {
  store: {
    type: z.string().regex(/^file:\/\/\/.+/, 'file:///an/absolute/path'),
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
  'capture.pause': {
    type: Flag,
    env: 'CREDENCE_PAUSE',
    help: 'true: nothing is captured on this machine',
  },
  'capture.exclude': {
    type: List,
    env: 'CREDENCE_EXCLUDE',
    help: 'globs of folders in which nothing is captured',
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
} as const;
/** A setting's dotted name. */
export type SettingName = keyof typeof SETTINGS;

/** The resolved settings: data, never live objects. */
export type Settings = { readonly [K in SettingName]: z.output<(typeof SETTINGS)[K]['type']> } & {
  /** Runtime → agent id. */
  readonly agents: Readonly<Record<string, string>>;
};

/** Where a value came from. */
export type Source = 'default' | 'file' | 'environment' | 'flag';
export interface Resolved {
  readonly settings: Settings;
  readonly sources: Readonly<Record<string, Source>>;
}

function invalid(name: string, from: string, why: string): never {
  throw new CredenceError(
    'configuration',
    'settings.invalid',
    `setting ${name} (${from}): ${why}`,
    {
      next: 'correct it with `credence config set <name> <value>`; `credence config` prints them all',
    },
  );
}

/** The members of a parsed TOML file by dotted name. Throws `settings.unknown` for a name that is not in the table. */
function flatten(file: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(file)) {
    const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isTable) flat.set(key, value);
    else for (const [inner, item] of Object.entries(value)) flat.set(`${key}.${inner}`, item);
  }
  for (const name of flat.keys()) {
    if (Object.hasOwn(SETTINGS, name) || name.startsWith('agents.')) continue;
    throw new CredenceError('configuration', 'settings.unknown', `there is no setting ${name}`, {
      next: `known: ${Object.keys(SETTINGS).join(', ')}, agents.<runtime>`,
    });
  }
  return flat;
}

function parse(name: SettingName, value: unknown, from: string): unknown {
  const parsed = SETTINGS[name].type.safeParse(value);
  return parsed.success
    ? parsed.data
    : invalid(name, from, parsed.error.issues[0]?.message ?? 'not valid');
}

/** Defaults, then the file, then the environment, then flags; later wins. Throws `settings.*`, exit code 78. */
export function resolveSettings(from: {
  readonly defaults: Readonly<Record<SettingName, unknown>>;
  readonly file: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: Readonly<Partial<Record<SettingName, string>>>;
}): Resolved {
  const file = flatten(from.file);
  const sources: Record<string, Source> = {};
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const { env } = SETTINGS[name];
    const layers: readonly (readonly [Source, unknown, string])[] = [
      ['flag', from.flags[name], 'flag'],
      ['environment', from.env[env] === '' ? undefined : from.env[env], env],
      ['file', file.get(name), 'config.toml'],
      ['default', from.defaults[name], 'default'],
    ];
    const [source, value, label] = layers.find(([, layer]) => layer !== undefined) ?? [
      'default',
      undefined,
      'default',
    ];
    values[name] = parse(name, value, label);
    sources[name] = source;
  }
  const agents: Record<string, string> = {};
  for (const [name, value] of file) {
    if (!name.startsWith('agents.')) continue;
    const id = Name.safeParse(value);
    agents[name.slice('agents.'.length)] = id.success
      ? id.data
      : invalid(name, 'config.toml', 'an agent id');
    sources[name] = 'file';
  }
  return { settings: { ...values, agents } as unknown as Settings, sources };
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
    reads: mode === 'live',
  };
}
