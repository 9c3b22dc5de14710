import { adapterOf, areaOf, STAGES } from './direction.ts';
import { type Edge, edgesOfAll, reach } from './graph.ts';
import { complaint, isTest, type TextFile } from './tree.ts';

/** npm packages by area or file, longest match first; an area that is not here has none. */
const ALLOWED: ReadonlyArray<readonly [string, readonly string[]]> = [
  ['src/door/cli/', ['commander', '@clack/prompts', 'cli-table3', 'picocolors']],
  ['src/door/mcp/', ['@modelcontextprotocol/server', 'zod']],
  // The hook bundles these two stages, so only the schema itself may use zod, and the hook takes its type.
  ['src/runtime/envelope.ts', ['zod']],
  ['src/runtime/', []],
  ['src/capture/', []],
  ['src/base/', []],
  ...[
    ...STAGES.map((stage) => `${stage}/`),
    'pipeline.ts',
    'verbs/',
    'home/',
    'library/',
    'verify.ts',
  ].map((area) => [`src/${area}`, ['zod']] as const),
];

/** Packages that belong to one driver. */
const DRIVER: Readonly<Record<string, string>> = { 'hyparquet-writer': 'hyparquet' };

function devDependencies(files: readonly TextFile[]): string[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  return manifest ? Object.keys(JSON.parse(manifest.text).devDependencies ?? {}) : [];
}

/** npm packages stay in the area that was given them; type-only imports are free. */
export function packagesByArea(files: readonly TextFile[]): string[] {
  const dev = devDependencies(files);
  return edgesOfAll(files).flatMap(({ from, pack, typeOnly, line }) => {
    const area = areaOf(from);
    if (pack === undefined || typeOnly || area === undefined || area === 'io') return [];
    const allowed = ALLOWED.find(([prefix]) => from.startsWith(prefix))?.[1] ?? [];
    if (allowed.includes(pack) || (isTest(from) && dev.includes(pack))) return [];
    const list = allowed.length > 0 ? `only ${allowed.join(', ')}` : 'no npm package';
    return [
      complaint(
        'package',
        from,
        line,
        `${area} may import ${list}: put ${pack} behind a port in io`,
      ),
    ];
  });
}

/** In io, one adapter holds one driver and one driver has one adapter. zod is no driver. */
export function oneDriverPerAdapter(files: readonly TextFile[]): string[] {
  const drivers = new Map<string, string>();
  const adapters = new Map<string, string>();
  return edgesOfAll(files).flatMap(({ from, pack, typeOnly, line }) => {
    const adapter = adapterOf(from);
    if (!adapter || !pack || typeOnly || isTest(from) || pack === 'zod') return [];
    const driver = DRIVER[pack] ?? pack;
    const held = drivers.get(adapter) ?? driver;
    const holder = adapters.get(driver) ?? adapter;
    drivers.set(adapter, held);
    adapters.set(driver, holder);
    if (held === driver && holder === adapter) return [];
    const reason = held === driver ? `io/${holder} holds ${driver}` : `io/${adapter} holds ${held}`;
    return [
      complaint(
        'driver',
        from,
        line,
        `${reason} already: one driver an adapter, one adapter a driver`,
      ),
    ];
  });
}

/** What the hook loads at run time holds no npm package: each hook is a new process, and it is one bundled file. */
export function hookClosure(files: readonly TextFile[]): string[] {
  const edges = edgesOfAll(files);
  const isLoaded = (edge: Edge) => !edge.typeOnly;
  const chains = reach(edges, 'src/hook.ts', isLoaded);
  return edges
    .filter((edge) => edge.pack !== undefined && isLoaded(edge) && chains.has(edge.from))
    .map(({ from, line, pack }) => {
      const chain = [...(chains.get(from) ?? []), pack].join(' > ');
      return complaint('hook', from, line, `import the type only, or split the file: ${chain}`);
    });
}

/** Versions in package.json are exact, so that a clone installs what was tested. */
export function exactVersions(files: readonly TextFile[]): string[] {
  const manifest = files.find(({ path }) => path === 'package.json');
  if (!manifest) return [];
  const lines = manifest.text.split('\n');
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(manifest.text);
  return Object.entries<string>({ ...dependencies, ...devDependencies, ...optionalDependencies })
    .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
    .map(([name, version]) => {
      const line = lines.findIndex((text) => text.includes(`"${name}": "${version}"`)) + 1;
      return complaint(
        'version',
        manifest.path,
        line,
        `pin ${name} to one version, not ${version}`,
      );
    });
}
