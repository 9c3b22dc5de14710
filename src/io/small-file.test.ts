import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openCounter, openCursors } from './cursors.ts';
import { openOutbox } from './outbox.ts';
import {
  createFileAtomically,
  deleteFile,
  readIfThere,
  replaceFile,
  writeFileAtomically,
} from './small-file.ts';

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

  test('a write that fails leaves what was there, and nothing beside it', () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    expect(() => writeFileAtomically(join(folder, 'a'), 'new')).toThrow(/EISDIR|ENOTEMPTY/);
    expect(() => createFileAtomically(join(folder, 'x'.repeat(256)), '')).toThrow(/ENAMETOOLONG/);
    expect(readdirSync(folder)).toEqual(['a']);
  });

  test('can have the longest name that a file can have', () => {
    const path = join(newFolder(), 'x'.repeat(255));
    writeFileAtomically(path, 'y');
    expect(readIfThere(path)).toBe('y');
  });

  test('that is to be created leaves the one that is there as it is', () => {
    const folder = newFolder();
    const path = join(folder, 'a', 'b');
    expect([createFileAtomically(path, 'one'), createFileAtomically(path, 'two')]).toEqual([
      true,
      false,
    ]);
    expect([readIfThere(path), mode(path)]).toEqual(['one', '600']);
    expect(readdirSync(join(folder, 'a'))).toEqual(['b']);
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

describe('a file that a person keeps', () => {
  test.each([0o644, 0o600, 0o666, 0o400])('stays open to whom it was open: %o', (bits) => {
    const path = join(newFolder(), 'a');
    writeFileSync(path, 'x');
    chmodSync(path, bits);
    replaceFile(path, 'y');
    expect([readIfThere(path), mode(path)]).toEqual(['y', bits.toString(8)]);
  });

  test('that is new is this user’s alone', () => {
    const path = join(newFolder(), 'a', 'b');
    replaceFile(path, 'y');
    expect(mode(path)).toBe('600');
  });

  test.each<[string, (folder: string) => string]>([
    ['absolute', (folder) => join(folder, 'kept', 'a')],
    ['relative', () => 'kept/a'],
    [
      'over another link',
      (folder) => {
        symlinkSync('kept/a', join(folder, 'between'));
        return 'between';
      },
    ],
    [
      'upwards from a folder that is a link itself',
      (folder) => {
        mkdirSync(join(folder, 'kept', 'deep'));
        symlinkSync('kept/deep', join(folder, 'over'));
        symlinkSync('../a', join(folder, 'kept', 'deep', 'up'));
        return 'over/up';
      },
    ],
  ])('is written where a link leads to: %s', (_what, lead) => {
    const folder = newFolder();
    mkdirSync(join(folder, 'kept'));
    const [link, kept] = [join(folder, 'link'), join(folder, 'kept', 'a')];
    const to = lead(folder);
    symlinkSync(to, link);
    for (const text of ['new', 'old']) {
      replaceFile(link, text);
      expect(readlinkSync(link)).toBe(to);
      expect([lstatSync(kept).isFile(), readFileSync(kept, 'utf8')]).toEqual([true, text]);
    }
  });

  test('is not written where a link leads nowhere', () => {
    const folder = newFolder();
    symlinkSync('gone/a', join(folder, 'a'));
    symlinkSync('round', join(folder, 'round'));
    expect(() => replaceFile(join(folder, 'a'), 'x')).toThrow(/ENOENT/);
    expect(() => replaceFile(join(folder, 'round'), 'x')).toThrow(/too many links/);
    expect(readdirSync(folder)).toEqual(['a', 'round']);
  });

  test('is rid of what a write that was cut off left beside it, a day later', () => {
    const folder = newFolder();
    const names = ['.credence-12-0123abcd.tmp', '.credence-13-0123abcd.tmp', 'b.tmp'];
    const [old = '', young = '', foreign = ''] = names.map((name) => join(folder, name));
    for (const path of [old, young, foreign]) writeFileSync(path, '');
    for (const path of [old, foreign]) utimesSync(path, 1, 1);
    replaceFile(join(folder, 'a'), 'x');
    expect(readdirSync(folder).sort()).toEqual([...names.slice(1), 'a'].sort());
  });
});

describe('cursors', () => {
  const cursor = {
    version: 2 as const,
    path: '/t/s1.jsonl',
    offset: 5,
    size: 9,
    modified_at: 1.5,
    tally: { lines: 1, imported: 1, merged: 0, skipped: {} },
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
    expect(outbox.unreadable()).toEqual([]);
    expect(mode(join(home, 'outbox', 'b.json'))).toBe('600');
  });

  test.each(['', '{', 'null', '{"version":2}'])(
    'a file that holds no note, %j, stops nothing, and is named',
    (text) => {
      const home = newFolder();
      const outbox = openOutbox(home);
      outbox.add('b', draft);
      writeFileSync(join(home, 'outbox', 'a.json'), text);
      writeFileSync(join(home, 'outbox', '.credence-1-0123abcd.tmp'), 'half');
      mkdirSync(join(home, 'outbox', 'd.json'));
      expect(outbox.list().map(({ name }) => name)).toEqual(['b']);
      expect(outbox.unreadable()).toEqual(['a.json', 'd.json']);
    },
  );
});
