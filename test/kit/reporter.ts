import { writeSync } from 'node:fs';
import type { SerializedError } from 'vitest';
import type { Reporter, TestModule } from 'vitest/node';

/** Counts for the closing line. */
interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** The closing line, the last that a run prints: CI reads it. */
function closingLine({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/**
 * Counts tests, not suites. What broke outside a test (a file that doesn't load, a hook of a suite, an error
 * that nobody caught) counts as one failed each: its tests may not have run, and "0 failed" would be untrue.
 */
function tally(modules: readonly TestModule[], errors: readonly unknown[]): Tally {
  const sum: Tally = { passed: 0, failed: errors.length, skipped: 0 };
  for (const module of modules) {
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      if (state === 'pending') sum.skipped += 1;
      else sum[state] += 1;
    }
    for (const group of [module, ...module.children.allSuites()]) {
      if (group.errors().length > 0) sum.failed += 1;
    }
  }
  return sum;
}

/** Prints the closing line when the process ends, so that nothing of the runner comes after it. */
export default class ClosingLine implements Reporter {
  #line = '';

  onInit(): void {
    process.once('exit', () => {
      if (this.#line) writeSync(1, `${this.#line}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    this.#line = closingLine(tally(modules, errors));
  }
}
