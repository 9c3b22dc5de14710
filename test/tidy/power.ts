import ts from 'typescript';
import { areaOf, STAGES } from './direction.ts';
import { edgesOf } from './graph.ts';
import { complaint, isCode, isTest, lineOf, type TextFile, walk } from './tree.ts';

const WORLD = 'take it from a World (src/base/world.ts) or from a port, as an argument';

/** Modules without reach into the machine. Everything else of Node is an ambient power. */
const HARMLESS = new Set(
  ['buffer', 'path', 'path/posix', 'string_decoder', 'url', 'util', 'zlib'].map(
    (name) => `node:${name}`,
  ),
);

/** What single files may have, since it is their purpose to wrap it. */
const EXCEPTION: Readonly<Record<string, string>> = {
  'src/base/hash.ts': 'node:crypto',
  'src/base/ed25519.ts': 'node:crypto',
  'src/base/sealed.ts': 'node:crypto',
  'src/base/sealed-box.ts': 'node:crypto',
  'src/base/time.ts': 'Date',
};

const GLOBALS = new Set(
  (
    'fetch process performance crypto globalThis global require eval WebSocket XMLHttpRequest ' +
    'setTimeout setInterval setImmediate queueMicrotask navigator console'
  ).split(' '),
);

/** True for an identifier that stands for a value of that name, not for a property or a member of that name. */
function isValue(node: ts.Identifier): boolean {
  const parent = node.parent;
  if (ts.isPropertyAccessExpression(parent)) return parent.name !== node;
  if (ts.isBindingElement(parent)) return parent.propertyName !== node;
  return !((ts.isPropertyAssignment(parent) || ts.isClassElement(parent)) && parent.name === node);
}

function isClock(node: ts.Node): boolean {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
    const empty = ts.isCallExpression(node) || !node.arguments?.length;
    if (node.expression.getText() === 'Date' && empty) return true;
  }
  return ts.isPropertyAccessExpression(node) && /^(?:Date\.now|Math\.random)$/.test(node.getText());
}

function objection(node: ts.Node, path: string): string | undefined {
  if (isClock(node)) return `${node.getText()} is hidden input: ${WORLD}`;
  if (isTest(path)) return undefined;
  if (ts.isIdentifier(node) && isValue(node)) {
    if (GLOBALS.has(node.text))
      return `\`${node.text}\` is an ambient power (no local of that name either): ${WORLD}`;
    if (node.text === 'Date' && EXCEPTION[path] !== 'Date' && !isClock(node.parent)) {
      return 'only src/base/time.ts touches Date: use its functions';
    }
  }
  if (
    ts.isPropertyAccessExpression(node) &&
    /^(?:toLocale\w+|localeCompare)$/.test(node.name.text)
  ) {
    return `${node.name.text} depends on the machine's locale: compare code points`;
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    return node.arguments[0] && ts.isStringLiteralLike(node.arguments[0])
      ? undefined
      : 'a computed import() loads anything: import by name';
  }
  return undefined;
}

function modules(file: TextFile): string[] {
  if (isTest(file.path)) return [];
  return edgesOf(file)
    .filter(({ to, typeOnly }) => to.startsWith('node:') && !typeOnly && !HARMLESS.has(to))
    .filter(
      ({ to, names }) =>
        EXCEPTION[file.path] !== to || names.some((name) => /^random|^webcrypto/.test(name)),
    )
    .map(({ to, line }) =>
      complaint('power', file.path, line, `a stage may not import ${to}: ${WORLD}`),
    );
}

/** Stages have no ambient power: no files, network, clock, timers, randomness. Their tests have no clock and no randomness. */
export function noAmbientPower(files: readonly TextFile[]): string[] {
  const areas = [...STAGES, 'pipeline.ts', 'verbs', 'home', 'library', 'verify.ts'];
  return files
    .filter((file) => isCode(file) && areas.includes(areaOf(file.path) ?? ''))
    .flatMap((file) => {
      const wrong = modules(file);
      walk(file, (node) => {
        if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node))
          return 'stop';
        const fix = objection(node, file.path);
        if (fix) wrong.push(complaint('power', file.path, lineOf(node), fix));
        return undefined;
      });
      return wrong;
    });
}
