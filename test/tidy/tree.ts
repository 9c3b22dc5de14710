import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** One text file: `path` is relative to the root of the repository, with `/`. */
export interface TextFile {
  readonly path: string;
  readonly text: string;
}

/** A rule looks at a whole tree and returns complaints, `path:line: rule: what to do instead`; none is good. */
export type Rule = (files: readonly TextFile[]) => readonly string[];

/** The one form of a complaint. `line` counts from 1. */
export function complaint(rule: string, path: string, line: number, fix: string): string {
  return `${path}:${line}: ${rule}: ${fix}`;
}

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git']);

/** Every text file under `root` except installed and built ones; a file with a NUL byte is not text. */
export function readTree(root: string, folder = ''): TextFile[] {
  return readdirSync(`${root}/${folder}`, { withFileTypes: true }).flatMap((entry) => {
    const path = folder + entry.name;
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : readTree(root, `${path}/`);
    if (!entry.isFile()) return [];
    const text = readFileSync(`${root}/${path}`, 'utf8');
    return text.includes('\0') ? [] : [{ path, text }];
  });
}

/** True for TypeScript source, tests included. */
export function isCode(file: TextFile): boolean {
  return file.path.endsWith('.ts');
}

/** True for a file that only the test runner loads. */
export function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.startsWith('test/');
}

const parsed = new WeakMap<TextFile, ts.SourceFile>();

/** The syntax tree of a file, with parent links; parsed once. */
export function parse(file: TextFile): ts.SourceFile {
  const known = parsed.get(file);
  if (known) return known;
  const tree = ts.createSourceFile(file.path, file.text, ts.ScriptTarget.ES2023, true);
  parsed.set(file, tree);
  return tree;
}

/** Calls `see` on every node of the file, parents first; where it returns 'stop' the children are left out. */
export function walk(file: TextFile, see: (node: ts.Node) => unknown): void {
  const visit = (node: ts.Node): void => {
    if (see(node) !== 'stop') ts.forEachChild(node, visit);
  };
  visit(parse(file));
}

/** The line of a node, from 1. */
export function lineOf(node: ts.Node): number {
  const tree = node.getSourceFile();
  return tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
}

/** The lines of a file with strings, templates and patterns blanked out: what is left is code and comments. */
export function linesWithoutLiterals(file: TextFile): string[] {
  let text = file.text;
  walk(file, (node) => {
    const literal = ts.isStringLiteralLike(node) || ts.isRegularExpressionLiteral(node);
    if (!literal && !ts.isTemplateLiteralToken(node)) return;
    const blank = text.slice(node.getStart(), node.end).replace(/[^\n]/g, ' ');
    text = text.slice(0, node.getStart()) + blank + text.slice(node.end);
  });
  return text.split('\n');
}
