// Bundles src/door/cli/main.ts into dist/door/cli/main.js: a command is a new process each time, and to find some five
// hundred modules takes longer than most commands do. Works on the current folder, after tsc.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const OUTDIR = 'dist/door/cli';

/** The folders of the packages that a bundle holds a copy of, in order. */
function packagesIn({ inputs }) {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [],
  );
  return [...new Set(folders)].sort();
}

/** What a package says of itself and its licence, whose text goes where a copy of the package goes. */
function licenceOf(folder) {
  const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
  const file = readdirSync(folder).find((path) => /^licen[cs]e/i.test(path));
  if (file === undefined) throw new Error(`bundle-cli: ${name} has no licence to hand on`);
  return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
}

// What tsc wrote there nobody loads.
rmSync('dist/door', { recursive: true, force: true });
const { metafile } = await build({
  // The thread lies to the bundle as it does to the file that starts it.
  entryPoints: { main: 'src/door/cli/main.ts', 'verifier/worker': 'src/io/verifier/worker.ts' },
  outdir: OUTDIR,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  // Native: it is compiled for the machine that it is installed on.
  external: ['better-sqlite3'],
  // Packages of the older module format ask for built-ins by this function.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
  metafile: true,
  logLevel: 'error',
}).catch(() => process.exit(1)); // esbuild has printed the reason
writeFileSync(`${OUTDIR}/LICENSES.txt`, packagesIn(metafile).map(licenceOf).join('\n---\n\n'));
chmodSync(`${OUTDIR}/main.js`, 0o755);
