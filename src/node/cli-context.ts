import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CredenceError } from '../base/errors.ts';
import { LAST_SYNC_FILE, PIN_FILE } from '../base/home-file.ts';
import { encodePathPart } from '../base/path-part.ts';
import { objectOf } from '../base/unknown.ts';
import { LIVE_PATH, ROSTER_PATH } from '../capture/paths.ts';
import { eventsOf } from '../digest/seal.ts';
import type { CapturedSession, Context, Local } from '../door/cli/context.ts';
import { busyError } from '../door/cli/error-text.ts';
import type { Output } from '../door/cli/output.ts';
import { watched } from '../door/cli/progress.ts';
import { openExtractor } from '../extract/extractor.ts';
import { capturedMessages, heldMessages, lastPlace } from '../extract/messages.ts';
import type { MessagesOf } from '../extract/port.ts';
import { doctorChecks, type Tried } from '../home/doctor.ts';
import type { Home } from '../home/home.ts';
import { setUp } from '../home/set-up.ts';
import type { Flags } from '../home/settings.ts';
import { writeConfig } from '../io/config-file.ts';
import { foldersOf } from '../io/folders.ts';
import { claudeFile, claudeFolder } from '../io/history.ts';
import { parquet } from '../io/parquet.ts';
import { deleteFile, writeFileAtomically } from '../io/small-file.ts';
import { openSpool } from '../io/spool-folder.ts';
import { lockMachine } from '../io/sqlite.ts';
import type { Check } from '../lake/probe.ts';
import type { Parts } from '../pipeline.ts';
import { erasureOf } from '../query/erasure.ts';
import { partsOf, type SessionView, sealedParts } from '../query/session.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { damageOf } from '../snapshot/database.ts';
import {
  auditHome,
  certificateIn,
  proveGrowthIn,
  proveIn,
  replayHome,
  signedHeadIn,
} from './auditing.ts';
import { exportIn, importIn, readBundle } from './bundle-files.ts';
import { extractorOf, extractorState } from './extractor.ts';
import { openKeyFiles } from './key-files.ts';
import { openLocal } from './local.ts';
import { type Env, openHome, packageFolder, pinFile, readIntents, readLive } from './node.ts';
import { syncOnce, withParts } from './passes.ts';
import { type OpenSample, runSamples, sampled } from './samples.ts';
import { deleteSnapshots, readSnapshot, snapshotPath } from './snapshots.ts';
import { withKnowledge } from './speaking.ts';

