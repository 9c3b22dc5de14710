import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openFsStore } from '../../src/io/fs-store.ts';
import { parquet } from '../../src/io/parquet.ts';
import { openSpool } from '../../src/io/spool-folder.ts';
import { drain } from '../../src/lake/drain.ts';

/*
 * A program: drains every session of a home into a store, again and again, until a file `stop` lies beside
 * them; then once more. Prints how often. Arguments: the home, the folder of the store.
 */
const [home = '', lake = ''] = process.argv.slice(2);
const spool = openSpool(home);
const store = openFsStore(lake);
let drains = 0;
for (let last = false; ; ) {
  for (const session of spool.sessions()) {
    // Silence of no length is long enough: whatever lies there is due.
    await drain(session, { spool, store, codec: parquet, now: 0, idleMs: 0 });
    drains += 1;
  }
  if (last) break;
  last = existsSync(join(home, 'stop'));
  await setTimeout(20);
}
process.stdout.write(String(drains));
