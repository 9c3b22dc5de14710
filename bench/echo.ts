import {
  COUNTS,
  type Counting,
  promotedBy,
  roundsOf,
  type Setting,
  type Shares,
} from './kit/echo-run.ts';

/*
 * What is promoted where agents repeat each other: twelve agents, each right four times in five, and from none to nine in ten of
 * their answers echoes that nobody declares. The whole gate runs, on findings of the product, beside counting heads, the rule that
 * knows direct injection alone, and an oracle that differs from ours only in knowing who copied whom.
 *
 *   npm run bench -- echo [questions] [seed]
 */

const questions = Number(process.argv[2] ?? 200);
const seed = Number(process.argv[3] ?? 1);
const LEVELS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const SETTINGS: readonly Setting[] = [1, 2, 3].flatMap((needs) =>
  [0, 0.5].map((contestRatio) => ({ needs, contestRatio })),
);
const MEASURES = ['right', 'wrong', 'contested'] as const;

const nameOf = ({ needs, contestRatio }: Setting) =>
  `threshold ${needs}, contest ratio ${contestRatio}`;
const table = new Map<string, Map<Counting, Shares[]>>(
  SETTINGS.map((setting) => [nameOf(setting), new Map(COUNTS.map((name) => [name, []]))]),
);
let [decided, seconds] = [0, 0];
for (const level of LEVELS) {
  const rounds = await roundsOf(questions, level, seed + Math.round(level * 10));
  for (const setting of SETTINGS)
    for (const counting of COUNTS) {
      const started = performance.now();
      table
        .get(nameOf(setting))
        ?.get(counting)
        ?.push(promotedBy(rounds, counting, setting));
      seconds += (performance.now() - started) / 1_000;
      decided += 1;
    }
  process.stderr.write(`echoes ${Math.round(level * 100)} % done\n`);
}

console.log(
  `${questions} questions, 12 sessions each; per cent of questions, for 0, 10 … 90 % of echoes`,
);
let worst = 0;
for (const [setting, counts] of table) {
  console.log(`\n${setting}`);
  for (const measure of MEASURES)
    for (const [counting, shares] of counts) {
      const cells = shares.map((one) => one[measure].toFixed(1).padStart(6)).join('');
      console.log(`  ${measure.padEnd(10)}${counting.padEnd(8)}${cells}`);
    }
  const [ours = [], oracle = []] = [counts.get('ours'), counts.get('oracle')];
  for (const [i, one] of ours.entries())
    for (const measure of MEASURES)
      worst = Math.max(worst, Math.abs(one[measure] - (oracle[i]?.[measure] ?? 0)));
}
console.log(`\nours and the oracle differ by at most ${worst.toFixed(1)} points (target 2)`);
console.log(`${decided} ledgers gated in ${seconds.toFixed(0)} s`);
