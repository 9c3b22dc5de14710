import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listOf, objectOf } from '../src/base/unknown.ts';
import { redactEvent, redactText } from '../src/capture/redact.ts';
import type { Event } from '../src/runtime/envelope.ts';
import { ratio } from './kit/figures.ts';

/*
 * Redaction over a folder of real sessions: speed (also against one bare loop over the same characters), what fires, and, with --hits, each hit with the 40 characters
 * on both sides. Then made-up texts of growing length that are built to be slow: time per character must not grow.
 *
 *   npm run bench -- redact <folder with .jsonl transcripts of Claude Code> [--hits] [--no-growth]
 */

const policy = { key: new Uint8Array(32).fill(7) };
const PLACEHOLDER = /\[withheld:([a-z0-9-]+) \d+B [0-9a-f]{8}\]/g;

interface Piece {
  readonly event: Event;
  readonly from: string;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
}

const base = {
  emitted_at: '2026-01-01T00:00:00.000Z',
  session_id: 's',
  native: { key: 'k', counted: false },
};

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return listOf(content)
    .map((block) => String(objectOf(block)['text'] ?? ''))
    .join('\n');
}

function piecesOf(file: string): Piece[] {
  const pieces: Piece[] = [];
  const inputs = new Map<string, { name: string; input: string }>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    let entry: unknown;
    try {
      entry = JSON.parse(line);
    } catch {
      continue;
    }
    const content = objectOf(objectOf(entry)['message'])['content'];
    const from = `${file.split('/').slice(-2).join('/')}:${String(objectOf(entry)['uuid'] ?? '')}`;
    if (typeof content === 'string') {
      pieces.push({ from, event: { ...base, event_type: 'prompt', content } });
      continue;
    }
    for (const block of listOf(content).map(objectOf)) {
      const text = block['text'] ?? block['thinking'];
      if (typeof text === 'string') {
        pieces.push({ from, event: { ...base, event_type: 'assistant', content: text } });
      } else if (block['type'] === 'tool_use') {
        const name = String(block['name']);
        const input = JSON.stringify(block['input']);
        inputs.set(String(block['id']), { name, input });
        pieces.push({ from, event: { ...base, event_type: 'tool_call', tool: { name, input } } });
      } else if (block['type'] === 'tool_result') {
        const call = inputs.get(String(block['tool_use_id']));
        const result = textOf(block['content']);
        pieces.push({
          from,
          event: { ...base, event_type: 'tool_call', tool: { ...call, result } },
        });
      }
    }
  }
  return pieces;
}

const textsOf = ({ content, tool }: Event): string[] =>
  [content, tool?.input, tool?.result].filter((text) => text !== undefined);

function around(before: string, after: string): string[] {
  const lines: string[] = [];
  let shift = 0;
  for (const match of after.matchAll(PLACEHOLDER)) {
    const start = match.index + shift;
    const tail = after.slice(match.index + match[0].length, match.index + match[0].length + 12);
    const end = tail === '' ? before.length : before.indexOf(tail, start);
    const stop = end < 0 ? start + 80 : end;
    shift += stop - start - match[0].length;
    const context = `${before.slice(Math.max(0, start - 40), start)}⟦${before.slice(start, Math.min(stop, start + 160))}⟧${before.slice(stop, stop + 40)}`;
    lines.push(`${match[1]}: ${context.replace(/\s+/g, ' ')}`);
  }
  return lines;
}

/** Microseconds of processor time, so that other work on the machine counts less. */
function processorTime(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  return process.cpuUsage(start).user;
}

function redactAll(pieces: readonly Piece[]): void {
  for (const { event } of pieces) redactEvent(event, policy);
}

function sumOfCharacters(texts: readonly string[]): number {
  let sum = 0;
  for (const text of texts) for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i);
  return sum;
}

function measure(pieces: readonly Piece[], showHits: boolean): void {
  const bytes = pieces
    .flatMap(({ event }) => textsOf(event))
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const fired = new Map<string, number>();
  for (const { event, from } of pieces) {
    const { event: clean, withheld } = redactEvent(event, policy);
    for (const { rule } of withheld) fired.set(rule, (fired.get(rule) ?? 0) + 1);
    if (!showHits || withheld.length === 0) continue;
    const after = textsOf(clean);
    textsOf(event).forEach((text, i) => {
      for (const line of around(text, after[i] ?? '')) process.stdout.write(`${from} ${line}\n`);
    });
  }
  const texts = pieces.flatMap(({ event }) => textsOf(event));
  let best = 0;
  let bare = 0;
  for (let round = 0; round < 40; round++) {
    best = Math.max(best, bytes / processorTime(() => redactAll(pieces)));
    bare = Math.max(bare, bytes / processorTime(() => sumOfCharacters(texts)));
  }
  const rules = [...fired].sort((a, b) => b[1] - a[1]).map(([rule, count]) => `${rule} ${count}`);
  process.stdout.write(
    `${pieces.length} events, ${(bytes / 1e6).toFixed(1)} MB of text: ${best.toFixed(0)} MB/s, ${ratio(best, bare)}\n`,
  );
  process.stdout.write(`fired: ${rules.join(', ')}\n`);
}

const HOSTILE: readonly string[] = [
  'a',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----"',
  'https://',
  'https://a:b',
  '://a@',
  'eyJ',
  'eyJaaaaaaaa.',
  '<private>',
  '<pr',
  '</private>',
  'a<private>',
  'password',
  'password=',
  'token="',
  "token=\\\\'",
  'secret: ${',
  'key=aaaaaaaaaaaa1A',
  'Bearer ',
  'Authorization: ',
  'Cookie: a=',
  'Cookie:a=bcde',
  'authorization:',
  'bearer:aaaaaaaaaaaaaaaa',
  'Authorization: Digest a=',
  'Authorization: Digest ',
  'cookie: $x=',
  'sk-',
  'sk-ant-',
  'xoxb-1',
  'ghp_',
  'AKIA',
  '4111 ',
  '4',
  '123-45-',
  'A1b2',
  'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF5 ',
  '-----BEGIN X-----\naB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF5 ',
  '/a',
  'aB3.',
  'diff --git a/x b/.env\n',
  '.env:',
  '.env:\n',
  'curl -u ',
  'name: TOKEN',
  '"',
  '\\',
  '[withheld:',
  '[withheld:x 1B 00000000]',
  '\u{1F600}',
  '\0',
  '\n',
  ' ',
];

function growth(): void {
  const time = (unit: string, size: number) => {
    const text = unit.repeat(Math.ceil(size / unit.length));
    const start = performance.now();
    redactText(text, 'output', policy);
    redactText(text, 'command', policy);
    return performance.now() - start;
  };
  for (const unit of HOSTILE) {
    time(unit, 1e5);
    const [small, large] = [time(unit, 5e5), time(unit, 4e6)];
    const ratio = large / 8 / Math.max(small, 0.5);
    const note = ratio > 2.5 && large > 500 ? '  GROWS' : '';
    process.stdout.write(
      `${JSON.stringify(unit).padEnd(32)} 0.5 MB ${small.toFixed(0)} ms, 4 MB ${large.toFixed(0)} ms${note}\n`,
    );
  }
}

const [folder] = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
if (folder !== undefined)
  measure(filesBelow(folder).flatMap(piecesOf), process.argv.includes('--hits'));
if (!process.argv.includes('--no-growth')) growth();
