import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../../src/base/errors.ts';

/*
 * A hook starts a sync that nobody waits for, and that works in the test's folder while the test goes on. Such
 * processes are found by their environment, which names the folder. Only Linux lists that; elsewhere none is found.
 */

const POLL_MS = 10;
const PATIENCE_MS = 60_000;

/** Empty where the process has ended, or is another user's. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES'].includes(codeOf(error))) return '';
    throw error;
  }
}

/** The environments of the other processes that were started with a folder, or with one below it, in a variable. */
function environmentsIn(folder: string): Map<number, string> {
  if (process.platform !== 'linux') return new Map();
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return new Map(
    pids
      .filter((pid) => pid !== String(process.pid))
      .map((pid) => [Number(pid), environmentOf(pid)] as const)
      .filter(([, environment]) => environment.includes(folder)),
  );
}

/** Until `pids` are none. Throws after a minute. */
function waitUntilNone(pids: () => readonly number[]): void {
  for (let waited = 0; ; waited += POLL_MS) {
    const left = pids();
    if (left.length === 0) return;
    if (waited > PATIENCE_MS) throw new Error(`still at work: ${left.join()}`);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, POLL_MS);
  }
}

/** Waits until every sync that a hook started in a folder has ended. */
export function settle(folder: string): void {
  waitUntilNone(() =>
    [...environmentsIn(folder)]
      .filter(([, environment]) => environment.split('\0').includes('CREDENCE_CHILD=1'))
      .map(([pid]) => pid),
  );
}

/** Ends every process that works in a folder, so that nothing is made there any more. */
export function vacate(folder: string): void {
  waitUntilNone(() => {
    const pids = [...environmentsIn(folder).keys()];
    for (const pid of pids) end(pid);
    return pids;
  });
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}
