import { join } from 'node:path';
import { JUDGE_VERSION, judge } from '../src/judge/judge.ts';
import { BASELINES, type Judge } from './kit/baselines.ts';
import { coreSecondsOf } from './kit/figures.ts';
import { type Labelled, readConjNli, readFever, readPairs, scoreOf } from './kit/pairs.ts';

/*
 * The judge and three baselines on labelled pairs: precision, recall and F1 of *contradicts* and of *same*, the
 * confusions of the field's pairs by kind, and pairs a second of a core.
 *
 *   npm run bench -- judge [folder with nli/] [--wrong]
 */

const argument = process.argv.slice(2).find((text) => !text.startsWith('--'));
const folder = argument ?? join(process.env['CREDENCE_SHARED'] ?? '../shared', 'data', 'nli');
const ours: Judge = (a, b) => judge({ text: a }, { text: b }).verdict;

const percent = (value: number) => value.toFixed(3);

function printScores(name: string, pairs: readonly Labelled[]): void {
  const labels = new Map<string, number>();
  for (const { label } of pairs) labels.set(label, (labels.get(label) ?? 0) + 1);
  const counts = [...labels].map(([label, count]) => `${count} ${label}`).join(', ');
  console.log(`\n${name}: ${pairs.length} pairs (${counts})`);
  for (const [who, judged] of [['judge', ours] as const, ...Object.entries(BASELINES)]) {
    const columns = (['contradicts', 'same'] as const).map((label) => {
      const { precision, recall, f1 } = scoreOf(pairs, judged, label);
      return `${label} P ${percent(precision)} R ${percent(recall)} F1 ${percent(f1)}`;
    });
    console.log(`  ${who.padEnd(12)} ${columns.join(' | ')}`);
  }
  const unrelated = pairs.filter(({ label }) => label === 'unrelated');
  const asSame = unrelated.filter(({ a, b }) => ours(a, b) === 'same').length;
  if (unrelated.length > 0)
    console.log(`  unrelated called same: ${percent(asSame / unrelated.length)}`);
}

function printKinds(pairs: readonly Labelled[]): void {
  const kinds = new Map<string, Map<string, number>>();
  for (const { a, b, label, kind } of pairs) {
    const found = kinds.get(kind) ?? new Map<string, number>();
    const cell = `${label} > ${ours(a, b)}`;
    kinds.set(kind, found.set(cell, (found.get(cell) ?? 0) + 1));
  }
  console.log('\nlabel > verdict, by kind:');
  for (const [kind, cells] of [...kinds].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const wrong = (cell: string) => new Set(cell.split(' > ')).size > 1;
    const shown = [...cells].map(([cell, n]) => `${wrong(cell) ? '* ' : ''}${cell} ${n}`);
    console.log(`  ${kind.padEnd(18)} ${shown.join(', ')}`);
  }
}

function printWrong(pairs: readonly Labelled[]): void {
  for (const { id, a, b, label, kind } of pairs) {
    const { verdict, why } = judge({ text: a }, { text: b });
    if (verdict !== label)
      console.log(`${id} ${kind}: ${label}, not ${verdict} (${why})\n  ${a}\n  ${b}`);
  }
}

const field = readPairs(join(folder, 'field-pairs.tsv'));
const held = readPairs('test/judge/second-pairs-held.tsv');
const own = readPairs('test/judge/own-pairs.tsv');
const of = (half: string) => own.filter((pair) => pair.half === half);
const sets: ReadonlyArray<readonly [string, readonly Labelled[]]> = [
  ['pairs of the field', field],
  ['our own, tuned on', [...of('dev'), ...of('late')]],
  ['our own, held', of('held')],
  ["another writer's, read", readPairs('test/judge/second-pairs.tsv')],
  ["another writer's, held: only these figures are looked at", held],
  [
    'ConjNLI (contradiction = contradicts, entailment one way = same, neutral = unrelated)',
    readConjNli(join(folder, 'conjnli-dev.tsv')),
  ],
  [
    'FEVER, symmetric (REFUTES = contradicts, SUPPORTS = same)',
    readFever(join(folder, 'fever-symmetric-dev.jsonl')),
  ],
];

console.log(`judge ${JUDGE_VERSION}`);
for (const [name, pairs] of sets) printScores(name, pairs);
printKinds(field);
if (process.argv.includes('--wrong')) printWrong([...field, ...of('dev'), ...of('late')]);

const all = sets.flatMap(([, pairs]) => pairs);
const seconds = await coreSecondsOf(() => {
  for (const { a, b } of all) ours(a, b);
});

console.log(`\n${(all.length / seconds).toFixed(0)} pairs a second, by the time of a core`);
