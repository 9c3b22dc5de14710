import { posix } from 'node:path';
import ts from 'typescript';
import { declarationsOf, edgesOfAll } from './graph.ts';
import { complaint, isCode, lineOf, parse, type TextFile } from './tree.ts';

/** Tools that load a file by its default export. */
const DEFAULT_EXPORT = new Set(['vitest.config.ts', 'test/kit/reporter.ts']);
/** Published entries, which exist to name what others may use. */
const ENTRY = new Set(['src/fleet.ts', 'src/verify.ts']);

function hasKeyword(node: ts.Statement, kind: ts.SyntaxKind): boolean {
  return (
    ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some((word) => word.kind === kind)
  );
}

function isDefault(node: ts.Statement): boolean {
  if (ts.isExportAssignment(node) || hasKeyword(node, ts.SyntaxKind.DefaultKeyword)) return true;
  const clause = ts.isExportDeclaration(node) ? node.exportClause : undefined;
  return (
    !!clause &&
    ts.isNamedExports(clause) &&
    clause.elements.some(({ name }) => name.text === 'default')
  );
}

function shapeFaults(file: TextFile): string[] {
  const { path } = file;
  const statements = parse(file).statements;
  const say = (node: ts.Node, fix: string) => complaint('export', path, lineOf(node), fix);
  const faults = statements.flatMap((node) => {
    if (isDefault(node) && !DEFAULT_EXPORT.has(path))
      return [say(node, 'export it by name, not as default')];
    const star =
      ts.isExportDeclaration(node) && !(node.exportClause && ts.isNamedExports(node.exportClause));
    return star ? [say(node, 'name what is exported, no `export *`')] : [];
  });
  const relay = statements.filter(ts.isExportDeclaration);
  const first = relay[0];
  if (
    first &&
    !ENTRY.has(path) &&
    statements.every((node) => ts.isImportDeclaration(node) || ts.isExportDeclaration(node))
  ) {
    faults.push(
      say(first, 'a file that only re-exports is a barrel: import from the file that declares'),
    );
  }
  return faults;
}

/** Named exports, declared where they live. */
export function exportShape(files: readonly TextFile[]): string[] {
  return files.filter(isCode).flatMap(shapeFaults);
}

/** True where the last comment before a statement is JSDoc and touches it. */
function isDocumented(node: ts.Statement): boolean {
  const text = node.getSourceFile().text;
  const comment = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
  if (!comment || !text.startsWith('/**', comment.pos)) return false;
  return text.slice(comment.end, node.getStart()).split('\n').length <= 2;
}

/** Whatever crosses a folder has JSDoc right above it; a value and a type of one name share it. */
export function documentedExports(files: readonly TextFile[]): string[] {
  const crossing = new Map<string, Set<string>>();
  for (const { from, to, names } of edgesOfAll(files)) {
    if (posix.dirname(from) === posix.dirname(to)) continue;
    crossing.set(to, new Set([...(crossing.get(to) ?? []), ...names]));
  }
  return files.filter(isCode).flatMap((file) => {
    const declared = declarationsOf(file);
    return [...(crossing.get(file.path) ?? [])].flatMap((name) => {
      const nodes = declared.get(name);
      const first = nodes?.[0];
      if (!first || nodes.some(isDocumented)) return [];
      return [
        complaint(
          'doc',
          file.path,
          lineOf(first),
          `${name} is imported from another folder: say in JSDoc right above what it gives`,
        ),
      ];
    });
  });
}
