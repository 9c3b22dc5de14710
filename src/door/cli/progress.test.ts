import { describe, expect, test } from 'vitest';
import { barLine, type Standing } from './progress.ts';
import { widthOf } from './table.ts';

const LABEL = '9fcd5edc-1b7e-4f5d-9f0d-0f6f5a0a6f3e';
const standing = (more: Partial<Standing> = {}): Standing => ({
  done: 123_456_789,
  total: 2_345_678_901,
  ms: 95_000,
  label: LABEL,
  ...more,
});

describe('a bar', () => {
  const widths = Array.from({ length: 181 }, (_, at) => at + 20);
  test.each<[string, Partial<Standing>]>([
    ['in the middle', {}],
    ['at its beginning', { done: 0, ms: 0 }],
    ['at its end', { done: 2_345_678_901 }],
    ['past its end', { done: 9_999_999_999_999 }],
    ['of nothing', { done: 0, total: 0 }],
    ['with a wide label', { label: '要求的会话要求的会话要求的会话' }],
  ])('%s fits into every width from 20 to 200', (_what, more) => {
    for (const width of widths) {
      const line = barLine(standing(more), width);
      expect(widthOf(line), `${width}`).toBeLessThanOrEqual(width);
      expect(line, `${width}`).toMatch(/\d %/);
      expect(line).not.toContain('\n');
    }
  });

  test('gives up its label first, then facts, then some of its length', () => {
    expect(barLine(standing(), 200)).toContain(LABEL);
    const at100 = barLine(standing(), 100);
    expect(at100).toContain('min left');
    const at80 = barLine(standing(), 80);
    expect(at80).toContain('min left');
    expect(at80).not.toContain(LABEL.slice(0, 8));
    const at60 = barLine(standing(), 60);
    expect(at60).toContain('MB');
    expect(at60).not.toContain('left');
    expect(at60).toMatch(/^[█░]{28} /);
    expect(barLine(standing(), 20)).toMatch(/^[█░]{8,} 5 %$/);
  });
});
