import { type Edge, edgesOfAll, reach } from './graph.ts';
import { complaint, isTest, type TextFile } from './tree.ts';

/** The architecture: a folder may import what stands before it. ARCHITECTURE.md says the same in prose. */
export const STAGES: readonly string[] = (
  'base record judge runtime capture lake digest handoff live extract ' +
  'ledger fold gate snapshot query brief'
).split(' ');
const ORDER = [...STAGES, 'pipeline.ts', 'verbs', 'home', 'library'];

/** The composition roots: only they, and the hook's entry, import adapters. */
const ROOTS = ['node', 'fleet.ts'];

/** What the published verifier may reach, so that an outsider needs nothing native. */
const VERIFIER = ['base', 'record', 'ledger'];

/** The program, which loads the bundle of the next. */
const MAIN = 'src/door/cli/main.ts';

/** The door that opens the composition roots, and starts the hook's entry for who calls it by name. */
const COMMANDS = 'src/door/cli/commands.ts';

/** The other door that opens them: a program of its own, in a bundle of its own. */
const SERVER = 'src/door/mcp/main.ts';
const OPENED_BY_COMMANDS = ['node', 'hook.ts'];

/** Files of io that any adapter may use, each with its reason. */
const SHARED_BY_ADAPTERS: Readonly<Record<string, string>> = {
  'src/io/draft-folder.ts': 'one way to keep what waits, so that one bad file stops nothing',
  'src/io/durable-folder.ts': 'one way to make a folder that neither a crash nor /proc spoils',
  'src/io/folders.ts': 'one way to take a folder from a variable, so that none is relative',
  'src/io/line-reader.ts': 'one way to read the lines of a file of any size in bounded memory',
  'src/io/small-file.ts': 'one way to write a private file so that a crash leaves it whole',
};

/** `src/fold/state.ts` → `fold`, `src/pipeline.ts` → `pipeline.ts`; undefined outside src. */
export function areaOf(path: string): string | undefined {
  return path.startsWith('src/') ? path.split('/')[1] : undefined;
}

/** The adapter that a file of io belongs to: `src/io/fs/lock.ts` and `src/io/fs-lock.ts` → `fs`. */
export function adapterOf(path: string): string | undefined {
  return areaOf(path) === 'io' ? path.split(/[/.-]/)[2] : undefined;
}

function ofStage(from: string, to: string): string | undefined {
  if (!ORDER.includes(to)) return `move what is needed into a stage; ${from} may not import ${to}`;
  if (ORDER.indexOf(to) <= ORDER.indexOf(from)) return undefined;
  return `${from} stands before ${to}: declare a port in ${from}, or move the code to the left`;
}

function ofDoor(edge: Edge, to: string): string | undefined {
  if (to === 'door' || ORDER.includes(to)) return undefined;
  if (edge.from === COMMANDS && OPENED_BY_COMMANDS.includes(to)) return undefined;
  if (edge.from === SERVER && to === 'node') return undefined;
  return `a door gets what it needs as an argument, it may not import ${to}`;
}

function ofAdapter(edge: Edge, to: string): string | undefined {
  if (to !== 'io') return STAGES.includes(to) ? undefined : `an adapter may not import ${to}`;
  const [from, shared] = [adapterOf(edge.from), adapterOf(edge.to)];
  if (from === shared || SHARED_BY_ADAPTERS[edge.to]) return undefined;
  return `adapters share no code (${from} > ${shared}): move it into a stage, or give a reason in SHARED_BY_ADAPTERS`;
}

function objection(edge: Edge): string | undefined {
  const from = areaOf(edge.from);
  const to = areaOf(edge.to);
  if (from === undefined || isTest(edge.from)) return undefined;
  if (to === undefined || isTest(edge.to)) return 'product code may not import tests or scripts';
  if (from === 'door') return ofDoor(edge, to);
  if (to === 'hook.ts')
    return 'the entry of the hook is imported by nobody: move the code to capture';
  if (from === 'io') return ofAdapter(edge, to);
  if (ROOTS.includes(from)) return undefined;
  if (from === 'hook.ts') {
    return to === 'io' || STAGES.includes(to) ? undefined : `the hook may not import ${to}`;
  }
  if (from === 'verify.ts') {
    return VERIFIER.includes(to) ? undefined : `the verifier reaches only ${VERIFIER.join(', ')}`;
  }
  return ofStage(from, to);
}

/** Imports flow one way. Tests beside their subject are free. */
export function importDirection(files: readonly TextFile[]): string[] {
  const unknown = files
    .map(({ path }) => ({ path, area: areaOf(path) }))
    .filter(({ area }) => area && ![...ORDER, 'io', 'door', ...ROOTS, ...ENTRIES].includes(area))
    .map(({ path }) =>
      complaint('direction', path, 1, 'no such area: give it a place in ORDER first'),
    );
  const wrong = edgesOfAll(files)
    .filter((edge) => edge.to.startsWith('src/') || edge.to.startsWith('test/'))
    .flatMap((edge) => {
      const fix = objection(edge);
      return fix ? [complaint('direction', edge.from, edge.line, fix)] : [];
    });
  return [...unknown, ...wrong];
}

const ENTRIES = ['fleet.ts', 'hook.ts', 'verify.ts'];

/** Every product file is reached from an entry; a module kept alive by its own test alone is dead. */
export function reachedFromEntry(files: readonly TextFile[]): string[] {
  // Without the composition root nothing is wired yet, so nothing can be called dead.
  if (!files.some(({ path }) => path === 'src/node/node.ts')) return [];
  const edges = edgesOfAll(files);
  const entries = [...ENTRIES.map((name) => `src/${name}`), MAIN, COMMANDS, SERVER];
  const live = new Set(entries.flatMap((entry) => [...reach(edges, entry, () => true).keys()]));
  return files
    .filter(({ path }) => /^src\/.*\.ts$/.test(path) && !isTest(path) && !live.has(path))
    .map(({ path }) =>
      complaint('reach', path, 1, 'no entry reaches this file: wire it in or delete it'),
    );
}
