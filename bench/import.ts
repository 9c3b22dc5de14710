import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ratio } from './kit/figures.ts';

/*
 * One long transcript, imported and sealed by a process of its own, beside a bare loop over the same file that parses
 * each line. The transcript repeats real ones under fresh ids. Needs `npm run build`; memory is read on Linux only.
 *
 *   npm run bench -- import [megabytes, 200 unless given] [a folder with .jsonl transcripts of Claude Code, else samples/]
 */
const MEGABYTES = Number(process.argv[2] ?? 200);
const source = process.argv[3] ?? join(process.cwd(), 'samples', 'fleet');
const main = join(process.cwd(), 'dist', 'door', 'cli', 'main.js');

function parses(line: string): boolean {
  try {
    return JSON.parse(line) !== null;
  } catch {
    return false;
  }
}

function linesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .flatMap((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8').split('\n'))
    .filter(parses);
}

const MONTH_MS = 30 * 24 * 3_600_000;

/** The line as the same session would have written it some months later. */
function again(line: string, round: number): string {
  const hex = round.toString(16).padStart(8, '0');
  const later = (time: string) => new Date(Date.parse(time) + round * MONTH_MS).toISOString();
  return line
    .replace(/("timestamp":")([^"]+)/g, (_, name: string, time: string) => name + later(time))
    .replace(/("(?:uuid|parentUuid|leafUuid)":")[0-9a-f]{8}/g, `$1${hex}`)
    .replace(/"(toolu|msg|req)_[A-Za-z0-9]+/g, `$&${hex}`)
    .replace(/("sessionId":")[^"]*/g, '$1bench-session');
}

async function write(path: string, bytes: number): Promise<void> {
  const lines = linesBelow(source);
  if (lines.length === 0) throw new Error(`no transcripts in ${source}`);
  const file = createWriteStream(path);
  for (let written = 0, round = 0; written < bytes; round++) {
    for (const line of lines) {
      const text = `${again(line, round)}\n`;
      written += Buffer.byteLength(text);
      if (!file.write(text)) await once(file, 'drain');
    }
  }
  file.end();
  await once(file, 'close');
}

async function parseAll(path: string): Promise<void> {
  for await (const line of createInterface({ input: createReadStream(path) })) JSON.parse(line);
}

/** The most memory that a process had so far, in MB; 0 where it is over, or nobody counts. */
function memoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

async function peakMemory(child: ChildProcess): Promise<number> {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid ?? 0));
  }, 50);
  const [code] = await once(child, 'exit');
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  return peak;
}

async function timed<T>(work: () => Promise<T>): Promise<{ seconds: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { seconds: (performance.now() - start) / 1_000, value };
}

const home = await mkdtemp(join(tmpdir(), 'credence-import-'));
const transcript = join(home, '.claude', 'projects', '-work', 'bench-session.jsonl');
await mkdir(join(transcript, '..'), { recursive: true });
await write(transcript, MEGABYTES * 1e6);

const bare = await timed(() => parseAll(transcript));
const env = { PATH: process.env['PATH'], HOME: home };
const ours = await timed(() =>
  peakMemory(spawn(process.execPath, [main, 'import', '--all'], { env, stdio: 'ignore' })),
);
console.log(
  `import of ${MEGABYTES} MB: ${ours.seconds.toFixed(1)} s, ${(MEGABYTES / ours.seconds).toFixed(1)} MB/s, ${ours.value.toFixed(0)} MB of memory at most; parsing its lines alone: ${bare.seconds.toFixed(1)} s; ${ratio(ours.seconds, bare.seconds)}`,
);
await rm(home, { recursive: true });
