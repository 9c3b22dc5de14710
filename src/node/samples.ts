import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOf, objectOf, type UnknownObject } from '../base/unknown.ts';
import type { Context } from '../door/cli/context.ts';
import { HandoffDraft } from '../handoff/handoff.ts';
import { storeUrl } from '../home/settings.ts';
import { foldersOf } from '../io/folders.ts';
import type { Parts } from '../pipeline.ts';
import { listHandoffs } from '../query/handoff.ts';
import { mapRepos } from '../verbs/map-repos.ts';
import { type Env, packageFolder } from './node.ts';

/** How the context of a machine is made, and for which environment this process has its own. */
export interface OpenSample {
  readonly env: Env;
  readonly context: (env: Env, changed?: (parts: Parts) => Partial<Parts>) => Context;
}

const SAMPLES = join(packageFolder, 'samples', 'fleet');

function readSample(name: string): unknown {
  return JSON.parse(readFileSync(join(SAMPLES, name), 'utf8'));
}

/** A JSON object that the samples hold. */
function sampleFile(name: string): UnknownObject {
  return objectOf(readSample(name));
}

function sampleMachines(): string[] {
  return Object.keys(sampleFile('agents.json')).sort();
}

/** A machine of the sample fleet: its folders are beside the user's own, and its store is that of the others. */
function sampleContext({ env, context }: OpenSample, machine: string): Context {
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
  return context(sampleEnv, sampleLineage);
}

/** The sample fleet as it was shown last; undefined where it never was. */
export function sampled(open: OpenSample): Context | undefined {
  const folder = join(foldersOf(open.env).home, 'sample');
  const machine = existsSync(folder) ? sampleMachines().at(-1) : undefined;
  const wasShown = machine !== undefined && existsSync(join(folder, machine, 'state.sqlite'));
  return wasShown ? sampleContext(open, machine) : undefined;
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

/** Runs once for each machine of the sample fleet; answers with the context of the last. */
export async function runSamples(
  open: OpenSample,
  body: (context: Context, machine: string) => Promise<void>,
): Promise<Context> {
  const agents = sampleFile('agents.json');
  const maps = Object.entries(sampleFile('repos.json')).map(([pattern, remote]) => ({
    pattern,
    remote: String(remote),
  }));
  let last = open.context(open.env);
  for (const machine of sampleMachines()) {
    const agent = String(agents[machine]);
    last = sampleContext(open, machine);
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
  const notes = listOf(readSample('handoffs.json')).map(objectOf);
  for (const note of notes.filter((one) => one['agent'] === agent)) {
    const { at, ...rest } = note;
    context.local.queueHandoff(
      HandoffDraft.parse({ ...rest, version: 1, runtime: 'claude-code', written_at: at }),
    );
  }
}
