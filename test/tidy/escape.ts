import ts from 'typescript';
import {
  complaint,
  isCode,
  isTest,
  lineOf,
  linesWithoutLiterals,
  type TextFile,
  walk,
} from './tree.ts';

/** Runs `objection` over every node of every TypeScript file. */
function search(
  rule: string,
  files: readonly TextFile[],
  objection: (node: ts.Node, path: string) => string | undefined,
): string[] {
  return files.filter(isCode).flatMap((file) => {
    const wrong: string[] = [];
    walk(file, (node) => {
      const fix = objection(node, file.path);
      if (fix) wrong.push(complaint(rule, file.path, lineOf(node), fix));
    });
    return wrong;
  });
}

/** Searches code and comments, not literals, line by line. */
function grep(rule: string, files: readonly TextFile[], pattern: RegExp, fix: string): string[] {
  return files.filter(isCode).flatMap((file) =>
    linesWithoutLiterals(file).flatMap((line, at) => {
      const found = pattern.exec(line);
      return found ? [complaint(rule, file.path, at + 1, `${found[0]}: ${fix}`)] : [];
    }),
  );
}

/** The type system and the linter are never switched off. */
export function noEscape(files: readonly TextFile[]): string[] {
  const marker =
    /@ts-(?:ignore|expect-error|nocheck)|biome-ignore|eslint-disable|(?:v8|c8|istanbul) ignore/;
  return [
    ...search('escape', files, (node) =>
      node.kind === ts.SyntaxKind.AnyKeyword
        ? 'write the type, or `unknown` and narrow it'
        : undefined,
    ),
    ...grep('escape', files, marker, 'mend the code instead of silencing the tool'),
  ];
}

const SKIP = new Set(['skip', 'only', 'todo', 'skipIf', 'runIf']);
const RUNNER = /^(?:test|it|describe|suite|bench|ctx|context|task|t)\b/;

function skipObjection(node: ts.Node, path: string): string | undefined {
  if (path === 'test/kit/shared.ts') return undefined;
  const fix = 'every test runs; what needs the shared folder uses describeShared';
  const named = ts.isPropertyAccessExpression(node)
    ? node.name.text
    : ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression)
      ? node.argumentExpression.text
      : '';
  if (SKIP.has(named) && RUNNER.test(node.getText())) return fix;
  if (!ts.isCallExpression(node)) return undefined;
  if (/^(?:[xf](?:it|test|describe)|skip)$/.test(node.expression.getText())) return fix;
  const options = RUNNER.test(node.expression.getText())
    ? node.arguments.filter(ts.isObjectLiteralExpression)
    : [];
  return options.some(({ properties }) =>
    properties.some(({ name }) => SKIP.has(name?.getText() ?? '')),
  )
    ? fix
    : undefined;
}

/** No test is skipped, focused or left to do, except by the one helper that says so visibly. */
export function noSkip(files: readonly TextFile[]): string[] {
  return search(
    'skip',
    files.filter(({ path }) => isTest(path)),
    skipObjection,
  );
}

function silenceObjection(node: ts.Node, path: string): string | undefined {
  if (ts.isCatchClause(node) && node.block.statements.length === 0) {
    return 'handle the error, or return what its absence means; a comment handles nothing';
  }
  if (isTest(path) || !ts.isCallExpression(node) || !node.expression.getText().endsWith('.catch'))
    return undefined;
  const handler = node.arguments[0];
  if (!handler || !(ts.isArrowFunction(handler) || ts.isFunctionExpression(handler)))
    return undefined;
  return ts.isBlock(handler.body) && handler.body.statements.length === 0
    ? 'an error is dropped unseen: handle it'
    : undefined;
}

/** No error vanishes in an empty handler. */
export function noSilence(files: readonly TextFile[]): string[] {
  return search('silence', files, silenceObjection);
}

/** No marker of unfinished work and no debug print in the product. */
export function noLeftover(files: readonly TextFile[]): string[] {
  const product = files.filter(({ path }) => path.startsWith('src/'));
  const code = product.filter(({ path }) => !isTest(path));
  return [
    ...grep(
      'leftover',
      product,
      /\bFIXME\b|\bXXX\b/,
      'finish it, or write TODO with the number of an issue',
    ),
    ...search('leftover', code, (node) =>
      ts.isIdentifier(node) && node.text === 'console' && !ts.isPropertyAssignment(node.parent)
        ? 'print through the port or stream that was handed in'
        : undefined,
    ),
  ];
}
