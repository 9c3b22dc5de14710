import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { sha256Hex } from '../src/base/hash.ts';
import { isInstant } from '../src/base/time.ts';
import { listOf, objectOf } from '../src/base/unknown.ts';
import { parquet } from '../src/io/parquet.ts';
import { PART_COLUMNS, toRow } from '../src/lake/part.ts';
import type { Envelope } from '../src/runtime/envelope.ts';

/*
 * A part of 8 MB (as JSON) made of real sessions: encoding and decoding, in MB of JSON a second, the best of
 * several rounds, with the memory that one round takes beyond what was there (less, for decoding, what encoding
 * left free); then what the writer's options cost and bring.
 *
 *   npx esbuild bench/parquet.ts --bundle --platform=node --format=esm --outfile=/tmp/bench-parquet.mjs
 *   node --expose-gc /tmp/bench-parquet.mjs <folder with .jsonl transcripts of Claude Code>
 */

const PART_BYTES = 8 * 1024 * 1024;
const ROUNDS = 20;

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // transcripts have torn lines
  }
}

/** One envelope for each block of a transcript's line, about as capture makes them. */
function envelopesOf(line: string): Envelope[] {
  const entry = objectOf(parse(line));
  const message = objectOf(entry['message']);
  const emitted_at = text(entry['timestamp']);
  if (!isInstant(emitted_at)) return [];
  const content = message['content'];
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
  return blocks.map(objectOf).map((block, i): Envelope => {
    const known = {
      schema_version: 1 as const,
      event_id: sha256Hex(`${text(entry['uuid'])} ${i}`).slice(0, 32),
      emitted_at,
      fleet_id: 'fleet-of-the-bench',
      agent_id: 'dev-claude-code-ab12',
      runtime: 'claude-code',
      runtime_version: text(entry['version']),
      host_id: '0123456789abcdef',
      session_id: text(entry['sessionId']),
      message_id: text(entry['uuid']),
      parent_message_id: text(entry['parentUuid']),
      repo: 'github.com/owner/name',
      cwd: text(entry['cwd']),
      branch: text(entry['gitBranch']),
      redaction: { status: 'clean' as const, rules_fired: [] },
    };
    if (block['type'] === 'tool_use') {
      const input = text(block['input']);
      const path = objectOf(block['input'])['file_path'];
      const paths = typeof path === 'string' ? { paths: [path] } : {};
      const tool = { name: text(block['name']), input, input_hash: sha256Hex(input), ...paths };
      return { ...known, event_type: 'tool_call', tool };
    }
    if (block['type'] === 'tool_result') {
      const tool = { result: text(block['content']), outcome: 'ok' as const, duration_ms: 1234 };
      return { ...known, event_type: 'tool_call', tool };
    }
    const said = text(block['text'] ?? block['thinking'] ?? '');
    const event_type = message['role'] === 'user' ? 'prompt' : 'assistant';
    return { ...known, event_type, content: said, content_hash: sha256Hex(said) };
  });
}

function makePart(folder: string): { envelopes: Envelope[]; bytes: number } {
  const lines = filesBelow(folder).flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const all = lines.filter((line) => line.startsWith('{')).flatMap(envelopesOf);
  if (all.length === 0) throw new Error('no messages in that folder');
  const envelopes: Envelope[] = [];
  let bytes = 0;
  for (let i = 0; bytes < PART_BYTES; i++) {
    const known = all[i % all.length];
    if (known === undefined) break;
    // What comes round again gets an ending of its own, so that it is no repetition of the whole text.
    const round = Math.floor(i / all.length);
    const ending = round === 0 ? '' : ` ${sha256Hex(`${known.event_id} ${round}`)}`;
    const next = structuredClone(known);
    next.event_id = sha256Hex(known.event_id + ending).slice(0, 32);
    if (next.content !== undefined) next.content += ending;
    if (next.tool?.result !== undefined) next.tool.result += ending;
    if (next.tool?.input !== undefined) next.tool.input += ending;
    envelopes.push(next);
    bytes += Buffer.byteLength(JSON.stringify(next));
  }
  return { envelopes, bytes };
}

function print(...cells: readonly (string | number)[]): void {
  const [name, ...rest] = cells.map(String);
  process.stdout.write(`${(name ?? '').padEnd(34)}${rest.map((c) => c.padStart(14)).join('')}\n`);
}

