import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDue, stamp } from './stamp.ts';

const NOW = Date.UTC(2026, 2, 1);
const SPAN = 3_600_000;

test('what is stamped is due after its span, and after the clock was set back', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'credence-stamp-')), 'run', 'a.stamp');
  expect(isDue(path, SPAN, NOW)).toBe(true);
  stamp(path, NOW);
  const later = [0, 1, SPAN - 1, SPAN, -SPAN];
  expect(later.map((ms) => isDue(path, SPAN, NOW + ms))).toEqual([false, false, false, true, true]);
});
