import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { remembering, type VerifyAll } from '../base/ed25519.ts';
import { assert } from '../base/errors.ts';
import { HOOK_FILE, LAST_SYNC_FILE, PIN_FILE } from '../base/home-file.ts';
import { unsealed } from '../base/keyring.ts';
import { encodePathPart } from '../base/path-part.ts';
import { toInstant } from '../base/time.ts';
import type { Intent, LiveFile } from '../capture/brief-file.ts';
import { ALL_PAUSED_PATH, LIVE_PATH, ROSTER_PATH } from '../capture/paths.ts';
import { notePause } from '../capture/pause.ts';
import { toldRules } from '../capture/told.ts';
import {
  type Home,
  hostIdIn,
  type LastSync,
  type Pin,
  passDone,
  publishedMode,
} from '../home/home.ts';
import { assertPinned, hookSettingsOf } from '../home/set-up.ts';
import {
  defaultsOf,
  passphraseOf,
  type Resolved,
  resolveSettings,
  type SettingName,
  storeFolder,
} from '../home/settings.ts';
import { readConfig, writeConfig } from '../io/config-file.ts';
import { openCounter, openCursors } from '../io/cursors.ts';
import { folderGlobs } from '../io/folder-globs.ts';
import { foldersOf, userHome } from '../io/folders.ts';
import { openFsStore, sweepFsStore } from '../io/fs-store.ts';
import { garbageCollector } from '../io/heap.ts';
import { claudeFile, openHistory } from '../io/history.ts';
import { sweepHome } from '../io/home-sweep.ts';
import { hookFiles } from '../io/hook-files.ts';
import { parseJsonFile } from '../io/json-file.ts';
import { openKeyring } from '../io/keys.ts';
import { lineReader } from '../io/line-reader.ts';
import { openMarkFile } from '../io/mark-file.ts';
import { openOutbox } from '../io/outbox.ts';
import { parquet } from '../io/parquet.ts';
import { openProposals } from '../io/proposal-folder.ts';
import { renderedFiles } from '../io/rendered-files.ts';
import { readIfThere, writeFileAtomically, writeFileDurably } from '../io/small-file.ts';
import { openSpool } from '../io/spool-folder.ts';
import { isDamaged } from '../io/sqlite.ts';
import { isDue, stamp } from '../io/stamp.ts';
import { openVerifier } from '../io/verifier.ts';
import type { ObjectStore } from '../lake/objects.ts';
import { type FleetCard, readFleet } from '../ledger/found.ts';
import type { LiveAgent } from '../live/live.ts';
import type { Identity, Parts } from '../pipeline.ts';
import { HANDOFF_TOOL, installedServer } from '../runtime/claude-code/server-entry.ts';
import { secretParts } from '../snapshot/fleet-secret.ts';
import type { Sql } from '../snapshot/port.ts';
import { agentTables, TABLES } from '../snapshot/schema.ts';
import { extractorOf } from './extractor.ts';
import { deleteSnapshots, openSnapshot, snapshotPath } from './snapshots.ts';

export type Env = Readonly<Record<string, string | undefined>>;

/** The nearest folder above that holds a package: commands are bundled into another file than this one. */
function packageAbove(path: string): string {
  const folder = dirname(path);
  assert(folder !== path, 'this file lies in a package');
  return existsSync(join(folder, 'package.json')) ? folder : packageAbove(folder);
}

/** The folder of the installed package. */
export const packageFolder = packageAbove(fileURLToPath(import.meta.url));
const dist = join(packageFolder, 'dist');

/** A small JSON file of our own; undefined where there is none. */
function jsonFile<T>(path: string): { read: () => T | undefined; write: (value: T) => void } {
  return {
    read() {
      const text = readIfThere(path);
      return text === undefined ? undefined : parseJsonFile<T>(path, text);
    },
    write: (value) => writeFileDurably(path, `${JSON.stringify(value)}\n`),
  };
}

/** Which fleet a home has joined: readable also where the settings can't be resolved. */
export function pinFile(configFolder: string) {
  return jsonFile<Pin>(join(configFolder, PIN_FILE));
}

function resolvedIn(
  home: string,
  path: string,
  over: Pick<Parameters<typeof resolveSettings>[0], 'env' | 'flags'>,
): Resolved {
  const defaults = defaultsOf(join(home, 'lake'));
  const resolved = resolveSettings({ ...over, defaults, file: readConfig(path), path });
  const exclude = folderGlobs(resolved.settings['capture.exclude'], userHome);
  return { ...resolved, settings: { ...resolved.settings, 'capture.exclude': exclude } };
}

/** True where a runtime's file registers our server. One that can't be read registers nothing that is known. */
function isServed(path: string): boolean {
  try {
    return installedServer(readIfThere(path) ?? '') === 'ours';
  } catch {
    return false;
  }
}

