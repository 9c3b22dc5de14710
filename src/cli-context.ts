import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from './base/errors.ts';
import { objectOf } from './base/unknown.ts';
import { eventsOf } from './digest/seal.ts';
import type { Context, SampleContext } from './door/cli/context.ts';
import type { Output } from './door/cli/output.ts';
import { countProgress } from './door/cli/progress.ts';
import { HandoffDraft } from './handoff/handoff.ts';
import type { Home } from './home.ts';
import { parquet } from './io/parquet.ts';
import { readIfThere } from './io/small-file.ts';
import { type Check, probeStore } from './lake/probe.ts';
import { openLocal } from './local.ts';
import { openForReading, openHome, packageFolder, readLive, syncOnce, withParts } from './node.ts';
import { mapRepos, type Parts } from './pipeline.ts';
import type { SessionView } from './query/session.ts';
import { HOOK_EVENTS } from './runtime/claude-code/hook.ts';
import type { Envelope } from './runtime/envelope.ts';
import { isSetUp, setUp } from './set-up.ts';
import type { SettingName } from './settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The context of the command line, over this process's environment or another. */
export function cliContext(
  out: Output,
  flags: Partial<Record<SettingName, string>>,
  env: Env = process.env,
): Context {
  let opened: Home | undefined;
  const home = () => {
    opened ??= openHome(flags, env);
    return opened;
  };
  const read: Context['read'] = (which, body) => {
    const sql = openForReading(home(), which);
    try {
      return body(sql);
    } finally {
      sql.close();
    }
  };
  return {
    out,
    home,
    reload: () => {
      opened = undefined;
    },
    withParts: (body) =>
      showFollowing((followed) => withParts(home(), (parts) => body({ ...parts, followed }), env)),
    syncOnce: () => showFollowing((followed) => syncOnce(home(), env, followed)),
    read,
    tryRead: (which, body) =>
      existsSync(join(home().folders.home, `${which}.sqlite`)) ? read(which, body) : undefined,
    doctor: () => doctor(home(), env),
    samples: (body) => runSamples(out, env, body),
    events: (view) => sessionEvents(home(), view),
    liveAgents: () => readLive(home()),
    get local() {
      return openLocal(home(), env);
    },
  };
}

/** Runs with a count of the ledger's entries, as they are followed. */
async function showFollowing<T>(body: (followed: Parts['followed']) => Promise<T>): Promise<T> {
  const progress = countProgress('following the ledger:', Date.now);
  try {
    return await body((position) => progress.advance(position, 'entries'));
  } finally {
    progress.end();
  }
}

async function sessionEvents(home: Home, view: SessionView): Promise<readonly Envelope[]> {
  const parts = view.parts.map((part) => ({ ...part, bytes: 0 }));
  const events: Envelope[] = [];
  for await (const group of eventsOf(parts, {
    store: home.store(),
    codec: parquet,
    relax: () => {},
  }))
    events.push(...group);
  return events;
}

/** Tries everything that can be wrong with an installation. */
async function doctor(home: Home, env: Env): Promise<Check[]> {
  const checks: Check[] = [];
  const attempt = (name: string, next: string, body: () => { ok: boolean; says: string }) => {
    try {
      const { ok, says } = body();
      checks.push(ok ? { name, ok, says } : { name, ok, says, next });
    } catch (error) {
      checks.push({ name, ok: false, says: messageOf(error), next });
    }
  };
  attempt('folders', 'make them writable', () => ({
    ok: true,
    says: `settings in ${home.folders.config}, all else in ${home.folders.home}`,
  }));
  attempt('keys', 'chmod 600 the file that it names', () => ({
    ok: true,
    says: `host ${home.keys.signer('host').address.slice(0, 24)}…`,
  }));
  attempt('fleet', 'run `credence init`', () => ({
    ok: isSetUp(home),
    says: isSetUp(home) ? `joined ${home.readPin()?.fleetId}` : 'not set up',
  }));
  const agents = Object.entries(home.settings.agents);
  attempt('agents', 'run `credence init`', () => ({
    ok: agents.length > 0,
    says: agents.map(([runtime, id]) => `${id} for ${runtime}`).join(', ') || 'unconfigured',
  }));
  attempt('hook', 'run `npm run build`, or install the package again', () => ({
    ok: existsSync(home.hookFile),
    says: home.hookFile,
  }));
  attempt('installed', 'run `credence install claude-code`', () => {
    const { events, path } = openLocal(home, env).installed('claude-code');
    return {
      ok: events.length >= HOOK_EVENTS.length,
      says: `${events.length} of ${HOOK_EVENTS.length} hooks in ${path}`,
    };
  });
  attempt('snapshot', 'run `credence sync --once`', () => {
    openForReading(home, 'state').close();
    return { ok: true, says: 'state.sqlite opens' };
  });
  const store = await Promise.resolve()
    .then(() => probeStore(home.store(), home.world))
    .catch((error: unknown): Check[] => [
      { name: 'store', ok: false, says: messageOf(error), next: 'make it reachable' },
    ]);
  const clock = {
    name: 'clock',
    ok: true,
    says: 'a directory has no clock of its own: commits are dated by this machine’s',
  };
  return [...checks, ...store, clock];
}

/** Each machine of the sample fleet has its folders beside the user's own; they share one store. */
async function runSamples(
  out: Output,
  env: Env,
  body: (context: SampleContext, machine: string, last: boolean) => Promise<void>,
): Promise<Context> {
  const own = openHome({}, env).folders.home;
  const samples = join(packageFolder, 'samples', 'fleet');
  const machines = readdirSync(samples).filter((name) =>
    statSync(join(samples, name)).isDirectory(),
  );
  const agents = objectOf(JSON.parse(readIfThere(join(samples, 'agents.json')) ?? '{}'));
  const maps = Object.entries(
    objectOf(JSON.parse(readIfThere(join(samples, 'repos.json')) ?? '{}')),
  );
  let context: Context | undefined;
  for (const [i, machine] of machines.entries()) {
    const folder = join(own, 'sample', machine);
    const sampleEnv = {
      ...env,
      CREDENCE_HOME: folder,
      CREDENCE_CONFIG_HOME: join(folder, 'config'),
      CREDENCE_STORE: `file://${join(own, 'sample', 'lake')}`,
      CREDENCE_FLEET_ID: 'sample',
      CLAUDE_CONFIG_DIR: join(samples, machine, '.claude'),
    };
    const one = cliContext(out, {}, sampleEnv);
    await setUp(one.home(), {
      runtimes: ['claude-code'],
      agentIds: { 'claude-code': String(agents[machine]) },
    });
    one.reload();
    queueSampleHandoffs(one, join(samples, 'handoffs.json'), String(agents[machine]));
    const mapSampleRepos: SampleContext['mapSampleRepos'] = async (parts) => {
      await mapRepos(
        parts,
        maps.map(([pattern, remote]) => ({ pattern, remote: String(remote) })),
        undefined,
      );
    };
    await body({ ...one, mapSampleRepos }, machine, i === machines.length - 1);
    context = one;
  }
  return context ?? cliContext(out, {}, env);
}

function queueSampleHandoffs(context: Context, path: string, agent: string): void {
  const notes = JSON.parse(readIfThere(path) ?? '[]') as readonly Record<string, unknown>[];
  for (const note of notes.filter((one) => one['agent'] === agent)) {
    const { at, ...rest } = note;
    context.local.queueHandoff(
      HandoffDraft.parse({ ...rest, version: 1, runtime: 'claude-code', written_at: at }),
    );
  }
}
