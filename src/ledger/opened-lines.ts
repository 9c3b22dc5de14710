import { parseCanonical } from '../base/canonical.ts';
import type { VerifyAll } from '../base/ed25519.ts';
import { codeOf } from '../base/errors.ts';
import { type OpenedRecord, receivedRecord, type UncheckedRecord } from '../record/record.ts';

/** A line of the inbox as a record whose signature was checked, or the code of what is wrong with it. */
export type OpenedLine = { readonly record: OpenedRecord } | { readonly fault: string };

/** Opens lines, which must be canonical JSON, the answers in their order. Throws what checking throws, and nothing else. */
export type OpenLines = (lines: readonly string[]) => Promise<readonly OpenedLine[]>;

/** Beyond so many lines those before are forgotten: more than are in some commits. */
const KEPT_MAX = 10_000;

/**
 * Opens lines, their signatures checked many at a time. What was opened is kept: a committer reads an item again once its
 * records are committed, to see that they are.
 */
export function lineOpener(verifyAll: VerifyAll): OpenLines {
  let kept = new Map<string, OpenedLine>();
  return async (lines) => {
    if (kept.size + lines.length > KEPT_MAX) kept = new Map();
    const fresh = lines.filter((line) => !kept.has(line));
    const opening = fresh.map(unchecked);
    const checks = opening.flatMap((one) => ('check' in one ? [one.check] : []));
    const valid = (await verifyAll(checks)).values();
    for (const [i, one] of opening.entries()) {
      const line = fresh[i] ?? '';
      if ('fault' in one) kept.set(line, one);
      else
        kept.set(
          line,
          valid.next().value === true ? { record: one.record } : { fault: 'record.signature' },
        );
    }
    return lines.flatMap((line) => kept.get(line) ?? []);
  };
}

function unchecked(line: string): UncheckedRecord | { readonly fault: string } {
  try {
    return receivedRecord(parseCanonical(line), line);
  } catch (error) {
    return { fault: codeOf(error) };
  }
}