/** Resolves the settings of this home. Throws `settings.*` and `config.*`, exit code 78. */
export function openHome(
  flags: Partial<Record<SettingName, string>> = {},
  env: Env = process.env,
): Home {
  const folders = foldersOf(env);
  const configPath = join(folders.config, 'config.toml');
  const { settings, sources } = resolvedIn(folders.home, configPath, { env, flags });
  const pin = pinFile(folders.config);
  const last = jsonFile<LastSync>(join(folders.home, LAST_SYNC_FILE));
  const world = { now: Date.now, random: (bytes: number) => randomBytes(bytes) };
  const hookSettings = join(folders.home, HOOK_FILE);
  return {
    settings,
    sources,
    lasting: () => resolvedIn(folders.home, configPath, { env: {}, flags: {} }).settings,
    keys: openKeyring(folders.config, passphraseOf(settings, env)),
    world,
    user:
      userInfo()
        .username.replace(/[^A-Za-z0-9]+/g, '')
        .slice(0, 20) || 'user',
    folders,
    configPath,
    main: [process.execPath, join(dist, 'door', 'cli', 'main.js')],
    hookFile: join(dist, 'credence-hook.cjs'),
    store: (options) => openFsStore(resolve(storeFolder(settings.store)), options),
    nextCounter: openCounter(join(folders.home, 'inbox.counter')),
    readPin: pin.read,
    writePin: pin.write,
    save: (values) => writeConfig(configPath, values),
    readHookSettings: () => readIfThere(hookSettings),
    writeHookSettings(text) {
      if (readIfThere(hookSettings) !== text) writeFileAtomically(hookSettings, text);
    },
    handoffTool: () => (isServed(claudeFile(env)) ? HANDOFF_TOOL : undefined),
    notePause: (paused, now) =>
      notePause(hookFiles(folders.home), ALL_PAUSED_PATH, { paused, now }),
    lastSync: last.read,
    writeLastSync: last.write,
  };
}

const DAY_MS = 24 * 3_600_000;

/** Removes what crashes left behind in the home and in the store: once a day, since that looks into every folder. */
function sweepDaily({ folders, settings, world }: Home): void {
  const now = world.now();
  const path = join(folders.home, 'run', 'sweep.stamp');
  if (!isDue(path, DAY_MS, now)) return;
  sweepHome(folders, now);
  sweepFsStore(resolve(storeFolder(settings.store)), now);
  stamp(path, now);
}

function identityOf(home: Home, fleetId: string): Identity {
  const host = unsealed(home.keys.signer('host'));
  return {
    fleetId,
    hostId: hostIdIn(home),
    host,
    agents: home.settings.agents,
    signerOfAgent: (agent) => home.keys.signer(`agent-${agent}`),
  };
}

function buildParts(
  home: Home,
  store: ObjectStore,
  { fleetId, entry }: FleetCard,
  state: Sql,
  agentState: Sql,
  verifyAll: VerifyAll,
  env: Env,
): Parts {
  const { folders, settings, world, keys } = home;
  const identity = identityOf(home, fleetId);
  const secret = keys.hostSecret();
  const told = toldRules({
    runtime: 'claude-code',
    files: hookFiles(folders.home),
    settings: hookSettingsOf(home, fleetId, identity.agents),
    world,
    secret: () => secret,
  });
  const cursors = openCursors(folders.home);
  return {
    world,
    identity,
    mode: settings['summarize.mode'],
    idleMs: settings['capture.idle_seal'],
    store,
    ...secretParts(keys, entry),
    codec: parquet,
    lines: lineReader(),
    history: openHistory(env),
    spool: openSpool(folders.home),
    outbox: openOutbox(folders.home),
    proposals: openProposals(folders.home),
    state,
    agentState,
    verifyAll,
    marks: openMarkFile(folders.home),
    followed: () => {},
    synced: (...done) => home.writeLastSync(passDone(toInstant(world.now()), ...done)),
    rendered: renderedFiles(folders.home),
    nextCounter: home.nextCounter,
    stemOf: encodePathPart,
    ...told,
    relax: garbageCollector(),
    extractor: extractorOf(home, env),
    cursor: cursors.read,
    writeCursor: cursors.write,
  };
}

/**
 * Runs with all parts; once more where a snapshot turns out to be damaged, at any moment: the work goes on from where it
 * was, as after a crash, and the snapshots are built again. Throws `fleet.missing` or `fleet.pin` where the store is not
 * the one that this home joined. Only whoever holds the machine's lock may call it.
 */
export async function withOpenParts<T>(
  home: Home,
  body: (parts: Parts) => Promise<T>,
  env: Env,
): Promise<T> {
  try {
    return await withPartsAsTheyAre(home, body, env);
  } catch (error) {
    if (!isDamaged(error)) throw error;
    deleteSnapshots(home);
    return withPartsAsTheyAre(home, body, env);
  }
}

async function withPartsAsTheyAre<T>(
  home: Home,
  body: (parts: Parts) => Promise<T>,
  env: Env,
): Promise<T> {
  const verifier = openVerifier();
  const verifyAll = remembering(verifier.verifyAll);
  let state: Sql | undefined;
  let agentState: Sql | undefined;
  try {
    const store = home.store();
    const card = await readFleet(store);
    assertPinned(home, store.name, card);
    sweepDaily(home);
    state = openSnapshot(snapshotPath(home, 'state'), TABLES);
    const mode = publishedMode(home);
    agentState = openSnapshot(snapshotPath(home, 'agent'), agentTables(mode), mode);
    const parts = buildParts(home, store, card, state, agentState, verifyAll, env);
    return await body({ ...parts, mode });
  } finally {
    verifier.close();
    state?.close();
    agentState?.close();
  }
}

/** What others are about to work on, as the last sync of this machine read it. */
export function readIntents(home: Home): readonly Intent[] {
  const path = join(home.folders.home, LIVE_PATH);
  const text = readIfThere(path);
  return text === undefined ? [] : parseJsonFile<LiveFile>(path, text).intents;
}

/** Who is at work, as the last sync of this machine read it. */
export function readLive(home: Home): readonly LiveAgent[] {
  const path = join(home.folders.home, ROSTER_PATH);
  const text = readIfThere(path);
  return text === undefined ? [] : parseJsonFile<{ agents: LiveAgent[] }>(path, text).agents;
}
