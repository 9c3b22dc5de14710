// Bundles all commands into dist/door/cli/commands.cjs, the MCP server into mcp.cjs, and compiles them: a command is a new process each time, and to find
// some five hundred modules, or to compile them, takes longer than most commands do. dist/door/cli/main.js starts it.
// Works on the current folder, after tsc.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
/** Runs compile-cli.ts where neither this machine's homes nor its variables are seen: V8 has flags in one of them. */
async function compile() {
  const entry = { compile: join(import.meta.dirname, 'compile-cli.ts') };
  const { outputFiles } = await bundle(entry, { format: 'esm', outdir: '.', write: false });
  const folder = mkdtempSync(join(tmpdir(), 'credence-compile-'));
  const bundles = ['commands.cjs', 'mcp.cjs'].map((name) => resolve(OUTDIR, name));
  const words = ['-', ...bundles, resolve('samples/fleet/north-1/.claude')];
  const { status } = spawnSync(process.execPath, ['--input-type=module', ...words], {
    cwd: folder,
    env: { HOME: folder },
    input: outputFiles[0].text,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  rmSync(folder, { recursive: true });
  if (status !== 0) process.exit(1);
}

/** Bundles each entry with all that it loads. */
const bundle = (entryPoints, more) =>
  build({
    entryPoints,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // Native: it is compiled for the machine that it is installed on.
    external: ['better-sqlite3'],
    metafile: true,
    logLevel: 'error',
    ...more,
  }).catch(() => process.exit(1)); // esbuild has printed the reason

// The thread lies to the bundle as it does to the file that starts it.
await bundle(
  { main: 'src/door/cli/main.ts', 'verifier/worker': 'src/io/verifier/worker.ts' },
  { format: 'esm', outdir: OUTDIR },
);
// As `loadCompiled` takes them: scripts in ASCII, which are told where they lie. The MCP server is one of its own, so that no
// command reads what it alone needs.
const { metafile } = await bundle(
  { commands: 'src/door/cli/commands.ts', mcp: 'src/door/mcp/main.ts' },
  {
    format: 'cjs',
    outdir: OUTDIR,
    outExtension: { '.js': '.cjs' },
    charset: 'ascii',
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'bundleUrl' },
  },
);
writeFileSync(`${OUTDIR}/LICENSES.txt`, packagesIn(metafile).map(licenceOf).join('\n---\n\n'));
chmodSync(`${OUTDIR}/main.js`, 0o755);
await compile();
