import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sweepHome } from './home-sweep.ts';

const NOW = Date.UTC(2026, 2, 5, 12);
const DAY = 24 * 3_600_000;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('what crashes and sessions left behind goes, once it is old; all else stays', () => {
  const folder = newFolder();
  // Above what a kernel numbers its processes with.
  const gone = 2 ** 22 + 1;
  const ages: readonly (readonly [path: string, days: number, stays: boolean])[] = [
    ['config/keys/.credence-1-0123abcd.tmp', 2, false],
    ['config/keys/host.json', 900, true],
    ['home/.credence-1-0123abcd.tmp', 2, false],
    ['home/.credence-2-0123abcd.tmp', 0.9, true],
    ['home/manifests/claude-code/s1.json.7.tmp', 2, false],
    ['home/manifests/claude-code/s1.json', 900, true],
    ['home/outbox/01.json', 900, true],
    [`home/run/claude-code/${gone}.json`, 2, false],
    [`home/run/claude-code/${gone + 1}.json`, 0.5, true],
    [`home/run/claude-code/${process.pid}.json`, 900, true],
    [`home/run/${gone}.json`, 900, true],
    ['home/run/s1.nudged', 31, false],
    ['home/run/s2.nudged', 29, true],
    ['home/paused/claude-code/s1.log', 900, true],
    ['home/lake/sessions/a.tmp', 900, true],
    ['home/spool/claude-code/a.tmp', 900, true],
    ['home/sample/one/a.tmp', 900, true],
  ];
  for (const [path, days] of ages) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
    utimesSync(join(folder, path), (NOW - days * DAY) / 1_000, (NOW - days * DAY) / 1_000);
  }
  sweepHome({ config: join(folder, 'config'), home: join(folder, 'home') }, NOW);
  const left = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  const stay = ages.filter(([, , stays]) => stays).map(([path]) => path);
  expect(left.sort()).toEqual(stay.sort());
  sweepHome({ config: join(folder, 'none'), home: join(folder, 'none') }, NOW);
});
