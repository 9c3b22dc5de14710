import { CHAR, classAt } from './chars.ts';
import type { Anchor, Scan } from './scan.ts';
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

/** Anchors at words like `curl`, each with its pattern, compiled when the word is first met. */
export function programAnchors(): Anchor[] {
  return PROGRAMS.map(([literal, source]) => {
    let pattern: RegExp | undefined;
    const probe = (scan: Scan, at: number) => {
      const { text } = scan;
      if (at > 0 && (classAt(text, at - 1) & CHAR.word) !== 0) return;
      if (text.slice(at, at + literal.length).toLowerCase() !== literal) return;
      pattern ??= new RegExp(source, /^[ic].*[df]/.test(literal) ? 'iyd' : 'yd');
      pattern.lastIndex = at;
      const [start, end] = pattern.exec(text)?.indices?.[1] ?? [0, 0];
      if (end > start && !isReference(text.slice(start, end))) {
        scan.spans.push({ start, end, rule: 'argument-password', rank: RANK.shaped });
      }
    };
    return { literal, exact: false, probe };
  });
}
