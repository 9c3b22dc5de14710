import { posix } from 'node:path';
import ts from 'typescript';
import { isCode, lineOf, parse, type TextFile, walk } from './tree.ts';

/** One import, re-export or `import()` of a file. */
export interface Edge {
  readonly from: string;
  /** A path of the repository where the specifier is relative, else the specifier. */
  readonly to: string;
  /** The name of the npm package, where it is one. */
  readonly pack: string | undefined;
  /** True where the compiler erases it. `import { type A }` is not: an empty import stays. */
  readonly typeOnly: boolean;
  /** The exported names that are taken; empty for `* as x`, `import()` and a bare import. */
  readonly names: readonly string[];
  readonly line: number;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node)) {
    const load = node.expression.kind === ts.SyntaxKind.ImportKeyword;
    return load || node.expression.getText() === 'require' ? node.arguments[0] : undefined;
  }
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return node.argument.literal;
  return undefined;
}

function namesOf(node: ts.Node): string[] {
  const clause = ts.isImportDeclaration(node)
    ? node.importClause?.namedBindings
    : ts.isExportDeclaration(node)
      ? node.exportClause
      : undefined;
  if (!clause || !(ts.isNamedImports(clause) || ts.isNamedExports(clause))) return [];
  return clause.elements.map((element) => (element.propertyName ?? element.name).text);
}

function isErased(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) {
    return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  }
  return ts.isImportTypeNode(node) || (ts.isExportDeclaration(node) && node.isTypeOnly);
}

/** The package of a specifier: `@scope/name/deep` → `@scope/name`; undefined for relative and `node:` ones. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:\.|node:)/.test(specifier)) return undefined;
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

const known = new WeakMap<TextFile, Edge[]>();

/** All edges that leave a file, in order. A computed `import(x)` has none: the power rule refuses it. */
export function edgesOf(file: TextFile): Edge[] {
  const edges = known.get(file) ?? [];
  if (known.has(file)) return edges;
  known.set(file, edges);
  walk(file, (node) => {
    const literal = specifierOf(node);
    if (!literal || !ts.isStringLiteralLike(literal)) return;
    const specifier = literal.text;
    const local = specifier.startsWith('.');
    edges.push({
      from: file.path,
      to: local ? posix.join(posix.dirname(file.path), specifier) : specifier,
      pack: packageOf(specifier),
      typeOnly: isErased(node),
      names: namesOf(node),
      line: lineOf(node),
    });
  });
  return edges;
}

/** All edges of all TypeScript files. */
export function edgesOfAll(files: readonly TextFile[]): Edge[] {
  return files.filter(isCode).flatMap(edgesOf);
}

/** From `start` along the edges that `follow` accepts: each file reached → the path of files that leads there. */
export function reach(
  edges: readonly Edge[],
  start: string,
  follow: (edge: Edge) => boolean,
): Map<string, readonly string[]> {
  const chains = new Map<string, readonly string[]>([[start, [start]]]);
  for (const [at, chain] of chains) {
    for (const edge of edges) {
      if (edge.from === at && follow(edge) && !chains.has(edge.to)) {
        chains.set(edge.to, [...chain, edge.to]);
      }
    }
  }
  return chains;
}

/** The names that a file declares → their declarations, exported or not. */
export function declarationsOf(file: TextFile): Map<string, ts.Statement[]> {
  const found = new Map<string, ts.Statement[]>();
  const add = (name: string, node: ts.Statement) =>
    found.set(name, [...(found.get(name) ?? []), node]);
  for (const node of parse(file).statements) {
    if (ts.isVariableStatement(node)) {
      for (const { name } of node.declarationList.declarations) add(name.getText(), node);
    } else if ('name' in node && node.name) {
      add((node.name as ts.Node).getText(), node);
    }
  }
  return found;
}
