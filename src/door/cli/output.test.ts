import { describe, expect, test } from 'vitest';
import { printable, printableJson } from './output.ts';

describe('what is printed', () => {
  test.each([
    ['a line of words\n\tand another', 'a line of words\n\tand another'],
    ['\u001b[31mred\u001b[39m and \u001b[1;4mbold', '\u001b[31mred\u001b[39m and \u001b[1;4mbold'],
    ['clears \u001b[2J the screen', 'clears ?[2J the screen'],
    ['sets a title \u001b]0;x\u0007', 'sets a title ?]0;x?'],
    ['by one character \u009b2J', 'by one character ?2J'],
    ['goes back \r over it\b', 'goes back ? over it?'],
    ['turned \u202egnp.exe', 'turned ?gnp.exe'],
  ])('%j does nothing but colour', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });

  test('as JSON says the same, and holds no control character', () => {
    const value = { 'a\u009b': ['\u0000\u001b[2J\u007f\u0085\u202e', 'é\n'] };
    for (const text of [printableJson(value), printableJson(value, 2)]) {
      expect(JSON.parse(text)).toEqual(value);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    }
  });
});
