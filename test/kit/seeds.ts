import fc from 'fast-check';

/**
 * Checks a property on `runs` cases, or on as many as `CREDENCE_SEEDS` says. A failure names the smallest case that was
 * found, and the value of `CREDENCE_REPLAY` with which `file` runs that case alone.
 */
export async function holds<Case>(
  property: fc.IAsyncPropertyWithHooks<[Case]>,
  runs: number,
  file: string,
): Promise<void> {
  const { CREDENCE_SEEDS = String(runs), CREDENCE_REPLAY = '' } = process.env;
  const [, seed, path] = /^(-?\d+) ([\d:]+)$/.exec(CREDENCE_REPLAY) ?? [];
  const again = seed !== undefined && path !== undefined;
  const found = await fc.check(property, {
    numRuns: Number(CREDENCE_SEEDS),
    ...(again ? { seed: Number(seed), path, endOnFailure: true } : {}),
  });
  if (!found.failed) return;
  const replay = `CREDENCE_REPLAY='${found.seed} ${found.counterexamplePath}' npx vitest run ${file}`;
  const report = await fc.asyncDefaultReportMessage(found);
  throw new Error(`${report}\n\nto run it again: ${replay}`, { cause: found.errorInstance });
}
