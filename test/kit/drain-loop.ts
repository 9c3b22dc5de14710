import { openFsStore } from '../../src/io/fs-store.ts';
import { parquet } from '../../src/io/parquet.ts';
import { openSpool } from '../../src/io/spool-folder.ts';
import { drain } from '../../src/lake/drain.ts';

/** Drains every session of a home into the store in a folder, whatever lies there. */
export async function drainOnce(home: string, lake: string): Promise<void> {
  const spool = openSpool(home);
  const store = openFsStore(lake, { make: true });
  for (const session of spool.sessions()) {
    // Silence of no length is long enough: all of it is due.
    await drain(session, { spool, store, codec: parquet, now: 0, idleMs: 0 });
  }
}

/** The text of a program that does so again and again, until a file `stop` lies in the home. Beside this file. */
export const DRAIN_LOOP = `
  import { existsSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  import { drainOnce } from './drain-loop.ts';
  const [home, lake] = process.argv.slice(2);
  while (!existsSync(home + '/stop')) {
    await drainOnce(home, lake);
    await setTimeout(20);
  }
`;
