import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { claudeFolder, openHistory } from './history.ts';

const folder = mkdtempSync(join(tmpdir(), 'history-'));
afterAll(() => rmSync(folder, { recursive: true }));
const projects = join(folder, '.claude', 'projects');
for (const path of [
  '-w/s2.jsonl',
  '-w/s1.jsonl',
  '-w/s1/subagents/agent-a7.jsonl',
  '-w/s1/tool-results/x.txt',
  '-w/notes.md',
  '-w x y/s3.jsonl',
  'loose.jsonl',
  '-w/a/b/c/agent-d.jsonl',
]) {
  mkdirSync(join(projects, path, '..'), { recursive: true });
  writeFileSync(join(projects, path), '{"type":"user","message":{"content":"hi"}}\n');
}
writeFileSync(join(folder, 'outside.jsonl'), '{}');
writeFileSync(join(folder, '.claude', 'history.jsonl'), '{}');
symlinkSync(folder, join(projects, '-linked'));
symlinkSync(join(folder, 'outside.jsonl'), join(projects, '-w', 'linked.jsonl'));
const history = openHistory({ CLAUDE_CONFIG_DIR: join(folder, '.claude') });

describe('the transcripts of this machine', () => {
  test('are found by where they lie, in a fixed order; links are not followed', () => {
    const found = [...history.files()].map(({ path, source, size, runtime }) => [
      path.slice(projects.length + 1),
      source.session,
      size > 0,
      runtime,
    ]);
    expect(found.toSorted()).toEqual([
      ['-w x y/s3.jsonl', 's3', true, 'claude-code'],
      ['-w/s1.jsonl', 's1', true, 'claude-code'],
      ['-w/s1/subagents/agent-a7.jsonl', 's1:a7', true, 'claude-code'],
      ['-w/s2.jsonl', 's2', true, 'claude-code'],
    ]);
    expect([...history.files()].map(({ path }) => path.slice(projects.length + 1))).toEqual(
      found.map(([path]) => path),
    );
  });

  test('can be read', () => {
    const [file] = [...history.files()].filter(({ source }) => source.session === 's2');
    expect(file?.open().line('{"type":"user","message":{"content":"hi"}}')).toMatchObject({
      kind: 'imported',
      events: [{ session_id: 's2', content: 'hi' }],
    });
  });

  test('a machine without any has none', () => {
    expect([...openHistory({ CLAUDE_CONFIG_DIR: join(folder, 'gone') }).files()]).toEqual([]);
  });

  test('a folder that the user names comes before the usual one', () => {
    expect(claudeFolder({ CLAUDE_CONFIG_DIR: '/x' })).toBe('/x');
    expect(claudeFolder({})).toMatch(/^\/.*\/\.claude$/);
    expect(claudeFolder({ CLAUDE_CONFIG_DIR: '' })).toBe(claudeFolder({}));
    expect(() => claudeFolder({ CLAUDE_CONFIG_DIR: 'x' })).toThrow(/CLAUDE_CONFIG_DIR/);
  });
});

describe('a path that a payload names', () => {
  test('is a transcript only where it leads into the runtime’s own folder', () => {
    expect(history.locate('claude-code', join(projects, '-w/s1.jsonl'))?.source).toEqual({
      session: 's1',
    });
    expect(history.locate('claude-code', join(projects, '-w/../-w/s1.jsonl'))?.source).toEqual({
      session: 's1',
    });
    expect(
      history.locate('claude-code', join(projects, '-w/s1/subagents/agent-a7.jsonl'))?.source,
    ).toEqual({ session: 's1:a7', parent: 's1' });
  });

  test.each<[string, string]>([
    ['another runtime', 'cursor'],
    ['outside', join(folder, 'outside.jsonl')],
    ['just above', join(folder, '.claude', 'history.jsonl')],
    ['a link that leads out', join(projects, '-w/linked.jsonl')],
    ['through a link', join(projects, '-linked/outside.jsonl')],
    ['a path that climbs out', `${projects}/-w/../../../outside.jsonl`],
    ['no transcript', join(projects, '-w/notes.md')],
    ['a folder', join(projects, '-w')],
    ['the folder itself', projects],
    ['one that is gone', join(projects, '-w/gone.jsonl')],
    ['nothing', ''],
    ['NUL', `${projects}\0`],
    ['a loose file', join(projects, 'loose.jsonl')],
  ])('%s is none', (what, path) => {
    expect(
      what === 'another runtime'
        ? history.locate(path, join(projects, '-w/s1.jsonl'))
        : history.locate('claude-code', path),
    ).toBeUndefined();
  });
});
