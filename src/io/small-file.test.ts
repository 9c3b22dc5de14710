import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCounter, openCursors } from './cursors.ts';
import { openOutbox } from './outbox.ts';
import { deleteFile, readIfThere, writeFileAtomically } from './small-file.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'small-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a small file', () => {
  test('is written whole, for this user alone, with its folders, and nothing beside it', () => {
    const folder = newFolder();
    const path = join(folder, 'a', 'b', 'c.json');
    writeFileAtomically(path, 'one');
    writeFileAtomically(path, Buffer.from('twó'));
    expect(readIfThere(path)).toBe('twó');
    expect([mode(path), mode(join(folder, 'a'))]).toEqual(['600', '700']);
    expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['c.json']);
  });

  test('that was open to others is not any more', () => {
    const path = join(newFolder(), 'a');
    writeFileSync(path, 'x');
    chmodSync(path, 0o666);
    writeFileAtomically(path, 'y');
    expect(mode(path)).toBe('600');
  });

  test('a write that fails leaves the old one', () => {
    const folder = newFolder();
    const path = join(folder, 'a');
    writeFileAtomically(path, 'old');
    mkdirSync(`${path}.${process.pid}.tmp`);
    expect(() => writeFileAtomically(path, 'new')).toThrow();
    expect(readIfThere(path)).toBe('old');
  });

  test('none is none, another error is one', () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'file'), '');
    expect(readIfThere(join(folder, 'gone'))).toBeUndefined();
    expect(readIfThere(join(folder, 'file', 'below'))).toBeUndefined();
    expect(() => readIfThere(folder)).toThrow(/EISDIR/);
    deleteFile(join(folder, 'gone'));
  });
});

describe('cursors', () => {
  const cursor = {
    version: 1 as const,
    path: '/t/s1.jsonl',
    offset: 5,
    size: 9,
    modified_at: 1.5,
    tally: { lines: 1, imported: 1, merged: 0, skipped: {} },
    ordinals: { s1: { prompt: 2 } },
    reader: { a: [1] },
  };
  test('come back as they were, one file a path', () => {
    const home = newFolder();
    const cursors = openCursors(home);
    expect(cursors.read(cursor.path)).toBeUndefined();
    cursors.write(cursor);
    cursors.write({ ...cursor, path: '/t/s2.jsonl', offset: 7 });
    expect(openCursors(home).read(cursor.path)).toEqual(cursor);
    expect(openCursors(home).read('/t/s2.jsonl')?.offset).toBe(7);
  });

  test.each(['', '{', 'null', '{"version":2}', JSON.stringify({ ...cursor, offset: 'x' })])(
    'a damaged one, %j, is none: the import begins again',
    (text) => {
      const home = newFolder();
      const cursors = openCursors(home);
      cursors.write(cursor);
      const [name = ''] = readdirSync(join(home, 'imports'));
      writeFileSync(join(home, 'imports', name), text);
      expect(cursors.read(cursor.path)).toBeUndefined();
    },
  );
});

describe('a counter', () => {
  test('only grows, over processes', () => {
    const path = join(newFolder(), 'n');
    const next = openCounter(path);
    expect([next(), next(), openCounter(path)(), next()]).toEqual([1, 2, 3, 4]);
    expect(readFileSync(path, 'utf8')).toBe('4');
  });

  test.each(['', 'x', '{}', '1e99', 'NaN'])(
    'that is damaged, %j, counts from the beginning, and goes on',
    (text) => {
      const path = join(newFolder(), 'n');
      writeFileSync(path, text);
      const next = openCounter(path);
      expect([next(), next()]).toEqual([1, 2]);
    },
  );
});

describe('the outbox', () => {
  const draft = {
    version: 1 as const,
    session: 's1',
    agent: 'cc-01',
    runtime: 'claude-code',
    status: 'done' as const,
    summary: 'x',
    written_at: '2026-03-04T05:06:07.890Z',
  };
  test('gives notes in the order of their names, until they are removed', () => {
    const home = newFolder();
    const outbox = openOutbox(home);
    expect(outbox.list()).toEqual([]);
    outbox.add('b', draft);
    outbox.add('a', { ...draft, summary: 'y' });
    expect(openOutbox(home).list()).toEqual([
      { name: 'a', draft: { ...draft, summary: 'y' } },
      { name: 'b', draft },
    ]);
    outbox.remove('a');
    outbox.remove('gone');
    expect(outbox.list().map(({ name }) => name)).toEqual(['b']);
    expect(mode(join(home, 'outbox', 'b.json'))).toBe('600');
  });

  test.each(['', '{', 'null', '{"version":2}'])(
    'a file that holds no note, %j, stops nothing',
    (text) => {
      const home = newFolder();
      const outbox = openOutbox(home);
      outbox.add('b', draft);
      writeFileSync(join(home, 'outbox', 'a.json'), text);
      writeFileSync(join(home, 'outbox', 'c.json.123.tmp'), 'half');
      expect(outbox.list().map(({ name }) => name)).toEqual(['b']);
    },
  );
});
