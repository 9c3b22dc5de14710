import type { Scan } from './scan.ts';
import { RANK } from './span.ts';
import { isReference } from './words.ts';

/** Programs that take a password as an argument: anchor word, and the pattern whose group is the password. */
const PROGRAMS: readonly (readonly [anchor: string, pattern: string])[] = [
  [
    'curl',
    String.raw`curl\b(?:[^|;\n\\]|\\[\s\S]){0,400}?\s(?:-u|--user|-U|--proxy-user)[ =]?["']?[^\s:"'$]{1,64}:([^\s"'\\]{3,256})`,
  ],
  [
    'curl',
    String.raw`curl\b(?:[^|;\n\\]|\\[\s\S]){0,400}?\s(?:-b|--cookie)[ =]?(?:"|'|\\")?[\w.-]{1,64}=([^\s"'\\]{6,2048})`,
  ],
  ['sshpass', String.raw`sshpass\s+-p\s*["']?([^\s"'\\]{3,256})`],
  [
    'docker',
    String.raw`docker\s+login\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s-p[ =]?["']?([^\s"'\\]{3,256})`,
  ],
  [
    'mysql',
    String.raw`mysql(?:dump|admin|import)?\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s-p(["']?[^\s"'\\-][^\s"'\\]{2,256})`,
  ],
  [
    'redis-cli',
    String.raw`redis-cli\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s-a[ =]?["']?([^\s"'\\]{3,256})`,
  ],
  ['identified', String.raw`identified\s+by\s+(?:password\s+)?'([^'\n]{3,256})'`],
  [
    'convertto-securestring',
    String.raw`convertto-securestring\s+(?:-string\s+)?["']([^"'\n]{3,256})["']`,
  ],
];

const patterns = new Map<string, RegExp>();

/** Finds passwords by their place in a command line. `at` is where a word like `curl` can start. */
export function probeProgram(scan: Scan, at: number): void {
  const { text } = scan;
  for (const [anchor, source] of PROGRAMS) {
    if (text.slice(at, at + anchor.length).toLowerCase() !== anchor) continue;
    const pattern = patterns.get(source) ?? new RegExp(source, 'iyd');
    patterns.set(source, pattern);
    pattern.lastIndex = at;
    const [start, end] = pattern.exec(text)?.indices?.[1] ?? [0, 0];
    if (end > start && !isReference(text.slice(start, end))) {
      scan.spans.push({ start, end, rule: 'argument-password', rank: RANK.shaped });
    }
  }
}

/** The words with which {@link probeProgram} finds its places. */
export const PROGRAM_ANCHORS: readonly string[] = [...new Set(PROGRAMS.map(([anchor]) => anchor))];
