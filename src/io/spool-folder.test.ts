import { constants } from 'node:buffer';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { memorySpool } from '../../test/kit/memory-spool.ts';
import type { Manifest } from '../lake/manifest.ts';
import type { Spool } from '../lake/port.ts';
import { hookFiles } from './hook-files.ts';
import { openSpool } from './spool-folder.ts';

function newHome(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spool-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
const manifest = (fields: Partial<Manifest> = {}): Manifest => ({
  version: 1,
  runtime: 'claude-code',
  session: 's1',
  agent: 'cc-01',
  parts: [],
  drained: 0,
  last_at: 0,
  ended: false,
  imported: false,
  ordinals: {},
  line_ids: [],
  revision: 0,
  sealed_parts: 0,
  torn: 0,
  unrecognised: 0,
  ...fields,
});
const part = (n: number) => ({
  key: `k${n}`,
  hash: 'a'.repeat(64),
  first_at: '2026-03-04T05:06:07.890Z',
  events: 1,
  bytes: 5,
});
const put = (home: string, path: string, text = '') => {
  mkdirSync(join(home, path, '..'), { recursive: true });
  writeFileSync(join(home, path), text);
};

describe('the files of the spool', () => {
  test('belong to sessions by their names, whatever dots a session has', () => {
    const home = newHome();
    put(home, 'spool/claude-code/s1.ndjson', 'abc');
    put(home, 'spool/claude-code/s1.2.draining', 'de');
    put(home, 'spool/claude-code/s1.10.sent');
    put(home, 'spool/claude-code/s1.2.3.sent');
    put(home, 'spool/cursor/s1.ndjson');
    put(home, 'spool/dropped.ndjson', '{}');
    put(home, 'spool/claude-code/s1.2.tmp');
    put(home, 'spool/claude-code/.ndjson');
    mkdirSync(join(home, 'spool/claude-code/folder.ndjson'));
    utimesSync(join(home, 'spool/claude-code/s1.ndjson'), 100, 100);
    const found = openSpool(home)
      .sessions()
      .map(({ runtime, stem, files }) => [
        runtime,
        stem,
        files.map(({ state, n, bytes }) => `${state} ${n} ${bytes}`).sort(),
      ]);
    expect(found.sort()).toEqual([
      ['claude-code', 's1', ['draining 2 2', 'open 0 3', 'sent 10 0']],
      ['claude-code', 's1.2', ['sent 3 0']],
      ['cursor', 's1', ['open 0 0']],
    ]);
    const [first] = openSpool(home)
      .sessions()
      .filter(({ stem, runtime }) => stem === 's1' && runtime === 'claude-code');
    expect(first?.files.find(({ state }) => state === 'open')?.writtenAt).toBe(100_000);
  });

  test('none is none', () => {
    const home = newHome();
    expect(openSpool(home).sessions()).toEqual([]);
    expect(openSpool(home).unsealed()).toEqual([]);
    writeFileSync(join(home, 'spool'), '');
    expect(openSpool(home).sessions()).toEqual([]);
  });

  test('go from open to draining to sent, and away', () => {
    const home = newHome();
    hookFiles(home).append('spool/claude-code/s1.ndjson', 'one\n');
    const spool = openSpool(home);
    const [session] = spool.sessions();
    const [open] = session?.files ?? [];
    if (!session || !open) throw new Error('no file');
    const frozen = spool.freeze(session, open, 7);
    expect(frozen).toMatchObject({ name: 's1.7.draining', n: 7, state: 'draining' });
    hookFiles(home).append('spool/claude-code/s1.ndjson', 'two\n');
    expect(spool.read(session, frozen)).toBe('one\n');
    spool.markSent(session, frozen);
    const names = () => readdirSync(join(home, 'spool/claude-code')).sort();
    expect(names()).toEqual(['s1.7.sent', 's1.ndjson']);
    spool.remove(session, { ...frozen, name: 's1.7.sent' });
    spool.remove(session, { ...frozen, name: 's1.7.sent' });
    expect(names()).toEqual(['s1.ndjson']);
    expect(() => spool.read(session, frozen)).toThrow(/ENOENT/);
    expect(() => spool.freeze(session, { ...open, name: 'gone.ndjson' }, 8)).toThrow(/ENOENT/);
  });

  test('the spool of the tests does the same', () => {
    const step = fc.record({
      what: fc.constantFrom('append', 'freeze', 'sent', 'remove'),
      stem: fc.constantFrom('a', 'b'),
      n: fc.integer({ min: 1, max: 4 }),
    });
    const listed = (spool: Spool) =>
      spool
        .sessions()
        .map(({ runtime, stem, files }) => ({
          runtime,
          stem,
          files: files
            .map(({ writtenAt: _, ...file }) => file)
            .sort((a, b) => (a.name < b.name ? -1 : 1)),
          lines: files.map((file) => [
            file.name,
            [...spool.lines({ runtime, stem, files }, file)].flat(),
            spool.read({ runtime, stem, files }, file),
          ]),
        }))
        .map((session) => ({ ...session, lines: session.lines.sort() }))
        .sort((a, b) => (a.stem < b.stem ? -1 : 1));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), (steps) => {
        const home = mkdtempSync(join(tmpdir(), 'spool-'));
        try {
          const [real, fake] = [openSpool(home), memorySpool()];
          for (const { what, stem, n } of steps) {
            if (what === 'append') {
              const text = `\n${n}${n % 2 === 0 ? '\n' : ''}`;
              hookFiles(home).append(`spool/r/${stem}.ndjson`, text);
              fake.append('r', stem, text);
            }
            for (const spool of [real, fake]) {
              const session = spool.sessions().find((one) => one.stem === stem);
              const file = (state: string) => session?.files.find((one) => one.state === state);
              const [open, draining, sent] = [file('open'), file('draining'), file('sent')];
              if (!session) continue;
              if (what === 'freeze' && open && !session.files.some((one) => one.n === n))
                spool.freeze(session, open, n);
              if (what === 'sent' && draining)
                spool.markSent(
                  session,
                  session.files
                    .filter((one) => one.state === 'draining')
                    .sort((a, b) => a.n - b.n)[0] ?? draining,
                );
              if (what === 'remove' && sent)
                spool.remove(
                  session,
                  session.files
                    .filter((one) => one.state === 'sent')
                    .sort((a, b) => a.n - b.n)[0] ?? sent,
                );
            }
          }
          expect(listed(real)).toEqual(listed(fake));
        } finally {
          rmSync(home, { recursive: true });
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a large file', () => {
  function sparse(home: string, bytes: number, last: string) {
    put(home, 'spool/claude-code/s1.1.draining', 'first\n');
    const path = join(home, 'spool/claude-code/s1.1.draining');
    truncateSync(path, bytes);
    appendFileSync(path, last);
    const spool = openSpool(home);
    const [session] = spool.sessions();
    const [file] = session?.files ?? [];
    if (!session || !file) throw new Error('no file');
    return { spool, session, file };
  }

  test('of more bytes than a text can have is read by lines, without the one that is too long', () => {
    const { spool, session, file } = sparse(newHome(), 600 * 1024 * 1024, '\nlast\n');
    expect(file.bytes).toBeGreaterThan(constants.MAX_STRING_LENGTH);
    const texts = [...spool.lines(session, file)].flat().map(({ text }) => text);
    expect(texts).toEqual(['first', undefined, 'last']);
    expect(spool.read(session, file)).toBe('last\n');
  });

  test('of the usual size is read whole, a larger one from the beginning of a line', () => {
    const usual = sparse(newHome(), 16 * 1024 * 1024 - 4, 'end\n');
    expect(usual.spool.read(usual.session, usual.file).slice(0, 6)).toBe('first\n');
    const larger = sparse(newHome(), 16 * 1024 * 1024, '\nlast\nend');
    expect(larger.spool.read(larger.session, larger.file)).toBe('last\nend');
  });
});

describe('what was odd', () => {
  const at = '2026-03-04T05:06:07.890Z';
  function frozen(home: string, name: string, writtenAt = 100) {
    put(home, `spool/claude-code/${name}.1.draining`, 'x');
    utimesSync(join(home, `spool/claude-code/${name}.1.draining`), writtenAt, writtenAt);
    const session = openSpool(home)
      .sessions()
      .find(({ stem }) => stem === name);
    const [file] = session?.files ?? [];
    if (!session || !file) throw new Error('no file');
    return [session, file] as const;
  }

  test('adds up over files and processes, once a file, also when the file is gone', () => {
    const home = newHome();
    const first = frozen(home, 's1');
    const second = frozen(home, 's2');
    const count = (of: typeof first, torn: number) =>
      openSpool(home).count(...of, { torn, unrecognised: 1 }, at);
    expect(openSpool(home).counted()).toEqual({ torn: 0, unrecognised: 0 });
    count(first, 2);
    count(second, 3);
    count(first, 2);
    const spool = openSpool(home);
    spool.remove(...first);
    expect(spool.counted()).toEqual({ torn: 5, unrecognised: 2, last_at: at });
    // Another file, though a session without a manifest gives it the same number.
    count(frozen(home, 's1', 200), 4);
    expect(openSpool(home).counted()).toMatchObject({ torn: 9, unrecognised: 3 });
  });

  test.each(['', '{', 'null', '{"torn":-1}', '{"torn":"x","files":3,"last_at":"now"}'])(
    'in counts that are damaged, %j, begins again',
    (text) => {
      const home = newHome();
      put(home, 'spool-counts.json', text);
      expect(openSpool(home).counted()).toEqual({ torn: 0, unrecognised: 0 });
      openSpool(home).count(...frozen(home, 's1'), { torn: 1, unrecognised: 0 }, at);
      expect(openSpool(home).counted()).toEqual({ torn: 1, unrecognised: 0, last_at: at });
    },
  );
});

describe('manifests', () => {
  test('come back as they were, and are marked while something is not sealed', () => {
    const home = newHome();
    const spool = openSpool(home);
    const open = manifest({ parts: [part(1), part(2)], sealed_parts: 1 });
    spool.writeManifest('s1', open);
    expect(spool.manifest('claude-code', 's1')).toEqual(open);
    expect(spool.unsealed()).toEqual([{ stem: 's1', manifest: open }]);
    const sealed = { ...open, sealed_parts: 2 };
    spool.writeManifest('s1', sealed);
    expect(spool.manifest('claude-code', 's1')).toEqual(sealed);
    expect(spool.unsealed()).toEqual([]);
    expect(readdirSync(join(home, 'unsealed/claude-code'))).toEqual([]);
    expect((statSync(join(home, 'manifests/claude-code/s1.json')).mode & 0o777).toString(8)).toBe(
      '600',
    );
  });

  test('the mark alone says nothing: a crash between the two leaves no session out and none in', () => {
    const home = newHome();
    const spool = openSpool(home);
    // Marked, and the manifest was never written.
    put(home, 'unsealed/claude-code/s1');
    expect(spool.unsealed()).toEqual([]);
    // Sealed, and the mark was not taken away.
    spool.writeManifest('s1', manifest({ parts: [part(1)], sealed_parts: 1 }));
    put(home, 'unsealed/claude-code/s1');
    expect(spool.unsealed()).toEqual([]);
  });

  test.each(['', '{', 'null', '[]', '{"version":2}', JSON.stringify(manifest({ drained: -1 }))])(
    'a damaged one, %j, is as one that was lost, and stops nobody',
    (text) => {
      const home = newHome();
      const spool = openSpool(home);
      spool.writeManifest('s1', manifest({ parts: [part(1)] }));
      spool.writeManifest('s2', manifest({ session: 's2', parts: [part(1)] }));
      writeFileSync(join(home, 'manifests/claude-code/s1.json'), text);
      expect(spool.manifest('claude-code', 's1')).toBeUndefined();
      expect(spool.unsealed().map(({ stem }) => stem)).toEqual(['s2']);
      expect(readFileSync(join(home, 'manifests/claude-code/s1.json'), 'utf8')).toBe(text);
    },
  );
});
