// Bundles src/hook.ts into dist/credence-hook.cjs, the one file that an agent's runtime starts at each event.
// A hook is a new process each time, so what it loads is what the agent waits for: only files of src, no npm
// package, no bare built-in, and under 120 KB. Works on the current folder.
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const ENTRY = 'src/hook.ts';
const OUTPUT = 'dist/credence-hook.cjs';
const SIZE_MAX_BYTES = 120_000;

/** From the entry to an input: why it is in the bundle. */
function chainTo(inputs, target) {
  const chains = new Map([[ENTRY, [ENTRY]]]);
  for (const [at, chain] of chains) {
    for (const { path } of inputs[at]?.imports ?? []) {
      if (!chains.has(path)) chains.set(path, [...chain, path]);
    }
  }
  return (chains.get(target) ?? [target]).join(' > ');
}

/** What is wrong with the bundle, one sentence each. */
function faults({ inputs, outputs }) {
  const foreign = Object.keys(inputs).filter((path) => !path.startsWith('src/'));
  const external = Object.values(outputs)
    .flatMap(({ imports }) => imports)
    .map(({ path }) => path)
    .filter((path) => !path.startsWith('node:'));
  const { bytes } = outputs[OUTPUT];
  return [
    ...foreign.map((path) => `holds a file outside src: ${chainTo(inputs, path)}`),
    ...external.map((path) => `loads ${path} at run time: only node: built-ins are there`),
    ...(bytes > SIZE_MAX_BYTES ? [`is ${bytes} bytes, over ${SIZE_MAX_BYTES}`] : []),
  ];
}

const { metafile, outputFiles } = await build({
  entryPoints: [ENTRY],
  outfile: OUTPUT,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  minify: true,
  legalComments: 'none',
  metafile: true,
  write: false,
  logLevel: 'error',
}).catch(() => process.exit(1)); // esbuild has printed the reason

const wrong = faults(metafile);
if (wrong.length > 0) {
  for (const fault of wrong) console.error(`bundle-hook: ${OUTPUT} ${fault}`);
  process.exit(1);
}
mkdirSync('dist', { recursive: true });
writeFileSync(OUTPUT, outputFiles[0].contents);
const { bin } = JSON.parse(readFileSync('package.json', 'utf8'));
for (const path of new Set([OUTPUT, ...Object.values(bin ?? {})])) chmodSync(path, 0o755);
console.log(`bundle-hook: ${OUTPUT}, ${outputFiles[0].contents.length} bytes`);
