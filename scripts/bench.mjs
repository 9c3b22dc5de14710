// Runs a bench of bench/: npm run bench -- <name> [arguments]. Each prints ratios to a bare primitive in the same run.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildSync } from 'esbuild';

const root = dirname(import.meta.dirname);
const [name, ...args] = process.argv.slice(2);
const names = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.replace(/\.ts$/, ''));
/** What the ledger is measured by, as a set. */
const LEDGER = ['verify', 'fold', 'commit', 'prove', 'follow'];
const chosen = name === 'ledger' ? LEDGER : [name];
if (!names.includes(chosen[0])) {
  console.error(`which bench? ledger, ${names.join(', ')}`);
  process.exit(2);
}
// Below the package, so that its packages are found.
const outdir = join(root, 'node_modules', '.cache', 'credence-bench');
mkdirSync(outdir, { recursive: true });
writeFileSync(join(outdir, 'package.json'), '{"type":"module"}');
buildSync({
  // The thread lies to the bundle as it does to the file that starts it.
  entryPoints: {
    ...Object.fromEntries(chosen.map((one) => [one, join(root, 'bench', `${one}.ts`)])),
    'verifier/worker': join(root, 'src', 'io', 'verifier', 'worker.ts'),
  },
  outdir,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
});
for (const one of chosen) {
  const command = ['--expose-gc', join(outdir, `${one}.js`), ...args];
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit', cwd: root });
  if (status !== 0) process.exit(status ?? 1);
}