/** The version of the installed package. */
export function packageVersion(): string {
  return String(objectOf(readJson(join(packageFolder, 'package.json')))['version']);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** The context of the command line, over this process's environment or another; `changed` swaps some of the parts. */
export function cliContext(
  out: Output,
  env: Env = process.env,
  changed: (parts: Parts) => Partial<Parts> = () => ({}),
): Context {
  let flags: Flags = {};
  let opened: Home | undefined;
  const open: OpenSample = {
    env,
    context: (sampleEnv, sampleParts) => cliContext(out, sampleEnv, sampleParts),
  };
  const home = () => {
    opened ??= openHome(flags, env);
    return opened;
  };
  const read: Context['read'] = (which, body) => readSnapshot(home(), which, body);
  return {
    out,
    home,
    reload(given = flags) {
      flags = given;
      opened = undefined;
    },
    readPin: () => pinFile(foldersOf(env).config).read(),
    setUp: (wanted) => setUp(home(), wanted),
    save: (values) => writeConfig(join(foldersOf(env).config, 'config.toml'), values),
    leaveFleet: () => leaveFleet(home()),
    withParts: (body) =>
      watched((watch) =>
        withParts(home(), (parts) => body({ ...parts, ...watch, ...changed(parts) }), env),
      ),
    syncOnce: (maintains = false) =>
      watched((watch) => syncOnce(home(), env, { watch, maintains })),
    read,
    tryRead: (which, body) =>
      existsSync(snapshotPath(home(), which)) ? read(which, body) : undefined,
    doctor: () => watched(({ found }) => doctor(home(), env, found)),
    samples: (body) => runSamples(open, body),
    sampled: () => sampled(open),
    audit: (witnesses) => watched(({ audited }) => auditHome(home(), witnesses, audited)),
    replay: (fleetId) => watched(({ retold }) => replayHome(home(), fleetId, retold)),
    prove: (entry) => proveIn(home(), entry),
    proveGrowth: (from) => proveGrowthIn(home(), from),
    certificate: (erasure) => certificateIn(home(), erasure),
    erasureOf: (seq) => read('state', (state) => erasureOf(state, seq)),
    signedHead: () => signedHeadIn(home()),
    exportBundle: (wish, to) => watched(({ bundled }) => exportIn(home(), wish, to, bundled)),
    readBundle: (path) => watched(async ({ bundled }) => readBundle(path, bundled)),
    importBundle: (bundle, dryRun) =>
      watched((watch) =>
        withParts(home(), (parts) => importIn(home(), { ...parts, ...watch }, bundle, dryRun), env),
      ),
    events: (view) => sessionEvents(home(), view),
    messages: (session) => messagesIn(home(), session),
    knowledge: (body) => withKnowledge(home(), env, body),
    held: (session) => heldMessages(openSpool(home().folders.home), encodePathPart(session)),
    liveAgents: () => readLive(home()),
    liveIntents: () => readIntents(home()),
    captured: (session) => capturedSession(home(), session),
    get local() {
      return localOf(home(), env);
    },
    keys: openKeyFiles(home, env),
  };
}

/** Folders of the home that hold what cannot be derived again, or say how far it was read. */
const PRECIOUS = ['spool', 'manifests', 'imports', 'outbox', 'proposals'];
/** What is rendered from the ledger: in another fleet it would be wrong, and betray this one. */
const RENDERED = ['brief', LIVE_PATH, ROSTER_PATH, LAST_SYNC_FILE];

function leaveFleet(home: Home): void {
  const { folders, settings, readPin } = home;
  if (PRECIOUS.some((name) => holdsFiles(join(folders.home, name)))) {
    const pin = readPin();
    const pinPath = join(folders.config, PIN_FILE);
    throw new CredenceError(
      'configuration',
      'fleet.move',
      `this home follows fleet ${pin?.fleetId} in ${pin?.store}, and what it captured is there: it can't turn to ${settings.store}`,
      {
        next: `set CREDENCE_HOME and CREDENCE_CONFIG_HOME to new folders, and the command makes a home for the other store. Or begin anew with this one: run \`credence sync --once\`, move ${folders.home} and ${pinPath} away, run the command again, then \`credence import\``,
      },
    );
  }
  const lock = lockMachine(join(folders.home, 'machine.sqlite'));
  if (!lock) throw busyError();
  deleteSnapshots(home);
  for (const name of RENDERED) rmSync(join(folders.home, name), { recursive: true, force: true });
  lock.release();
}

/** True where there is a file below a folder. What says only that something was lost is none. */
function holdsFiles(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.some((entry) => entry.isFile() && entry.name !== 'dropped.ndjson');
}

async function sessionEvents(home: Home, view: SessionView): Promise<readonly Envelope[]> {
  const parts = view.parts.map((part) => ({ ...part, bytes: 0 }));
  const reading = { store: home.store(), codec: parquet, relax: () => {} };
  const events: Envelope[] = [];
  for await (const group of eventsOf(parts, reading)) events.push(...group);
  return events;
}

function messagesIn(home: Home, session: string): ReturnType<MessagesOf> {
  const sealed = (key: string) => {
    if (!existsSync(snapshotPath(home, 'state'))) return undefined;
    return readSnapshot(home, 'state', (sql) => partsOf(sql, key));
  };
  const { folders } = home;
  const reading = { store: home.store(), codec: parquet, relax: () => {} };
  const spool = openSpool(folders.home);
  return capturedMessages({ ...reading, spool, stemOf: encodePathPart, sealed })(session);
}

function capturedSession(home: Home, session: string): CapturedSession | undefined {
  const spool = openSpool(home.folders.home);
  const stem = encodePathPart(session);
  const found = spool.sessions().find((one) => one.stem === stem);
  const manifest = found
    ? spool.manifest(found.runtime, stem)
    : spool.unsealed().find((one) => one.stem === stem)?.manifest;
  const runtime = found?.runtime ?? manifest?.runtime;
  if (runtime === undefined) return undefined;
  return { session, runtime, repo: lastPlace(spool, stem)?.repo ?? manifest?.repo };
}

/** The runtime's files are the user's: what is wrong with one is said with its path. */
function localOf(home: Home, env: Env): Local {
  const local = openLocal(home, env);
  const settingsPath = join(claudeFolder(env), 'settings.json');
  const serversPath = claudeFile(env);
  const naming = <T>(path: string, body: () => T): T => {
    try {
      return body();
    } catch (error) {
      if (!(error instanceof CredenceError) || error.code !== 'settings.malformed') throw error;
      const { category, code, message, next, data } = error;
      const more = { data, cause: error, ...(next === undefined ? {} : { next }) };
      throw new CredenceError(category, code, `${path}: ${message}`, more);
    }
  };
  return {
    ...local,
    editSettings: (...given) => naming(settingsPath, () => local.editSettings(...given)),
    installed: (runtime) => naming(settingsPath, () => local.installed(runtime)),
    editServers: (...given) => naming(serversPath, () => local.editServers(...given)),
  };
}

const TRIED_BYTES = 8_192;

function doctor(home: Home, env: Env, found: Tried['found']): Promise<readonly Check[]> {
  return doctorChecks({
    home,
    tryToWrite(folder) {
      const path = join(folder, `.credence-doctor-${process.pid}`);
      // Not an empty file: for the name of that there is room on a full disk, too.
      writeFileAtomically(path, 'x'.repeat(TRIED_BYTES));
      deleteFile(path);
    },
    isFile: existsSync,
    installed: localOf(home, env).installed,
    damage: (which) => readSnapshot(home, which, damageOf),
    named: () => readSnapshot(home, 'state', sealedParts),
    model() {
      const extractor = extractorOf(home, env);
      if (extractor) openExtractor(extractor);
      return extractorState(extractor, home.lasting());
    },
    found,
  });
}
