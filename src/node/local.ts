import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { CredenceError, messageOf } from '../base/errors.ts';
import { ulid } from '../base/ulid.ts';
import { jsonIn, objectOf, textOf } from '../base/unknown.ts';
import { standingFault } from '../capture/exclusion.ts';
import { recordIntents, recordShown } from '../capture/hook.ts';
import { droppedPaths, FAULT_PATH, processPath } from '../capture/paths.ts';
import type { Local } from '../door/cli/context.ts';
import { type Home, hostIdIn } from '../home/home.ts';
import { hookSettingsOf } from '../home/set-up.ts';
import { hookFiles } from '../io/hook-files.ts';
import { openOutbox } from '../io/outbox.ts';
import { openProposals } from '../io/proposal-folder.ts';
import { readIfThere } from '../io/small-file.ts';
import { openSpool } from '../io/spool-folder.ts';
import { queueOf } from '../query/status.ts';
import { checkoutOf } from '../runtime/repo.ts';
import { conventionFiles } from './convention-files.ts';
import { runtimeFiles } from './runtime-files.ts';
import { watchCheckout } from './seen-heads.ts';

type Drops = ReturnType<Local['drops']>;

/** Events that hooks could not keep, from wherever they could say so. */
function readDrops(home: string): Drops {
  const user = process.getuid?.() ?? 0;
  const places = new Set([...droppedPaths(home, user), ...droppedPaths(undefined, user)]);
  const lines = [...places].flatMap((path) =>
    (readIfThere(resolve(tmpdir(), path)) ?? '').split('\n'),
  );
  return lines.flatMap((line) => {
    const { at, event, code } = objectOf(jsonIn(line));
    return textOf(at) ? [{ at: String(at), event: String(event), code: String(code) }] : [];
  });
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new CredenceError('usage', 'file.unreadable', `${path}: ${messageOf(cause)}`, {
      cause,
      next: 'name a file that holds a JSON object',
    });
  }
}

async function ask(question: string): Promise<string | undefined> {
  if (process.stdin.isTTY !== true) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}

async function confirm(question: string): Promise<boolean | undefined> {
  const answer = await ask(`${question} [y/N] `);
  return answer === undefined ? undefined : /^y(?:es)?$/i.test(answer);
}

const PARENTS_MAX = 16;

/** Looks for a session that a hook announced for one of this process's ancestors. */
function callingSession(home: string): ReturnType<Local['callingSession']> {
  const files = hookFiles(home);
  const folder = join(home, 'run');
  const runtimes = existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    : [];
  let pid = process.ppid;
  for (let depth = 0; depth < PARENTS_MAX && pid > 1; depth++) {
    for (const { name } of runtimes) {
      const session = textOf(
        objectOf(jsonIn(files.read(processPath(name, pid)) ?? ''))['session_id'],
      );
      if (session !== undefined) return { runtime: name, session };
    }
    pid = Number(/^\d+ \(.*\) \S (\d+) /s.exec(files.read(`/proc/${pid}/stat`) ?? '')?.[1] ?? 0);
  }
  return undefined;
}

/** The nearest folder above a file that is there: a file may be about to be made, with its folders. */
function nearestFolder(file: string): string {
  const folder = dirname(file);
  return existsSync(folder) || folder === file ? folder : nearestFolder(folder);
}

/** What commands look at and change on this machine, beside the pipeline. */
export function openLocal(home: Home, env: Readonly<Record<string, string | undefined>>): Local {
  const { folders, world } = home;
  const spool = openSpool(folders.home);
  const outbox = openOutbox(folders.home);
  const proposals = openProposals(folders.home);
  const checkout = (folder: string, names: boolean) => {
    const files = hookFiles(folders.home);
    // Without a fleet there is no host yet, and asking for its key would make one.
    const hostId = home.readPin() ? hostIdIn(home) : '';
    const allowed = names ? files : { ...files, create: () => false };
    return checkoutOf(folder, { files: allowed, hostId, world });
  };
  /** The session that runs this, and what recording in it takes; undefined outside of one, and of a fleet. */
  const recorder = () => {
    const by = callingSession(folders.home);
    const pin = by && home.readPin();
    if (!pin) return undefined;
    const settings = hookSettingsOf(home, pin.fleetId, home.settings.agents);
    const files = hookFiles(folders.home);
    return { by, parts: { files, world, settings, secret: () => home.keys.hostSecret() } };
  };
  return {
    ...runtimeFiles(home, env),
    repoOf: (folder, how) => checkout(folder, how?.names === true)?.repo,
    placeOf(file) {
      const at = checkout(nearestFolder(file), false);
      const path = at && relative(at.root, file);
      return at && path !== undefined && path !== '' ? { repo: at.repo, path } : undefined;
    },
    drops: () => readDrops(folders.home),
    projectFault() {
      const { settings } = home;
      const files = hookFiles(folders.home);
      const rules = {
        fleet_id: home.readPin()?.fleetId ?? settings.fleet_id,
        pause: settings['capture.pause'],
        exclude: settings['capture.exclude'],
      };
      return standingFault(files.read(FAULT_PATH), rules, files);
    },
    callingSession: () => callingSession(folders.home),
    recordShown(command, shown) {
      const calling = recorder();
      return !!calling && recordShown({ ...calling.by, command }, shown, calling.parts);
    },
    recordIntents(announced) {
      const calling = recorder();
      return !!calling && recordIntents(calling.by, announced, calling.parts);
    },
    queueHandoff(draft) {
      const name = ulid(world.now(), world.random(10));
      outbox.add(name, draft);
      return name;
    },
    queueProposal(draft) {
      const name = ulid(world.now(), world.random(10));
      proposals.add(name, draft);
      return name;
    },
    proposals: () => proposals,
    readJson,
    confirm,
    ask,
    watchCheckout: (root) => watchCheckout(folders.home, root),
    conventionFiles: (paths, repo) => conventionFiles(paths, repo, (at) => checkout(at, true)),
    queue: () => queueOf(spool, outbox),
    outbox: () => outbox.list().length,
  };
}
