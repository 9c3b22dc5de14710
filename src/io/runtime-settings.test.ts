import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { editSettings } from './runtime-settings.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
const edit = (path: string, text: string | undefined, stamp = 's') =>
  editSettings(path, () => text, { dryRun: false, stamp });
const BEFORE = '{"theme": "dark"}\n';
const HOOKED = '{"theme": "dark", "hooks": {}}\n';

/** `dotfiles/settings.json`, open to others, and the link to it in a folder of the runtime. */
function linked(text: string | undefined): { link: string; kept: string; folder: string } {
  const folder = newFolder();
  const kept = join(folder, 'dotfiles', 'settings.json');
  const link = join(folder, 'claude', 'settings.json');
  mkdirSync(join(folder, 'dotfiles'));
  mkdirSync(join(folder, 'claude'));
  if (text !== undefined) {
    writeFileSync(kept, text);
    chmodSync(kept, 0o644);
  }
  symlinkSync('../dotfiles/settings.json', link);
  return { link, kept, folder };
}

describe('another program’s settings', () => {
  test('are edited where a link leads to, in their own mode, beside a backup', () => {
    const { link, kept } = linked(BEFORE);
    const { backup = '' } = edit(link, HOOKED);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect([readFileSync(kept, 'utf8'), mode(kept)]).toEqual([HOOKED, '644']);
    expect([readFileSync(backup, 'utf8'), mode(backup)]).toEqual([BEFORE, '644']);
    expect(readdirSync(join(link, '..')).sort()).toEqual([
      'settings.json',
      'settings.json.credence-s.bak',
    ]);
    edit(link, BEFORE, 't');
    expect([readFileSync(kept, 'utf8'), mode(kept)]).toEqual([BEFORE, '644']);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });

  test('that are not there yet are made where a link leads to, and taken away there', () => {
    const { link, kept } = linked(undefined);
    edit(link, HOOKED);
    expect([readFileSync(kept, 'utf8'), mode(kept)]).toEqual([HOOKED, '600']);
    edit(link, undefined);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(() => statSync(kept)).toThrow(/ENOENT/);
  });

  test('are left alone where a link leads into a folder that is not there', () => {
    const { link, folder } = linked(undefined);
    rmSync(join(folder, 'dotfiles'), { recursive: true });
    expect(() => edit(link, HOOKED)).toThrow(expect.objectContaining({ code: 'settings.enoent' }));
    expect(readdirSync(folder)).toEqual(['claude']);
  });

  test('are left alone where something stands in the backup’s place', () => {
    const { link, kept, folder } = linked(BEFORE);
    symlinkSync(join(folder, 'elsewhere'), `${link}.credence-s.bak`);
    const refusal = expect.objectContaining({ code: 'settings.eexist' });
    expect(() => edit(link, HOOKED)).toThrow(refusal);
    writeFileSync(join(folder, 'elsewhere'), 'precious');
    expect(() => edit(link, HOOKED)).toThrow(refusal);
    expect(readFileSync(join(folder, 'elsewhere'), 'utf8')).toBe('precious');
    expect(readFileSync(kept, 'utf8')).toBe(BEFORE);
  });

  test('that are empty stay, as any text does that an edit leaves', () => {
    const { link, kept } = linked('');
    expect(edit(link, '').changed).toBe(false);
    edit(link, HOOKED);
    edit(link, '', 't');
    expect(readFileSync(kept, 'utf8')).toBe('');
  });

  test('that are not UTF-8 are refused, and come back as they were', () => {
    const { link, kept, folder } = linked('');
    for (const text of ['{"note":"caf\xe9"}', '{"a":"\xed\xa0\x80"}', '\xff\xfe{\0}\0']) {
      const bytes = Buffer.from(text, 'latin1');
      writeFileSync(kept, bytes);
      expect(() => edit(link, HOOKED)).toThrow(
        expect.objectContaining({ code: 'settings.encoding', next: expect.any(String) }),
      );
      expect(readFileSync(kept).equals(bytes)).toBe(true);
    }
    expect(readdirSync(join(folder, 'claude'))).toEqual(['settings.json']);
  });

  test('keep a byte order mark', () => {
    const { link, kept } = linked(`\uFEFF${BEFORE}`);
    const seen = editSettings(link, (text) => `${text}\n`, { dryRun: false, stamp: 's' });
    expect(seen.before).toBe(`\uFEFF${BEFORE}`);
    expect(readFileSync(kept, 'utf8')).toBe(`\uFEFF${BEFORE}\n`);
  });

  test('that can’t be read are refused, with what to do', () => {
    const folder = newFolder();
    symlinkSync('round', join(folder, 'round'));
    for (const [path, code] of [
      [folder, 'settings.eisdir'],
      [join(folder, 'round'), 'settings.eloop'],
    ] as const)
      expect(() => edit(path, HOOKED)).toThrow(
        expect.objectContaining({ code, next: expect.any(String) }),
      );
  });

  test('are not touched by a dry run, or by an edit that changes nothing', () => {
    const { link, kept } = linked(BEFORE);
    const dry = editSettings(link, () => HOOKED, { dryRun: true, stamp: 's' });
    expect(dry).toMatchObject({ before: BEFORE, after: HOOKED, changed: true, backup: undefined });
    expect(edit(link, BEFORE).changed).toBe(false);
    expect([readFileSync(kept, 'utf8'), readdirSync(join(link, '..'))]).toEqual([
      BEFORE,
      ['settings.json'],
    ]);
  });
});
