import { expect, test } from 'vitest';
import { setUp } from '../../src/home/set-up.ts';
import { openHome } from '../../src/node/node.ts';
import { withParts } from '../../src/node/passes.ts';
import { importAll } from '../../src/pipeline.ts';
import { envOf, stillWorld, tempFolder, testHome } from '../kit/home.ts';
import { openMemoryStore } from '../kit/memory-store.ts';
import { placeHistory } from './machine.ts';

test('whoever watches hears which session is being sealed, and how many wait', async () => {
  const folder = tempFolder('sealing');
  placeHistory(folder);
  const store = openMemoryStore();
  const home = testHome(folder, 'one', () => store, stillWorld(Date.UTC(2026, 10, 1)));
  await setUp(home, { runtimes: ['claude-code'], agentIds: { 'claude-code': 'cc-01' } });
  const heard: string[] = [];
  const sealing = (n: number, of: number) => void heard.push(`${n} of ${of}`);
  await withParts(
    { ...home, settings: openHome({}, envOf(folder)).settings },
    (parts) => importAll({ ...parts, sealing }, parts.history.files(), () => {}),
    envOf(folder),
  );
  expect(heard).toEqual(['1 of 3', '2 of 3', '3 of 3']);
});
