import { readFileSync } from 'node:fs';
import type { Verdict } from '../../src/judge/rules.ts';

/** A pair of claims and what people say of it. */
export interface Labelled {
  readonly id: string;
  readonly a: string;
  readonly b: string;
  readonly label: Verdict;
  readonly kind: string;
  /** Of our own pairs: `dev` and `late` ones were tuned on, `held` ones only measured. */
  readonly half?: string;
}

const rowsOf = (path: string) =>
  readFileSync(path, 'utf8')
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.trimEnd().split('\t'));

/** Pairs as `id a b label kind [half]`, tab-separated, below a line of names. */
export function readPairs(path: string): Labelled[] {
  return rowsOf(path).map(([id = '', a = '', b = '', label, kind = '', half]) => {
    return { id, a, b, label: label as Verdict, kind, ...(half !== undefined && { half }) };
  });
}

/** ConjNLI's pairs. Its entailment goes one way, so that many are refinements by our words. */
export function readConjNli(path: string): Labelled[] {
  const labels: Readonly<Record<string, Verdict>> = {
    contradiction: 'contradicts',
    entailment: 'same',
    neutral: 'unrelated',
  };
  return rowsOf(path).map(([a = '', b = '', label = ''], i) => {
    return { id: `${i + 1}`, a, b, label: labels[label] ?? 'unrelated', kind: 'conjunction' };
  });
}

/** FEVER's pairs of a sentence of evidence and a claim. */
export function readFever(path: string): Labelled[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const { id, evidence, claim, label } = JSON.parse(line) as Record<string, string>;
    const verdict = label === 'REFUTES' ? 'contradicts' : 'same';
    return { id: `${id}`, a: `${evidence}`, b: `${claim}`, label: verdict, kind: 'evidence' };
  });
}

/** How well a judge finds one label. A figure whose divisor is zero is zero. */
export function scoreOf(
  pairs: readonly Labelled[],
  judged: (a: string, b: string) => Verdict,
  label: Verdict,
): { readonly precision: number; readonly recall: number; readonly f1: number } {
  let [hits, called, meant] = [0, 0, 0];
  for (const pair of pairs) {
    const isCalled = judged(pair.a, pair.b) === label;
    if (isCalled) called++;
    if (pair.label === label) meant++;
    if (isCalled && pair.label === label) hits++;
  }
  const share = (of: number) => (of === 0 ? 0 : hits / of);
  const f1 = called + meant === 0 ? 0 : (2 * hits) / (called + meant);
  return { precision: share(called), recall: share(meant), f1 };
}
