import { CHAR, classAt } from './chars.ts';
import type { Anchor, Scan } from './scan.ts';
import { RANK } from './span.ts';
import { isReference } from './words.ts';

/** As far as the patterns read a password. */
const VALUE_MAX = 256;
const BARE_END = /[\s"'\\]/g;
const QUOTED_END = /["'\n]/g;

/** Programs that take a password as an argument: anchor word, and the pattern whose group is the password. */
const PROGRAMS: readonly (readonly [anchor: string, pattern: string])[] = [
  [
    'curl',
    String.raw`curl\b(?:[^|;\n\\]|\\[\s\S]){0,400}?\s(?:-u|--user|-U|--proxy-user)[ =]?(?:(?:["'][^\s:"'$]{1,64}:|[^\s:"'$]{1,64}:["'])(?<quoted>[^"'\\\n]{3,256})|[^\s:"'$]{1,64}:(?<bare>[^\s"'\\]{3,256}))`,
  ],
  [
    'curl',
    String.raw`curl\b(?:[^|;\n\\]|\\[\s\S]){0,400}?\s(?:-b|--cookie)[ =]?(?:[\w.-]{1,64}=(?<bare>[^\s"'\\]{6,256})|(?:"|'|\\")[\w.-]{1,64}=(?<quoted>[^"'\\\n]{6,256}))`,
  ],
  ['sshpass', String.raw`sshpass\s+-p\s*["']?(?<bare>[^\s"'\\]{3,256})`],
  [
    'login',
    String.raw`(?<=(?:docker|podman|nerdctl|registry|az|oc)[ \t])login\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s(?:-p|--password)[ =]?["']?(?<bare>[^\s"'\\-][^\s"'\\]{2,256})`,
  ],
  [
    'mysql',
    String.raw`mysql(?:dump|admin|import)?\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s-p(?<bare>["']?[^\s"'\\-][^\s"'\\]{2,256})`,
  ],
  [
    'redis-cli',
    String.raw`redis-cli\b(?:[^|;\n\\]|\\[\s\S]){0,200}?\s-a[ =]?["']?(?<bare>[^\s"'\\]{3,256})`,
  ],
  [
    'identified',
    String.raw`identified\s+by\s+(?:password\s+)?'(?<quoted>[^'\n]{256}|[^'\n]{3,255}(?='))`,
  ],
  [
    'convertto-securestring',
    String.raw`convertto-securestring\s+(?:-string\s+)?["'](?<quoted>[^"'\n]{256}|[^"'\n]{3,255}(?=["']))`,
  ],
];

function valueEnd(text: string, from: number, end: RegExp): number {
  end.lastIndex = from;
  return end.exec(text)?.index ?? text.length;
}

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
      const { bare, quoted } = pattern.exec(text)?.indices?.groups ?? {};
      const [start, read] = bare ?? quoted ?? [0, 0];
      scan.arguments ??= new Map();
      const last = scan.arguments.get(source);
      const isKnown = last !== undefined && start >= last.start && start < last.end;
      if (read <= start || isKnown || isReference(text.slice(start, read))) return;
      const end =
        read - start < VALUE_MAX ? read : valueEnd(text, read, bare ? BARE_END : QUOTED_END);
      const span = { start, end, rule: 'argument-password', rank: RANK.shaped };
      scan.arguments.set(source, span);
      scan.spans.push(span);
    };
    return { literal, exact: false, probe };
  });
}
