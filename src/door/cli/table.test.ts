import { describe, expect, test } from 'vitest';
import { cutTo, table, widthOf } from './table.ts';

test.each([
  ['', 0],
  ['abc', 3],
  ['\u001b[31mabc\u001b[39m', 3],
  ['上传限制', 8],
  ['just test 上', 12],
  ['ａ', 2],
  ['✅', 2],
  ['e\u0301', 1],
  ['…', 1],
])('%j takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ['abcdef', 6, 'abcdef'],
  ['abcdef', 5, 'abcd…'],
  ['上传限制', 8, '上传限制'],
  ['上传限制', 7, '上传限…'],
  ['上传限制', 6, '上传…'],
  ['abc', 1, '…'],
  ['abc', 0, ''],
])('%j cut to %i columns is %j', (text, width, cut) => {
  expect(cutTo(text, width)).toBe(cut);
});

describe('a table', () => {
  const HEAD = ['id', 'asked', 'trouble'];
  const ROWS = [
    ['9fcd5edc-1b7', 'Settle the flaky upload test', 'just test failed 4 times'],
    ['66ad323e-4a1', '给服务加一个健康检查，然后跑 just test 看看', ''],
  ];
  const of = (width?: number) =>
    table(HEAD, ROWS, { width, drop: ['trouble'], cut: [['asked', 8]] }).split('\n');

  test('is whole where nothing limits it', () => {
    expect(of().join('\n')).toContain('just test failed 4 times');
    expect(of().join('\n')).toContain('just test 看看');
  });

  test('gives up whole columns first, then the ends of texts', () => {
    const [head, first = '', second = ''] = of(60);
    expect(head).not.toContain('trouble');
    expect(first).toContain('Settle the flaky upload test');
    expect(second).toContain('just test 看看');
    const narrow = of(30);
    expect(narrow[1]).toContain('Settle the');
    expect(narrow[1]).toContain('…');
  });

  test('fits into every width that its columns can be cut to', () => {
    for (let width = 24; width <= 120; width++) {
      for (const line of of(width))
        expect(widthOf(line.trimEnd()), `${width}`).toBeLessThanOrEqual(width);
    }
  });
});
