import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = process.cwd();
const OUTPUT = 'dist/credence-hook.cjs';

describe('the bundle of the hook', { timeout: 60_000 }, () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'credence-bundle-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function bundle(files: Readonly<Record<string, string>>) {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const [path, text] of Object.entries({ 'package.json': '{}', ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return spawnSync(process.execPath, [join(root, 'scripts/bundle-hook.mjs')], {
      cwd: folder,
      encoding: 'utf8',
    });
  }

  test('is one small executable file', () => {
    const { status, stderr } = bundle({
      'src/hook.ts':
        "import type * as z from 'zod';\nimport { sep } from 'node:path';\nimport { hi } from './a.ts';\nexport type A = z.ZodType;\nprocess.stdout.write(hi + sep);",
      'src/a.ts': "export const hi = 'hi';",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(statSync(join(folder, OUTPUT)).mode & 0o111).toBe(0o111);
    const { stdout } = spawnSync(process.execPath, [join(folder, OUTPUT)], { encoding: 'utf8' });
    expect(stdout).toBe('hi/');
  });

  test.each([
    [
      'an npm package',
      {
        'src/hook.ts': "import './a.ts';",
        'src/a.ts':
          "import * as z from 'zod';\nexport const a = z.string();\nprocess.stdout.write(String(a));",
      },
      /src\/hook\.ts > src\/a\.ts > .*zod/,
    ],
    [
      'a package left to run time',
      {
        'src/hook.ts':
          "const a = 'zod'; void import(a); void import('node:fs'); require('fs').x();",
      },
      /loads fs at run time/,
    ],
    [
      'a file outside src',
      {
        'src/hook.ts': "import a from '../a.json'; process.stdout.write(a.a);",
        'a.json': '{"a":"b"}',
      },
      /outside src: src\/hook\.ts > a\.json/,
    ],
    [
      'too many bytes',
      { 'src/hook.ts': `process.stdout.write('${'x'.repeat(120_001)}');` },
      /over 120000/,
    ],
    ['an import that is not there', { 'src/hook.ts': "import './a.ts';" }, /Could not resolve/],
  ])('refuses %s', (_what, files, message) => {
    const { status, stderr } = bundle(files);
    expect(status).toBe(1);
    expect(stderr).toMatch(message);
    expect(existsSync(join(folder, OUTPUT))).toBe(false);
  });
});
