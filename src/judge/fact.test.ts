import { describe, expect, test } from 'vitest';
import type { Fact } from '../record/claim.ts';
import { judge } from './judge.ts';

const fact = (value: Fact['value'], more: Partial<Fact> = {}): { text: string; fact: Fact } => ({
  text: `the deploy window is ${value}`,
  fact: { subject: 'gateway', predicate: 'timeout', value, cardinality: 'one', ...more },
});

describe('facts of one subject and predicate', () => {
  test.each<[Fact['value'], Fact['value']]>([
    ['250 ms', '0.25 s'],
    [true, 'enabled'],
    ['two weeks', '14 days'],
    ['~/x', '$HOME/x/'],
    ['https://a.example/', 'https://a.example'],
    ['v1.2', '1.2'],
    [null, null],
    [3, 'three'],
  ])('%j is the value %j', (a, b) => {
    expect(judge(fact(a), fact(b))).toEqual({ verdict: 'same', why: 'fact-value' });
  });
  test.each<[Fact['value'], Fact['value']]>([
    ['250 ms', '250 s'],
    [true, false],
    [true, null],
    ['-n', '-N'],
    ['main', 'trunk'],
    ['1.2', '1.20'],
    [3, 4],
  ])('%j is not the value %j', (a, b) => {
    expect(judge(fact(a), fact(b))).toEqual({ verdict: 'contradicts', why: 'fact-value' });
  });
  test('spans without a common instant make two facts', () => {
    const early = fact('1 s', { valid_until: '2026-01-01T00:00:00.000Z' });
    const late = fact('2 s', { valid_from: '2026-01-01T00:00:00.000Z' });
    expect(judge(early, late)).toEqual({ verdict: 'unrelated', why: 'fact-span' });
    expect(judge(fact('1 s'), late).verdict).toBe('contradicts');
  });
  test('many values stand beside each other, if both say so', () => {
    const many = { cardinality: 'many' } as const;
    expect(judge(fact('a', many), fact('b', many)).why).toBe('fact-many');
    expect(judge(fact('a', many), fact('b')).verdict).toBe('contradicts');
  });
  test('names are compared in any case and spelling of spaces', () => {
    const other = fact('2 s', { subject: 'Gateway', predicate: 'Timeout ' });
    expect(judge(fact('1 s'), other).verdict).toBe('contradicts');
  });
  test('of other names the texts decide', () => {
    const a = { ...fact('1 s'), text: 'The window is 3 s.' };
    const b = { ...fact('1 s', { subject: 'edge' }), text: 'The window is 4 s.' };
    expect(judge(a, b)).toEqual({ verdict: 'contradicts', why: 'value' });
  });
});
