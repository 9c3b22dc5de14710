// Writes samples/fleet anew from samples/story. From the repository's root:
//   npx esbuild scripts/make-samples.ts --bundle --platform=node --format=esm | node --input-type=module
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildFleet } from './sample/fleet.ts';
import { readStories } from './sample/read.ts';

const samples = join(process.cwd(), 'samples');
const files = buildFleet(readStories(join(samples, 'story')));
rmSync(join(samples, 'fleet'), { recursive: true, force: true });
for (const [path, text] of files) {
  const target = join(samples, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
const bytes = [...files.values()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
process.stdout.write(`${files.size} files, ${bytes} bytes below ${samples}\n`);
