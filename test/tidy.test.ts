import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { importDirection, reachedFromEntry } from './tidy/direction.ts';
import { doorsReachNoStore } from './tidy/door.ts';
import { noEscape, noLeftover, noSilence, noSkip } from './tidy/escape.ts';
import { documentedExports, exportShape } from './tidy/export.ts';
import { exactVersions, hookClosure, oneDriverPerAdapter, packagesByArea } from './tidy/package.ts';
import { kebabCase, lockWithoutHosts, noMachine, placesOf } from './tidy/portable.ts';
import { noAmbientPower } from './tidy/power.ts';
import { noFloatingPromise } from './tidy/promise.ts';
import { fileSize } from './tidy/size.ts';
import { type Rule, readTree, type TextFile } from './tidy/tree.ts';

const root = process.cwd();
const tree = readTree(root);

const RULES: Readonly<Record<string, Rule>> = {
  importDirection,
  reachedFromEntry,
  doorsReachNoStore,
  noAmbientPower,
  packagesByArea,
  oneDriverPerAdapter,
  hookClosure,
  exactVersions,
  fileSize,
  exportShape,
  documentedExports,
  noEscape,
  noSkip,
  noSilence,
  noLeftover,
  kebabCase,
  lockWithoutHosts,
  noMachine: (files) => noMachine(files, placesOf(root)),
  noFloatingPromise: (files) => noFloatingPromise(files, root),
};

// The compiler reads the whole tree for one of them, which a busy machine does slowly.
test.each(Object.entries(RULES))('the tree keeps the rule %s', { timeout: 300_000 }, (_n, rule) => {
  expect(rule(tree)).toEqual([]);
});