async function best(run: () => unknown): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < ROUNDS; i++) {
    const start = performance.now();
    await run();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

/** Runs once while another thread watches the process's memory: the peak beyond the start, in bytes. */
async function peakOf(run: () => unknown): Promise<number> {
  const peak = new Float64Array(new SharedArrayBuffer(8));
  const watcher = new Worker(
    `const { workerData, parentPort } = require('node:worker_threads');
     const pause = new Int32Array(new SharedArrayBuffer(4));
     const peak = new Float64Array(workerData);
     parentPort.once('message', () => process.exit());
     parentPort.postMessage('ready');
     const look = () => {
       for (let i = 0; i < 20; i++) {
         peak[0] = Math.max(peak[0], process.memoryUsage.rss());
         Atomics.wait(pause, 0, 0, 1);
       }
       setImmediate(look);
     };
     look();`,
    { eval: true, workerData: peak.buffer },
  );
  await new Promise((resolve) => watcher.once('message', resolve));
  await new Promise((resolve) => setTimeout(resolve, 100));
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  peak[0] = before;
  await run();
  const after = peak[0];
  watcher.postMessage('stop');
  return after - before;
}

type Options = Parameters<typeof parquetWriteBuffer>[0];
type Codec = NonNullable<Options['codec']>;

const COMPRESSORS: NonNullable<Options['compressors']> = {
  GZIP: (bytes) => gzipSync(bytes, { level: 1 }),
  BROTLI: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** The columns of a part, lists left out, with the writer's options as asked. */
function columnsOf(envelopes: readonly Envelope[], encoding?: 'PLAIN'): Options['columnData'] {
  const rows = envelopes.map(toRow);
  return PART_COLUMNS.flatMap(({ name, type, nullable }, i): Options['columnData'] => {
    const values = rows.map((row) => row[i]);
    if (type === 'texts' || type === 'injected') return [];
    if (type === 'boolean') return [{ name, data: values, type: 'BOOLEAN', nullable }];
    if (type === 'text') {
      return [{ name, data: values, type: 'STRING', nullable, ...(encoding ? { encoding } : {}) }];
    }
    const data = values.map((value) => (value === undefined ? value : BigInt(value as number)));
    return [{ name, data, type: 'INT64', nullable }];
  });
}

async function main(folder: string): Promise<void> {
  const { envelopes, bytes } = makePart(folder);
  // Before anything else is encoded: memory that was freed once stays with the process and would hide it.
  let encoded: Uint8Array = new Uint8Array();
  const encodePeak = await peakOf(() => {
    encoded = parquet.encode(envelopes);
  });
  const decodePeak = await peakOf(() => parquet.decode(encoded));
  const speed = (ms: number) => (bytes / 1e3 / ms).toFixed(1);
  const mb = (size: number) => (size / 1e6).toFixed(2);
  print('one part', 'envelopes', 'JSON MB', 'Parquet MB');
  print('', envelopes.length, mb(bytes), mb(encoded.length));
  print('the codec', 'MB/s', 'peak MB');
  print('encode', speed(await best(() => parquet.encode(envelopes))), mb(encodePeak));
  print('decode', speed(await best(() => parquet.decode(encoded))), mb(decodePeak));
  print('');

  print('the writer alone', 'MB/s', 'MB', 'JSON : file');
  const automatic = columnsOf(envelopes);
  const plain = columnsOf(envelopes, 'PLAIN');
  const variants: [string, Options['columnData'], Codec, boolean][] = [
    ['Snappy', automatic, 'SNAPPY', false],
    ['Snappy, statistics of all columns', automatic, 'SNAPPY', true],
    ['Snappy, no dictionaries', plain, 'SNAPPY', false],
    ['uncompressed', automatic, 'UNCOMPRESSED', false],
    ['gzip 1', automatic, 'GZIP', false],
    ['Brotli 1', automatic, 'BROTLI', false],
  ];
  for (const [name, columnData, codec, statistics] of variants) {
    const options = { columnData, codec, statistics, compressors: COMPRESSORS, rowGroupSize: 1e6 };
    const size = parquetWriteBuffer(options).byteLength;
    const fastest = await best(() => parquetWriteBuffer(options));
    print(name, speed(fastest), mb(size), (bytes / size).toFixed(2));
  }
}

await main(process.argv[2] ?? '.');
