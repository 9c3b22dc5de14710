// Bundles src/door/cli/main.ts into dist/door/cli/main.js: a command is a new process each time, and to find four hundred
// modules takes longer than most commands do. Packages stay outside. Works on the current folder, after tsc.
import { chmodSync, rmSync } from 'node:fs';
import { build } from 'esbuild';

const OUTDIR = 'dist/door/cli';

// What tsc wrote there nobody loads.
rmSync('dist/door', { recursive: true, force: true });
await build({
  // The thread lies to the bundle as it does to the file that starts it.
  entryPoints: { main: 'src/door/cli/main.ts', 'verifier/worker': 'src/io/verifier/worker.ts' },
  outdir: OUTDIR,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  packages: 'external',
  logLevel: 'error',
}).catch(() => process.exit(1)); // esbuild has printed the reason
chmodSync(`${OUTDIR}/main.js`, 0o755);