test('the tree that the rules look at is the whole repository', () => {
  const paths = tree.map(({ path }) => path);
  const some = ['package.json', '.ci/run', 'src/base/errors.ts', 'test/tidy.test.ts'];
  expect(some.filter((path) => !paths.includes(path))).toEqual([]);
  expect(paths.filter((path) => /node_modules|^dist\/|^\.git\//.test(path))).toEqual([]);
});

/** Where the complaints point to: `path:line`, in order. */
function places(complaints: readonly string[]): string[] {
  for (const text of complaints) expect(text).toMatch(/^[\w./-]+:\d+: [a-z]+: .{10,}$/);
  return complaints.map((text) => text.split(': ')[0] ?? '').sort();
}

/** A planted tree: path → text. */
type Plant = Readonly<Record<string, string>>;
const plant = (files: Plant): TextFile[] =>
  Object.entries(files).map(([path, text]) => ({ path, text }));

/** One row a case: what is planted, and the places that the rule must name; none means that it must stay quiet. */
type Row = readonly [what: string, files: Plant, places: readonly string[]];

function planted(rule: Rule, rows: readonly Row[]): void {
  test.each(rows)('%s', (_what, files, expected) => {
    expect(places(rule(plant(files)))).toEqual([...expected].sort());
  });
}

/** A file that imports `to`, on line 1. */
const use = (from: string, to: string): Plant => ({ [from]: `import { a } from '${to}';\na();\n` });
const useType = (from: string, to: string): Plant => ({
  [from]: `import type { A } from '${to}';\n`,
});

describe('imports flow one way', () => {
  planted(importDirection, [
    [
      'a stage imports a later one',
      use('src/record/a.ts', '../fold/state.ts'),
      ['src/record/a.ts:1'],
    ],
    ['a type of a later one too', useType('src/gate/a.ts', '../query/a.ts'), ['src/gate/a.ts:1']],
    [
      'a re-export too',
      { 'src/lake/a.ts': "\nexport { a } from '../fold/a.ts';" },
      ['src/lake/a.ts:2'],
    ],
    ['import() too', { 'src/lake/a.ts': "await import('../fold/a.ts');" }, ['src/lake/a.ts:1']],
    [
      'an inline import type too',
      { 'src/lake/a.ts': "let a: import('../fold/a.ts').A;" },
      ['src/lake/a.ts:1'],
    ],
    ['a stage imports an earlier one', use('src/fold/a.ts', '../record/a.ts'), []],
    ['a stage imports its own folder', use('src/fold/deep/a.ts', '../b.ts'), []],
    ['a stage imports the pipeline', use('src/brief/a.ts', '../pipeline.ts'), ['src/brief/a.ts:1']],
    ['the pipeline imports a stage', use('src/pipeline.ts', './brief/a.ts'), []],
    [
      'the pipeline imports the settings',
      use('src/pipeline.ts', './home/settings.ts'),
      ['src/pipeline.ts:1'],
    ],
    ['a stage imports io', use('src/lake/a.ts', '../io/fs/a.ts'), ['src/lake/a.ts:1']],
    ['a test beside its subject is free', use('src/lake/a.test.ts', '../io/fs/a.ts'), []],
    ['the product imports a test', use('src/lake/a.ts', './a.test.ts'), ['src/lake/a.ts:1']],
    ['the product imports test/', use('src/lake/a.ts', '../../test/kit/a.ts'), ['src/lake/a.ts:1']],
    ['an area without a place', { 'src/util/a.ts': '' }, ['src/util/a.ts:1']],
  ]);
});

describe('the outside is reached only from the composition root and the hook', () => {
  planted(importDirection, [
    ['the root imports io', use('src/node/node.ts', '../io/fs/a.ts'), []],
    ['hook.ts imports io', use('src/hook.ts', './io/fs/a.ts'), []],
    ['hook.ts imports the pipeline', use('src/hook.ts', './pipeline.ts'), ['src/hook.ts:1']],
    ['the root imports hook.ts', use('src/node/node.ts', '../hook.ts'), ['src/node/node.ts:1']],
    ['a stage imports hook.ts', use('src/capture/a.ts', '../hook.ts'), ['src/capture/a.ts:1']],
    ['io imports a stage', use('src/io/fs/a.ts', '../../lake/objects.ts'), []],
    ['io imports the pipeline', use('src/io/fs/a.ts', '../../pipeline.ts'), ['src/io/fs/a.ts:1']],
    ['io imports its own folder', use('src/io/fs/a.ts', './b.ts'), []],
    ['io imports a file of the same first name', use('src/io/fs-store.ts', './fs-file.ts'), []],
    ['io imports another adapter', use('src/io/fs/a.ts', '../sqlite/b.ts'), ['src/io/fs/a.ts:1']],
    ['io imports a declared file', use('src/io/keys.ts', './small-file.ts'), []],
    ['two adapters of one file each', use('src/io/clock.ts', './disk.ts'), ['src/io/clock.ts:1']],
    ['a door imports io', use('src/door/cli/a.ts', '../../io/fs/a.ts'), ['src/door/cli/a.ts:1']],
    [
      'a door imports a type of io',
      useType('src/door/http/a.ts', '../../io/a.ts'),
      ['src/door/http/a.ts:1'],
    ],
    ['a door imports the pipeline', use('src/door/cli/a.ts', '../../pipeline.ts'), []],
    ['a door imports a function of a stage', use('src/door/cli/a.ts', '../../fold/a.ts'), []],
    [
      'a door imports an adapter',
      use('src/door/cli/a.ts', '../../io/fs-store.ts'),
      ['src/door/cli/a.ts:1'],
    ],
    ['a door imports a type of a stage', useType('src/door/cli/a.ts', '../../fold/a.ts'), []],
    ['a door imports base', use('src/door/cli/a.ts', '../../base/errors.ts'), []],
    [
      'a door imports the root',
      use('src/door/cli/a.ts', '../../node/node.ts'),
      ['src/door/cli/a.ts:1'],
    ],
    [
      'the door to all commands imports the root',
      use('src/door/cli/commands.ts', '../../node/cli-context.ts'),
      [],
    ],
    [
      'the MCP server’s entry imports the root',
      use('src/door/mcp/main.ts', '../../node/cli-context.ts'),
      [],
    ],
    [
      'a tool of it imports the root',
      use('src/door/mcp/a.ts', '../../node/cli-context.ts'),
      ['src/door/mcp/a.ts:1'],
    ],
    ['the verifier imports the ledger', use('src/verify.ts', './ledger/proof.ts'), []],
    ['the verifier imports the fold', use('src/verify.ts', './fold/a.ts'), ['src/verify.ts:1']],
  ]);
});

describe('doors reach no store', () => {
  const door = (text: string): Plant => ({ 'src/door/cli/a.ts': `\n${text}` });
  const each = (text: string): Row => [text, door(text), ['src/door/cli/a.ts:2']];
  planted(doorsReachNoStore, [
    ...[
      "sql.get('SELECT 1 FROM handoffs LIMIT 1');",
      // In two pieces, since a text with a hole in it is taken for a slip.
      `sql.all(\`SELECT * FROM \${'$'}{table}\`);`,
      'const sql = `\\n  DELETE FROM sessions`;',
      "sql.run('INSERT OR REPLACE INTO meta VALUES (1)');",
      "sql.get('PRAGMA quick_check');",
      'await readFleet(home.store());',
      'context.home().store({ make: true });',
    ].map(each),
    ['prose', door("const a = 'Select a session from the list'; use(settings.store);"), []],
    ['a test of a door', { 'src/door/cli/a.test.ts': "sql.get('SELECT 1');" }, []],
    ['a stage', { 'src/query/a.ts': "sql.get('SELECT 1');" }, []],
  ]);
});

describe('every product file is reached from an entry', () => {
  const rooted = {
    'src/fleet.ts': "import './node/node.ts';",
    'src/node/node.ts': "import { a } from '../pipeline.ts';",
  };
  planted(reachedFromEntry, [
    ['nothing imports it', { ...rooted, 'src/fold/a.ts': '' }, ['src/fold/a.ts:1']],
    [
      'only its test imports it',
      { ...rooted, 'src/fold/a.ts': '', ...use('src/fold/a.test.ts', './a.ts') },
      ['src/fold/a.ts:1'],
    ],
    [
      'two dead files import each other',
      { ...rooted, ...use('src/fold/a.ts', './b.ts'), ...use('src/fold/b.ts', './a.ts') },
      ['src/fold/a.ts:1', 'src/fold/b.ts:1'],
    ],
    [
      'reached through another',
      {
        ...rooted,
        ...use('src/pipeline.ts', './fold/a.ts'),
        ...useType('src/fold/a.ts', './b.ts'),
        'src/fold/b.ts': '',
      },
      [],
    ],
    [
      'reached from the verifier',
      { ...rooted, ...use('src/verify.ts', './record/a.ts'), 'src/record/a.ts': '' },
      [],
    ],
  ]);
});

describe('stages have no ambient power', () => {
  const each = (text: string): Row => [text, { 'src/fold/a.ts': text }, ['src/fold/a.ts:1']];
  planted(noAmbientPower, [
    ...[
      ...'fs fs/promises net http https child_process os process timers timers/promises dns worker_threads crypto module perf_hooks'
        .split(' ')
        .map((name) => `import { x } from 'node:${name}';`),
      'fetch(url);',
      'export const get = fetch;',
      'const at = Date.now();',
      'const at = new Date();',
      'const at = new Date;',
      'const at = Date();',
      'const at = new Date(0);',
      'const at = Date.parse(text);',
      'setTimeout(go, 1);',
      'setInterval(go, 1);',
      "process.env['HOME'];",
      'const { env } = process;',
      'globalThis.fetch(url);',
      'Math.random();',
      'crypto.randomUUID();',
      'performance.now();',
      'const n = await import(name);',
      'names.sort((a, b) => a.localeCompare(b));',
      'use({ fetch });',
    ].map(each),
    [
      'several in one file',
      { 'src/gate/a.ts': 'fetch(a);\n\nMath.random();' },
      ['src/gate/a.ts:1', 'src/gate/a.ts:3'],
    ],
    ['the pipeline', { 'src/pipeline.ts': 'setTimeout(go, 1);' }, ['src/pipeline.ts:1']],
    [
      'randomness where hashing is allowed',
      { 'src/base/hash.ts': "import { randomBytes } from 'node:crypto';" },
      ['src/base/hash.ts:1'],
    ],
    [
      'the wall clock in base/time.ts',
      { 'src/base/time.ts': 'Date.now();\nnew Date();' },
      ['src/base/time.ts:1', 'src/base/time.ts:2'],
    ],
    [
      'the wall clock in a test',
      { 'src/fold/a.test.ts': 'Date.now();\nMath.random();' },
      ['src/fold/a.test.ts:1', 'src/fold/a.test.ts:2'],
    ],
    [
      'base/time.ts reads dates',
      { 'src/base/time.ts': 'new Date(ms).toISOString(); Date.parse(text);' },
      [],
    ],
    [
      'base/hash.ts hashes',
      { 'src/base/hash.ts': "import { createHash } from 'node:crypto';" },
      [],
    ],
    ['harmless modules', { 'src/fold/a.ts': "import { inflate } from 'node:zlib';" }, []],
    [
      'a test starts a program',
      { 'src/fold/a.test.ts': "process.env['A'];\nsetTimeout(go, 1);\nnew Date(0);" },
      [],
    ],
    [
      'a test reads a file',
      { 'src/fold/a.test.ts': "import { readFileSync } from 'node:fs';" },
      [],
    ],
    [
      'a port with the same words',
      {
        'src/fold/a.ts':
          'port.fetch(a); port.process(); const o = { process: 1 };\nclass A { fetch() {} }',
      },
      [],
    ],
    [
      'types with the same words',
      {
        'src/fold/a.ts':
          'interface A { fetch(): void }\ntype B = { at: Date; get: typeof fetch };\nlet c: Date;',
      },
      [],
    ],
    [
      'comments and strings',
      { 'src/fold/a.ts': "// Date.now() and fetch\nconst a = 'process.env';" },
      [],
    ],
    [
      'adapters and the root',
      { 'src/io/clock.ts': 'Date.now();', 'src/node/node.ts': 'process.exit();' },
      [],
    ],
  ]);
});

describe('npm packages stay in their area', () => {
  const manifest = { 'package.json': '{"devDependencies":{"vitest":"4.1.12"}}' };
  planted(packagesByArea, [
    ['base has none', use('src/base/a.ts', 'zod'), ['src/base/a.ts:1']],
    ['a stage has zod', use('src/ledger/a.ts', 'zod'), []],
    ['a stage has zod in depth', use('src/ledger/a.ts', 'zod/mini'), []],
    ['a stage has no other', use('src/ledger/a.ts', 'picocolors'), ['src/ledger/a.ts:1']],
    ['a built-in without its prefix', use('src/ledger/a.ts', 'fs'), ['src/ledger/a.ts:1']],
    ['capture has none', use('src/capture/a.ts', 'zod'), ['src/capture/a.ts:1']],
    ['runtime has none', use('src/runtime/cursor.ts', 'zod'), ['src/runtime/cursor.ts:1']],
    ['the envelope is a schema', use('src/runtime/envelope.ts', 'zod'), []],
    ['a type is free', useType('src/base/a.ts', 'zod'), []],
    ['the root has none', use('src/node/node.ts', 'commander'), ['src/node/node.ts:1']],
    ['the command line has its list', use('src/door/cli/a.ts', '@clack/prompts'), []],
    ['another door does not', use('src/door/http/a.ts', 'commander'), ['src/door/http/a.ts:1']],
    ['a test has what tests have', { ...manifest, ...use('src/base/a.test.ts', 'vitest') }, []],
    [
      'a test has no other',
      { ...manifest, ...use('src/base/a.test.ts', 'zod') },
      ['src/base/a.test.ts:1'],
    ],
  ]);
});

describe('one adapter holds one driver', () => {
  const sqlite = use('src/io/sqlite/a.ts', 'better-sqlite3');
  planted(oneDriverPerAdapter, [
    ['one each', { ...sqlite, ...use('src/io/toml.ts', 'smol-toml') }, []],
    ['one in two files', { ...sqlite, ...use('src/io/sqlite/b.ts', 'better-sqlite3') }, []],
    [
      'two halves of one',
      {
        ...use('src/io/parquet/a.ts', 'hyparquet'),
        ...use('src/io/parquet/b.ts', 'hyparquet-writer'),
      },
      [],
    ],
    [
      'two in one adapter',
      { ...sqlite, ...use('src/io/sqlite/b.ts', 'smol-toml') },
      ['src/io/sqlite/b.ts:1'],
    ],
    [
      'one in two adapters',
      { ...sqlite, ...use('src/io/queue.ts', 'better-sqlite3') },
      ['src/io/queue.ts:1'],
    ],
    ['zod is no driver', { ...sqlite, ...use('src/io/sqlite/b.ts', 'zod') }, []],
  ]);
});

describe('the hook loads no npm package', () => {
  const hook = use('src/hook.ts', './capture/a.ts');
  planted(hookClosure, [
    ['no hook yet', use('src/capture/a.ts', 'zod'), []],
    ['at first hand', use('src/hook.ts', 'zod'), ['src/hook.ts:1']],
    [
      'at second hand',
      {
        ...hook,
        ...use('src/capture/a.ts', '../runtime/envelope.ts'),
        ...use('src/runtime/envelope.ts', 'zod'),
      },
      ['src/runtime/envelope.ts:1'],
    ],
    [
      'by type only',
      {
        ...hook,
        ...useType('src/capture/a.ts', '../runtime/envelope.ts'),
        ...use('src/runtime/envelope.ts', 'zod'),
      },
      [],
    ],
    [
      'by an empty import that the compiler keeps',
      {
        ...hook,
        'src/capture/a.ts': "import { type A } from '../runtime/envelope.ts';",
        ...use('src/runtime/envelope.ts', 'zod'),
      },
      ['src/runtime/envelope.ts:1'],
    ],
    [
      'through a re-export',
      {
        ...hook,
        'src/capture/a.ts': "export { A } from '../runtime/envelope.ts';",
        ...use('src/runtime/envelope.ts', 'zod'),
      },
      ['src/runtime/envelope.ts:1'],
    ],
    ['built-ins are free', { ...hook, ...use('src/capture/a.ts', 'node:buffer') }, []],
    ['a circle ends', { ...hook, ...use('src/capture/a.ts', '../hook.ts') }, []],
  ]);
  test('the complaint shows the way to the package', () => {
    const files = plant({ ...hook, ...use('src/capture/a.ts', 'zod') });
    expect(hookClosure(files)[0]).toContain('src/hook.ts > src/capture/a.ts > zod');
  });
});

describe('versions are exact and files small', () => {
  const version = (range: string): Plant => ({
    'package.json': `{"devDependencies":\n{ "a": "${range}"}}`,
  });
  planted(exactVersions, [
    ...['^1.0.0', '~1.0.0', '1', '1.x', '>=1.0.0', '*', 'latest', 'git+ssh://host/a'].map(
      (range): Row => [range, version(range), ['package.json:2']],
    ),
    ['exact', version('1.2.3'), []],
    ['exact with a suffix', version('1.5.6-r.1'), []],
  ]);
  const lines = (count: number): string => 'a();\n'.repeat(count);
  planted(
    (files) => fileSize(files, { 'src/fold/long.ts': 'a table' }),
    [
      ['300 lines', { 'src/fold/a.ts': lines(300) }, []],
      ['301 lines', { 'src/fold/a.ts': lines(301) }, ['src/fold/a.ts:301']],
      ['500 lines with a reason', { 'src/fold/long.ts': lines(500) }, []],
      ['501 lines with a reason', { 'src/fold/long.ts': lines(501) }, ['src/fold/long.ts:501']],
      ['501 lines of tests', { 'src/fold/a.test.ts': lines(501) }, []],
      ['301 lines of a script', { 'scripts/a.mjs': lines(301) }, ['scripts/a.mjs:301']],
    ],
  );
});

describe('exports are named, declared where they live, and documented', () => {
  const file = (text: string): Plant => ({ 'src/fold/a.ts': text });
  planted(exportShape, [
    ['default function', file('\nexport default function a() {}'), ['src/fold/a.ts:2']],
    ['default value', file('export default 1;'), ['src/fold/a.ts:1']],
    ['default by name', file('const a = 1;\nexport { a as default };'), ['src/fold/a.ts:2']],
    ['star', file("export * from './b.ts';\nexport const a = 1;"), ['src/fold/a.ts:1']],
    [
      'star with a name',
      file("export * as b from './b.ts';\nexport const a = 1;"),
      ['src/fold/a.ts:1'],
    ],
    [
      'barrel',
      file("export { b } from './b.ts';\nexport { c } from './c.ts';"),
      ['src/fold/a.ts:1'],
    ],
    ['barrel by import', file("import { b } from './b.ts';\nexport { b };"), ['src/fold/a.ts:2']],
    ['a declaration and a re-export', file("export { b } from './b.ts';\nexport const a = 1;"), []],
    ['a tool that wants a default', { 'vitest.config.ts': 'export default 1;' }, []],
    ['a published entry', { 'src/verify.ts': "export { a } from './record/a.ts';" }, []],
  ]);
  const crossing = (text: string): Plant => ({
    ...use('src/gate/b.ts', '../fold/a.ts'),
    ...file(text),
  });
  planted(documentedExports, [
    ['a function without', crossing('\nexport function a() {}'), ['src/fold/a.ts:2']],
    ['a constant without', crossing('export const a = 1;'), ['src/fold/a.ts:1']],
    ['listed at the end, without', crossing('function a() {}\nexport { a };'), ['src/fold/a.ts:1']],
    ['a line comment', crossing('// gives a\nexport const a = 1;'), ['src/fold/a.ts:2']],
    [
      'a comment with a gap',
      crossing('/** The file. */\n\nexport const a = 1;'),
      ['src/fold/a.ts:3'],
    ],
    [
      'another comment between',
      crossing('/** Gives a. */\n// and more\nexport const a = 1;'),
      ['src/fold/a.ts:3'],
    ],
    ['documented', crossing('/** Gives a. */\nexport const a = 1;'), []],
    [
      'imported under another name',
      {
        'src/gate/b.ts': "import { a as c } from '../fold/a.ts';",
        ...file('export const a = 1;'),
      },
      ['src/fold/a.ts:1'],
    ],
    [
      'a value and a type of one name',
      crossing('/** An a. */\nexport const a = 1;\nexport type a = number;'),
      [],
    ],
    [
      'used in its own folder only',
      { ...use('src/fold/b.ts', './a.ts'), ...file('export const a = 1;') },
      [],
    ],
    [
      'a type without',
      { ...useType('src/gate/b.ts', '../fold/a.ts'), ...file('export interface A {}') },
      ['src/fold/a.ts:1'],
    ],
  ]);
});

describe('nothing is switched off, skipped, silenced or left over', () => {
  const file = (text: string): Plant => ({ 'src/fold/a.ts': text });
  const one = (text: string): Row => [text, file(`\n${text}`), ['src/fold/a.ts:2']];
  planted(noEscape, [
    ...[
      'let a: any;',
      'b as any;',
      'function a(...b: any[]) {}',
      '// @ts-ignore',
      '// @ts-expect-error because',
      '/* @ts-nocheck */',
      '// biome-ignore lint/a/b: because',
      '// eslint-disable-next-line',
      '/* v8 ignore next */',
    ].map(one),
    [
      'the words in strings and names',
      file(`const any = '@ts-ignore';\nconst b = \`biome-ignore \${any}\`;`),
      [],
    ],
  ]);
  const inTest = (text: string, at = 1): Row => [
    text,
    { 'src/fold/a.test.ts': text },
    [`src/fold/a.test.ts:${at}`],
  ];
  planted(noSkip, [
    ...[
      "test.skip('a', go);",
      "test.only('a', go);",
      "it.todo('a');",
      "describe.skipIf(x)('a', go);",
      "test.runIf(x)('a', go);",
      "test.concurrent.skip('a', go);",
      "test['skip']('a', go);",
      "(x ? test : test.skip)('a', go);",
      "test('a', { skip: true }, go);",
      'ctx.skip();',
      "xit('a', go);",
      "fit('a', go);",
      "fdescribe('a', go);",
    ].map((text) => inTest(text)),
    inTest("test('a', ({ skip }) => {\n  skip();\n});", 2),
    ['the one helper', { 'test/kit/shared.ts': "describe.skip('a', go);" }, []],
    [
      'ordinary tests',
      { 'src/fold/a.test.ts': "test.each([1])('a', go);\nreport.skip(1); const o = { skip: 1 };" },
      [],
    ],
  ]);
  planted(noSilence, [
    ...[
      'try { a(); } catch {}',
      'try { a(); } catch (e) { /* fine */ }',
      'a().catch(() => {});',
      'a().catch(function () {});',
    ].map(one),
    [
      'a test that swallows',
      { 'src/fold/a.test.ts': 'try { a(); } catch {}' },
      ['src/fold/a.test.ts:1'],
    ],
    ['handled', file('try { a(); } catch (e) { report(e); }\na().catch((e) => report(e));'), []],
  ]);
  planted(noLeftover, [
    ...['// FIXME later', '/* XXX */', "console.log('a');", 'const { log } = console;'].map(one),
    ['the words in strings', file("const a = 'FIXME console.log';"), []],
    ['prints of a script', { 'scripts/a.mjs': "console.log('a');" }, []],
  ]);
});

describe('nothing belongs to one machine', () => {
  // Joined here, since the rule reads this file too.
  const home = `/${'home'}/ada/x`;
  const mac = `/${'Users'}/ada`;
  const host = `${'registry'}.example.com`;
  const note = (text: string): Plant => ({ 'docs/a.md': `\n${text}` });
  planted(
    (files) => noMachine(files, ['/srv/checkout']),
    [
      ...[
        home,
        mac,
        `C:\\${'Users'}\\ada`,
        `file://${home}`,
        `cd /srv/checkout/src`,
        `https://${host}/a`,
      ].map((text): Row => [text, note(text), ['docs/a.md:2']]),
      ['samples are made up', { 'samples/a.jsonl': home }, []],
      [
        'placeholders',
        note('/home/<name>/x, /home/me/x, C:\\Users\\me, ~/x, src/home/page.ts'),
        [],
      ],
    ],
  );
  test('a checkout is known by its folder and the shared folder beside it', () => {
    expect(placesOf('/srv/ci/checkout')).toEqual(['/srv/ci/checkout', '/srv/ci/shared']);
    expect(placesOf('/checkout')).toEqual([]);
  });
  planted(lockWithoutHosts, [
    [
      'a host',
      { 'package-lock.json': '{\n"resolved": "https://host.example/a.tgz"}' },
      ['package-lock.json:2'],
    ],
    ['none', { 'package-lock.json': '{"version": "1.0.0"}' }, []],
  ]);
  planted(kebabCase, [
    ...[
      'src/fold/foldState.ts',
      'src/fold/Fold.ts',
      'src/Fold/a.ts',
      'src/fold/a_b.ts',
      'src/fold/a-.ts',
    ].map((path): Row => [path, { [path]: '' }, [`${path}:1`]]),
    ['kebab-case', { 'src/fold/fold-state.property.test.ts': '', 'src/base/ed25519.ts': '' }, []],
  ]);
});

describe('no promise floats', { timeout: 60_000 }, () => {
  const declared = `
declare const store: { put(key: string): Promise<void>; peek?(): Promise<void> };
declare const all: readonly (typeof store)[];
import { writeFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
`;
  const text = (body: string) =>
    `${declared}export async function a(): Promise<void> {\n${body}\n}\n`;
  const bad = [
    "store.put('a');",
    "for (const one of all) one.put('a');",
    "all[0]?.put('a');",
    'store.peek?.();',
    "writeFile('a', 'b');",
    "all.map((one) => one.put('a'));",
    "Promise.all(all.map((one) => one.put('a')));",
    "all.length > 0 && store.put('a');",
    "store.put('a').then(() => undefined);",
    "store.put('a').finally(() => undefined);",
    "expect(store.put('a')).resolves.toBe(1);",
    'expect.poll(() => 1).toBe(1);',
    'vi.waitFor(() => 1);',
    "test('a', () => { store.put('a'); });",
  ];
  const good = [
    "await store.put('a');",
    "const b = store.put('a'); await b;",
    "void store.put('a');",
    "store.put('a').catch((e) => { throw e; });",
    "store.put('a').then(() => 1, () => 2);",
    "await Promise.all(all.map((one) => one.put('a')));",
    'all.map((one) => one.put.name);',
    "await expect(store.put('a')).resolves.toBe(1);",
    "expect(store.put('a')).toBeInstanceOf(Promise);",
    "test.each([1])('%s', async () => { await store.put('a'); });",
  ];
  planted(
    (files) => noFloatingPromise(files, root),
    [
      [
        'each dropped one is found',
        { 'src/io/a.ts': text(bad.join('\n')) },
        bad.map((_, at) => `src/io/a.ts:${at + 7}`),
      ],
      ['waited for, or handled', { 'src/io/a.ts': text(good.join('\n')) }, []],
    ],
  );
});

/** What tidy leaves to Biome is worth nothing if the configuration is wrong: so each is planted and must fire. */
describe('Biome really refuses', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'credence-biome-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `  use(${at});\n`).join('');
  const cases: Readonly<Record<string, string>> = {
    noExcessiveLinesPerFunction: `export function a(use: (n: number) => void): void {\n${lines(71)}}\n`,
    noFloatingPromises:
      'async function a(): Promise<void> {}\nexport function b(): void {\n  a();\n}\n',
    noMisusedPromises:
      'export function a(b: number[], c: () => Promise<void>): void {\n  b.forEach(async () => await c());\n}\n',
    useExhaustiveSwitchCases:
      "export function a(b: 'x' | 'y'): void {\n  switch (b) {\n    case 'x':\n      return;\n  }\n}\n",
    noImportCycles: "import { c } from './circle.ts';\nexport const a = (): unknown => c;\n",
    useImportExtensions: "import { b } from './other';\nexport const a = b;\n",
    noExplicitAny: 'export const a = (b: any): unknown => b;\n',
    noNonNullAssertion: 'export const a = (b?: string): string => b!;\n',
    noDefaultExport: 'export default 1;\n',
    noConsole: "export const a = (): void => console.log('a');\n",
    noUnusedImports: "import { b } from './other.ts';\nexport const a = 1;\n",
    noUnusedVariables: 'const b = 1;\nexport const a = 1;\n',
    useImportType: "import { B } from './other.ts';\nexport const a = (b: B): B => b;\n",
  };
  const fileOf = (rule: string) =>
    `src/base/${rule.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
  let found: readonly { rule: string; path: string }[] | undefined;

  function diagnose(): readonly { rule: string; path: string }[] {
    for (const [rule, text] of Object.entries({
      ...cases,
      fine: `export function a(use: (n: number) => void): void {\n${lines(70)}}\n`,
    })) {
      mkdirSync(dirname(join(folder, fileOf(rule))), { recursive: true });
      writeFileSync(join(folder, fileOf(rule)), text);
    }
    writeFileSync(join(folder, 'src/base/other.ts'), 'export type B = string;\n');
    const circle =
      "import { a } from './no-import-cycles.ts';\nexport const c = (): unknown => a;\n";
    writeFileSync(join(folder, 'src/base/circle.ts'), circle);
    copyFileSync('biome.json', join(folder, 'biome.json'));
    const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
    let output = '';
    try {
      output = execFileSync(
        process.execPath,
        [biome, 'lint', '--reporter=json', '--max-diagnostics=none'],
        { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
      );
    } catch (error) {
      output = (error as { stdout: string }).stdout;
    }
    const { diagnostics } = JSON.parse(output) as {
      diagnostics: { category: string; severity: string; location: { path: string } }[];
    };
    return diagnostics.map(({ category, location }) => ({
      rule: category.split('/').at(-1) ?? '',
      path: location.path,
    }));
  }

  test.each(Object.keys(cases))('%s', (rule) => {
    found ??= diagnose();
    expect(found).toContainEqual({ rule, path: fileOf(rule) });
  });
  test('and lets a function of 70 lines pass', () => {
    found ??= diagnose();
    expect(found.filter(({ path }) => path === fileOf('fine'))).toEqual([]);
  });
});
