import ts from 'typescript';
import { complaint, isCode, lineOf, type TextFile } from './tree.ts';

/** What packages declare, by path: read once, whichever files a program is made of. */
const declarations = new Map<string, ts.SourceFile | undefined>();

/** A program over the given files alone; types of packages come from node_modules under `root`. */
function programOf(files: readonly TextFile[], root: string): ts.Program {
  const config = ts.readConfigFile(`${root}/tsconfig.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(
    config.config,
    { ...ts.sys, readDirectory: () => [] },
    root,
  );
  const texts = new Map(files.filter(isCode).map(({ path, text }) => [`${root}/${path}`, text]));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, ...how) => {
    if (texts.has(path)) return getSourceFile(path, ...how);
    if (!declarations.has(path)) declarations.set(path, getSourceFile(path, ...how));
    return declarations.get(path);
  };
  delete host.directoryExists;
  return ts.createProgram([...texts.keys()], options, host);
}

/** The expressions whose promise would be dropped: looks through `a && b()`, `c ? a() : b()` and the comma. */
function dropped(node: ts.Expression): ts.Expression[] {
  if (ts.isParenthesizedExpression(node)) return dropped(node.expression);
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(dropped);
  if (ts.isBinaryExpression(node)) {
    const sign = node.operatorToken.kind;
    const assigns = sign >= ts.SyntaxKind.FirstAssignment && sign <= ts.SyntaxKind.LastAssignment;
    return assigns ? [] : [node.left, node.right].flatMap(dropped);
  }
  return ts.isVoidExpression(node) || isHandled(node) ? [] : [node];
}

function isHandled(node: ts.Expression): boolean {
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return false;
  const { name, expression } = node.expression;
  if (name.text === 'finally') return isHandled(expression);
  return (
    node.arguments.length >=
    (name.text === 'catch' ? 1 : name.text === 'then' ? 2 : Number.POSITIVE_INFINITY)
  );
}

/** Of these Vitest gives nothing back; to infer all that is handed to them takes as long as the rest of a program. */
const GIVES_NOTHING = new Set(
  'test describe expect beforeAll beforeEach afterAll afterEach onTestFinished'.split(' '),
);
/** But for matchers that wait. */
const WAITS = new Set(['resolves', 'rejects', 'poll', 'toMatchFileSnapshot']);

/** The names that a file takes from Vitest. */
function namesOfVitest(tree: ts.SourceFile): Set<string> {
  const names = tree.statements.flatMap((node) => {
    if (!ts.isImportDeclaration(node) || node.moduleSpecifier.getText() !== "'vitest'") return [];
    const bindings = node.importClause?.namedBindings;
    return bindings && ts.isNamedImports(bindings) ? bindings.elements.map((e) => e.name.text) : [];
  });
  return new Set(names.filter((name) => GIVES_NOTHING.has(name)));
}

/** Whether an expression is a call of one of `names`, or of a member of it, that waits for nothing. */
function givesNothing(node: ts.Expression, names: ReadonlySet<string>): boolean {
  if (ts.isIdentifier(node)) return names.has(node.text);
  if (ts.isCallExpression(node)) return givesNothing(node.expression, names);
  return (
    ts.isPropertyAccessExpression(node) &&
    !WAITS.has(node.name.text) &&
    givesNothing(node.expression, names)
  );
}

/**
 * A promise that nobody waits for loses its error, and with it data. Biome's rule sees most of these; it does
 * not see through elements of lists, optional calls and Node's own functions, which the compiler's types do.
 */
export function noFloatingPromise(files: readonly TextFile[], root: string): string[] {
  const program = programOf(files, root);
  const checker = program.getTypeChecker();
  const floats = (type: ts.Type): boolean => {
    if (type.isUnion()) return type.types.some(floats);
    const element = checker.isArrayType(type)
      ? checker.getTypeArguments(type as ts.TypeReference)[0]
      : undefined;
    return element ? floats(element) : checker.getPropertyOfType(type, 'then') !== undefined;
  };
  return files.filter(isCode).flatMap(({ path }) => {
    const wrong: string[] = [];
    const tree = program.getSourceFile(`${root}/${path}`);
    if (!tree) return wrong;
    const names = namesOfVitest(tree);
    const mayFloat = (node: ts.Expression) =>
      !givesNothing(node, names) && floats(checker.getTypeAtLocation(node));
    const visit = (node: ts.Node): void => {
      const nodes = ts.isExpressionStatement(node) ? dropped(node.expression) : [];
      for (const one of nodes.filter(mayFloat)) {
        wrong.push(
          complaint('promise', path, lineOf(one), 'await it, return it, or handle its error'),
        );
      }
      ts.forEachChild(node, visit);
    };
    visit(tree);
    return wrong;
  });
}
