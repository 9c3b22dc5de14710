import { join } from 'node:path';
import { jsonIn, objectOf } from '../base/unknown.ts';
import { gitChanges } from '../io/git-log.ts';
import { readIfThere, writeFileAtomically } from '../io/small-file.ts';
import type { ChangesParts, SeenHeads } from '../verbs/changes.ts';

const HEAD = /^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/;

const pathIn = (home: string) => join(home, 'checkouts.json');

/** Damaged or lost, it is begun anew: what changed meanwhile is not looked at. */
function read(home: string): SeenHeads {
  const seen = objectOf(objectOf(jsonIn(readIfThere(pathIn(home)) ?? ''))['heads']);
  const fit = Object.entries(seen).filter(
    (one): one is [string, string] =>
      one[0].startsWith('/') && typeof one[1] === 'string' && HEAD.test(one[1]),
  );
  return Object.fromEntries(fit);
}

function keep(home: string, heads: SeenHeads): void {
  writeFileAtomically(pathIn(home), `${JSON.stringify({ version: 1, heads })}\n`);
}

/** The checkouts of a home, and git. */
export function changesParts(home: string): ChangesParts {
  return { seen: read(home), keep: (heads) => keep(home, heads), changes: gitChanges };
}

/** Looks at a checkout from the next sync on. */
export function watchCheckout(home: string, root: string): void {
  const seen = read(home);
  if (seen[root] === undefined) keep(home, { ...seen, [root]: '' });
}
