import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { compiledPath, loadCompiled } from '../../src/door/cli/compiled.ts';
import { tempFolder } from '../kit/home.ts';
import { MAIN } from './machine.ts';

const BUNDLE = join(dirname(MAIN), 'commands.cjs');

/** An own copy of the built package, with the means to start it. */
function copied() {
  const folder = tempFolder('start');
  const root = join(dirname(MAIN), '..', '..', '..');
  cpSync(join(root, 'dist'), join(folder, 'dist'), { recursive: true, preserveTimestamps: true });
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const bundle = join(folder, 'dist', 'door', 'cli', 'commands.cjs');
  const run = (...args: string[]) => {
    const command = [join(dirname(bundle), 'main.js'), ...args];
    const env = { ...process.env, HOME: folder };
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };
  return { bundle, run };
}

test('the build leaves what V8 takes', () => {
  expect(existsSync(compiledPath(BUNDLE))).toBe(true);
  expect(loadCompiled(BUNDLE).script.cachedDataRejected).toBe(false);
});

describe('a start does not need what was compiled before', () => {
  test.each<[string, (compiled: string, bundle: string) => void]>([
    ['none', (compiled) => rmSync(compiled)],
    ['an empty file', (compiled) => writeFileSync(compiled, '')],
    ['one that is cut short', (compiled) => truncateSync(compiled, 100_000)],
    ['of another V8', (compiled) => spoil(compiled, 4)],
    [
      'of a source of another length',
      (_, bundle) => {
        writeFileSync(bundle, '\n', { flag: 'a' });
        utimesSync(bundle, 0, 0);
      },
    ],
  ])('%s', (_what, change) => {
    const { bundle, run } = copied();
    const before = run('config', '--json');
    expect(before).toMatchObject({ status: 0, stderr: '' });
    change(compiledPath(bundle), bundle);
    expect(run('config', '--json')).toEqual(before);
  });

  test('of a bundle that was edited since', () => {
    const { bundle, run } = copied();
    const text = readFileSync(bundle, 'latin1');
    writeFileSync(bundle, text.replaceAll('no command was given', 'NO COMMAND WAS GIVEN'));
    const later = Date.now() / 1_000 + 10;
    utimesSync(bundle, later, later);
    expect(run('--json').stdout).toContain('NO COMMAND WAS GIVEN');
  });
});

/** Turns one byte of a file. */
function spoil(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(at) ^ 0xff, at);
  writeFileSync(path, bytes);
}

test('an error that nobody foresaw has its line of the bundle', () => {
  const { bundle, run } = copied();
  const text = readFileSync(bundle, 'latin1');
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('function buildProgram('));
  lines[at] += ' throw new Error("unforeseen");';
  writeFileSync(bundle, lines.join('\n'));
  const { status, stderr } = run('status');
  expect(status).toBe(1);
  expect(stderr).toContain('Error: unforeseen');
  expect(stderr).toContain(`at buildProgram (${bundle}:${at + 1}:`);
});
