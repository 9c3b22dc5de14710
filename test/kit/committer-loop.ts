/**
 * The text of a process that deposits records and commits, round by round, on a store in a folder, with a state in a file:
 * `<store> <household> <state file> <rounds>`. Prints what it holds to be true each time that a commit went through, and `end`.
 */
export const COMMITTER_LOOP = `
  import { randomBytes } from 'node:crypto';
  import { writeSync } from 'node:fs';
  import { verifyHere } from '../../src/base/ed25519.ts';
  import { toInstant } from '../../src/base/time.ts';
  import { admissionView } from '../../src/fold/admission.ts';
  import { openFsStore } from '../../src/io/fs-store.ts';
  import { openSqlite } from '../../src/io/sqlite.ts';
  import { commitPending } from '../../src/ledger/committer.ts';
  import { admissions } from '../../src/ledger/found.ts';
  import { deposit } from '../../src/ledger/inbox.ts';
  import { root } from '../../src/ledger/tree.ts';
  import { prepare, readerOf } from '../../src/snapshot/database.ts';
  import { follow } from '../../src/snapshot/follow.ts';
  import { TABLES } from '../../src/snapshot/schema.ts';
  import { handoffBody, householdOf, noted, T0 } from './fleet.ts';

  async function work([folder, name, file, rounds]) {
    const store = openFsStore(folder);
    const state = openSqlite(file);
    prepare(state, TABLES);
    const home = householdOf(name);
    const common = householdOf('common');
    let head;
    const parts = {
      store,
      fleetId: 'fleet',
      signer: home.host,
      world: { now: () => Date.now(), random: (bytes) => randomBytes(bytes) },
      verifyAll: verifyHere,
      async follow() {
        const followed = () => {};
        head = await follow({ store, state, fleetId: 'fleet', verifyAll: verifyHere, followed });
        return { head, view: admissionView(readerOf(state), head.frontier.size) };
      },
    };
    const joining = [home, common].flatMap((one) => admissions(one, toInstant(T0)));
    await deposit(store, home.hostId, 1, joining.map(({ record }) => record));
    for (let round = 0; round < Number(rounds); round++) {
      await deposit(store, home.hostId, round + 2, [
        noted(home, handoffBody(home, 'own ' + round)),
        noted(common, handoffBody(common, 'of all ' + round)),
      ]);
      await commitPending(parts);
      const { n, frontier } = head;
      const belief = { n, size: frontier.size, root: root(frontier).toString('hex') };
      writeSync(1, JSON.stringify(belief) + '\\n');
    }
    writeSync(1, 'end\\n');
  }
  work(process.argv.slice(2)).catch((error) => {
    console.error(error);
    process.exitCode = 1;
  });
`;
