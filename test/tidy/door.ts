import ts from 'typescript';
import { areaOf } from './direction.ts';
import { complaint, isCode, isTest, lineOf, type TextFile, walk } from './tree.ts';

/** How a statement begins; the words alone stand in prose, too. */
const SQL =
  /^\s*(?:SELECT\s|INSERT\s+(?:OR\s+\w+\s+)?INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|PRAGMA\s)/;

function objection(node: ts.Node): string | undefined {
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node);
  if (isText && SQL.test(node.text)) return 'a door knows no table: ask a function of src/query/';
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression))
    return undefined;
  return node.expression.name.text === 'store'
    ? 'a door never opens a store: let the context do what is needed of it'
    : undefined;
}

/** Doors are handed the pipeline and the views: they hold no SQL, and open no store. */
export function doorsReachNoStore(files: readonly TextFile[]): string[] {
  const wrong: string[] = [];
  for (const file of files) {
    if (!isCode(file) || isTest(file.path) || areaOf(file.path) !== 'door') continue;
    walk(file, (node) => {
      const fix = objection(node);
      if (fix) wrong.push(complaint('door', file.path, lineOf(node), fix));
    });
  }
  return wrong;
}
