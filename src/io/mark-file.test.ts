import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { VerifiedMark } from '../snapshot/mark.ts';
import { openMarkFile } from './mark-file.ts';

/** How many calls that change a file were made, and which of them fails: before it is done, or after. */
const sweep = vi.hoisted(() => ({ calls: 0, failing: 0, isDone: false }));

vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const failing = <A extends unknown[], R>(call: (...args: A) => R) => {
    return (...args: A): R => {
      sweep.calls += 1;
      const fails = sweep.calls === sweep.failing;
      if (fails && !sweep.isDone) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      const result = call(...args);
      if (fails) throw Object.assign(new Error('EIO'), { code: 'EIO' });
      return result;
    };
  };
  return {
    ...fs,
    openSync: failing(fs.openSync),
    writeSync: failing(fs.writeSync as (...args: unknown[]) => number),
    fsyncSync: failing(fs.fsyncSync),
    renameSync: failing(fs.renameSync),
  };
});

beforeEach(() => {
  Object.assign(sweep, { calls: 0, failing: 0, isDone: false });
});

function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mark-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const mark = (n: number): VerifiedMark => ({
  version: 1,
  fleet_id: 'fleet',
  n,
  size: n * 2,
  root: 'a'.repeat(64),
  unsigned: [3],
});

describe('the mark of a home', () => {
  test('is what was written last, until it is removed', () => {
    const marks = openMarkFile(newHome());
    expect(marks.read()).toBeUndefined();
    marks.write(mark(1));
    marks.write(mark(2));
    expect(marks.read()).toEqual(mark(2));
    marks.remove();
    marks.remove();
    expect(marks.read()).toBeUndefined();
  });

  test('is none where its file was cut at any byte', () => {
    const home = newHome();
    const marks = openMarkFile(home);
    const text = JSON.stringify(mark(1));
    for (let end = 0; end < text.length; end++) {
      writeFileSync(join(home, 'verified.json'), text.slice(0, end));
      expect(marks.read()).toBeUndefined();
    }
  });

  test('is the old one or the new one, whichever call of writing it fails, and is then written', () => {
    sweep.calls = 0;
    openMarkFile(newHome()).write(mark(1));
    const { calls } = sweep;
    expect(calls).toBeGreaterThan(4);
    for (const isDone of [false, true]) {
      for (let nth = 1; nth <= calls; nth++) {
        const home = newHome();
        const marks = openMarkFile(home);
        Object.assign(sweep, { calls: 0, failing: 0 });
        marks.write(mark(1));
        Object.assign(sweep, { calls: 0, failing: nth, isDone });
        expect(() => marks.write(mark(2))).toThrow('EIO');
        sweep.failing = 0;
        expect([mark(1), mark(2)]).toContainEqual(marks.read());
        marks.write(mark(2));
        expect(marks.read()).toEqual(mark(2));
        expect(readdirSync(home)).toEqual(['verified.json']);
      }
    }
  });
});
