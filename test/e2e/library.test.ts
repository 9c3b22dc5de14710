import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openFleet } from '../../src/fleet.ts';
import { tempFolder } from '../kit/home.ts';

const LIBRARY = pathToFileURL(join(import.meta.dirname, '..', '..', 'dist', 'fleet.js')).href;

/** Opens the fleet of a folder, says its own, and reviews all that waits: what of it was decided by this process. */
const AGENT = `
  import { existsSync, writeFileSync } from 'node:fs';
  import { openFleet } from '${LIBRARY}';
  const [folder, name, promotions] = process.argv.slice(2);
  const fleet = await openFleet({ store: 'file://' + folder + '/lake', agent: name });
  writeFileSync(folder + '/ready-' + name, '');
  while (!existsSync(folder + '/go'));
  const scope = { space: 'own', segment: null };
  const decided = [];
  const codes = new Set();
  for (const [i, id] of promotions.split(',').entries()) {
    await fleet.propose({ scope, kind: 'semantic', statement: name + ' ' + i });
    try {
      await fleet.review(id, i % 2 ? 'approve' : 'reject', '');
      decided.push(id);
    } catch (error) {
      codes.add(error.code);
    }
  }
  await fleet.close();
  process.stdout.write(JSON.stringify({ decided, codes: [...codes] }));
`;

test('two processes on one folder: each promotion is decided once, and nothing that was said is lost', {
  timeout: 120_000,
}, async () => {
  const folder = tempFolder('two-processes');
  const program = join(folder, 'agent.mjs');
  writeFileSync(program, AGENT);
  await using fleet = await openFleet({ store: `file://${folder}/lake` });
  const scope = { space: 'lab', segment: null };
  await fleet.setPolicy(scope, { mode: 'review' });
  const ids: string[] = [];
  for (let i = 0; i < 12; i++)
    ids.push((await fleet.propose({ scope, kind: 'semantic', statement: `${i}` })).id);
  const names = ['ann', 'bob'];
  const running = names.map((name) =>
    promisify(execFile)(process.execPath, [program, folder, name, ids.join()]),
  );
  while (!names.every((name) => existsSync(join(folder, `ready-${name}`)))) await setTimeout(5);
  writeFileSync(join(folder, 'go'), '');
  const said = (await Promise.all(running)).map(
    ({ stdout }) => JSON.parse(stdout) as { decided: string[]; codes: string[] },
  );
  expect(said.flatMap(({ decided }) => decided).sort()).toEqual([...ids].sort());
  for (const { codes } of said)
    expect(codes.filter((code) => code !== 'promotion.decided')).toEqual([]);
  expect(await fleet.claims('own')).toHaveLength(24);
  for (const { status } of await fleet.claims('lab')) expect(status).not.toBe('candidate');
  expect((await fleet.verify()).fault).toBeUndefined();
});
