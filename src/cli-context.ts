import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { auditHome, proveGrowthIn, proveIn, signedHeadIn } from './auditing.ts';
import { CredenceError } from './base/errors.ts';
import { LAST_SYNC_FILE, PIN_FILE } from './base/home-file.ts';
import { encodePathPart } from './base/path-part.ts';
import { listOf, objectOf, type UnknownObject } from './base/unknown.ts';
import { LIVE_PATH, ROSTER_PATH } from './capture/paths.ts';
import { eventsOf } from './digest/seal.ts';
import { doctorChecks, type Tried } from './doctor.ts';
import type { CapturedSession, Context, Local } from './door/cli/context.ts';
import { busyError } from './door/cli/error-text.ts';
import type { Output } from './door/cli/output.ts';
import { watched } from './door/cli/progress.ts';
import { HandoffDraft } from './handoff/handoff.ts';
import type { Home } from './home.ts';
import { writeConfig } from './io/config-file.ts';
import { foldersOf } from './io/folders.ts';
import { claudeFolder } from './io/history.ts';
import { parquet } from './io/parquet.ts';
import { deleteFile, writeFileAtomically } from './io/small-file.ts';
import { openSpool } from './io/spool-folder.ts';
import { lockMachine } from './io/sqlite.ts';
import type { Check } from './lake/probe.ts';
import { parseSpool } from './lake/read-spool.ts';
import { openLocal } from './local.ts';
import {
  deleteSnapshots,
  type Env,
  openHome,
  packageFolder,
  pinFile,
  readLive,
  readSnapshot,
  snapshotPath,
} from './node.ts';
import { syncOnce, withParts } from './passes.ts';
import { mapRepos, type Parts } from './pipeline.ts';
import { listHandoffs } from './query/handoff.ts';
import { type SessionView, sealedParts } from './query/session.ts';
import type { Envelope } from './runtime/envelope.ts';
import { setUp } from './set-up.ts';
import { type Flags, storeUrl } from './settings.ts';
import { damageOf } from './snapshot/database.ts';

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
    samples: (body) => runSamples(out, env, body),
    sampled: () => sampled(out, env),
    audit: (witnesses) => watched(({ audited }) => auditHome(home(), witnesses, audited)),
    prove: (entry) => proveIn(home(), entry),
    proveGrowth: (from) => proveGrowthIn(home(), from),
    signedHead: () => signedHeadIn(home()),
    events: (view) => sessionEvents(home(), view),
    liveAgents: () => readLive(home()),
    captured: (session) => capturedSession(home(), session),
    get local() {
      return localOf(home(), env);
    },
  };
}

/** Folders of the home that hold what cannot be derived again, or say how far it was read. */
const PRECIOUS = ['spool', 'manifests', 'imports', 'outbox'];
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

function capturedSession(home: Home, session: string): CapturedSession | undefined {
  const spool = openSpool(home.folders.home);
  const stem = encodePathPart(session);
  const found = spool.sessions().find((one) => one.stem === stem);
  const manifest = found
    ? spool.manifest(found.runtime, stem)
    : spool.unsealed().find((one) => one.stem === stem)?.manifest;
  const runtime = found?.runtime ?? manifest?.runtime;
  if (runtime === undefined) return undefined;
  const lines =
    found?.files.flatMap((file) => parseSpool(spool.read(found, file), found).lines) ?? [];
  return { session, runtime, repo: lines.at(-1)?.envelope.repo ?? manifest?.repo };
}

/** The runtime's settings file is the user's: what is wrong with it is said with its path. */
function localOf(home: Home, env: Env): Local {
  const local = openLocal(home, env);
  const path = join(claudeFolder(env), 'settings.json');
  const naming = <T>(body: () => T): T => {
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
    editSettings: (...given) => naming(() => local.editSettings(...given)),
    installed: (runtime) => naming(() => local.installed(runtime)),
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
    found,
  });
}

const SAMPLES = join(packageFolder, 'samples', 'fleet');

/** A JSON object that the samples hold. */
function sampleFile(name: string): UnknownObject {
  return objectOf(readJson(join(SAMPLES, name)));
}

function sampleMachines(): string[] {
  return Object.keys(sampleFile('agents.json')).sort();
}

/** A machine of the sample fleet: its folders are beside the user's own, and its store is that of the others. */
function sampleContext(out: Output, env: Env, machine: string): Context {
  const folder = join(foldersOf(env).home, 'sample');
  const home = join(folder, machine);
  const sampleEnv = {
    ...env,
    CREDENCE_HOME: home,
    CREDENCE_CONFIG_HOME: join(home, 'config'),
    CREDENCE_STORE: storeUrl(join(folder, 'lake')),
    CREDENCE_FLEET_ID: 'sample',
    CLAUDE_CONFIG_DIR: join(SAMPLES, machine, '.claude'),
  };
  return cliContext(out, sampleEnv, sampleLineage);
}

function sampled(out: Output, env: Env): Context | undefined {
  const folder = join(foldersOf(env).home, 'sample');
  const machine = existsSync(folder) ? sampleMachines().at(-1) : undefined;
  const wasShown = machine !== undefined && existsSync(join(folder, machine, 'state.sqlite'));
  return wasShown ? sampleContext(out, env, machine) : undefined;
}

/** What a hook would have recorded: which handoffs were put before a session when it started. */
function sampleLineage({ state, circumstance }: Parts): Pick<Parts, 'circumstance'> {
  const shown = sampleFile('shown.json');
  return {
    circumstance(event, origin) {
      const at = circumstance(event, origin);
      if (event.event_type !== 'session_start') return at;
      const left = listOf(shown[event.session_id]);
      const notes = listHandoffs(state, { waiting: false, limit: 100 });
      const injected = notes
        .filter((note) => left.includes(note.session))
        .map(({ id, session, agent }) => ({
          kind: 'handoff' as const,
          id,
          source: session,
          observed_by: agent,
        }));
      return { ...at, injected };
    },
  };
}

async function runSamples(
  out: Output,
  env: Env,
  body: (context: Context, machine: string) => Promise<void>,
): Promise<Context> {
  const agents = sampleFile('agents.json');
  const maps = Object.entries(sampleFile('repos.json')).map(([pattern, remote]) => ({
    pattern,
    remote: String(remote),
  }));
  let last = cliContext(out, env);
  for (const machine of sampleMachines()) {
    const agent = String(agents[machine]);
    last = sampleContext(out, env, machine);
    await last.setUp({ runtimes: ['claude-code'], agentIds: { 'claude-code': agent } });
    last.reload();
    queueSampleHandoffs(last, agent);
    // First what others left: a session is known to have seen a handoff only where that is in the ledger.
    await last.syncOnce();
    await body(last, machine);
  }
  await last.withParts((parts) => mapRepos(parts, maps, undefined));
  return last;
}

function queueSampleHandoffs(context: Context, agent: string): void {
  const notes = listOf(readJson(join(SAMPLES, 'handoffs.json'))).map(objectOf);
  for (const note of notes.filter((one) => one['agent'] === agent)) {
    const { at, ...rest } = note;
    context.local.queueHandoff(
      HandoffDraft.parse({ ...rest, version: 1, runtime: 'claude-code', written_at: at }),
    );
  }
}
