import { probeName } from './assign.ts';
import { programAnchors } from './cli.ts';
import { probeFileName, scanLines } from './denied-output.ts';
import { probeAuthorization, probeBasic, probeBearer, probeCookie, probeJwt } from './header.ts';
import { probeNumber } from './number.ts';
import { denialHints } from './path.ts';
import { probePrivateKey, probePutty } from './pem.ts';
import type { RedactionPolicy, TextKind, Withheld } from './policy.ts';
import { probePrivate } from './private.ts';
import { providerAnchors } from './provider.ts';
import { scanRuns } from './run.ts';
import {
  type AnchorIndex,
  indexAnchors,
  newScan,
  type Probe,
  type Scan,
  scanAnchors,
} from './scan.ts';
import { isPlaceholder, isSpent, placeholderFor, replaceSpans, withhold } from './span.ts';
import { probeSignature, probeUrl } from './url.ts';

/** A text after redaction. */
export interface RedactedText {
  readonly text: string;
  /** The rules that fired, sorted, each once. */
  readonly rules: readonly string[];
  /** True where the whole text was withheld, since a marker in it could not tell its extent. */
  readonly withheld: boolean;
}

/** A text after redaction, with a record of each value that was held back. */
export interface RedactedParts extends RedactedText {
  readonly values: readonly Withheld[];
}

const ANYWHERE: readonly (readonly [probe: Probe, literals: string])[] = [
  [probeName, 'pas _pa pwd sec tok key cre jwt aut mne phr'],
  [probeAuthorization, 'authorization'],
  [probeBearer, 'bearer'],
  [probeBasic, 'basic'],
  [probeCookie, 'cookie'],
  [probeUrl, '://'],
  [probeSignature, 'sig x-amz- x-goog- acc sha'],
  [probePrivate, '<pr'],
  [probeNumber, '000'],
];
const EXACT: readonly (readonly [probe: Probe, literals: string])[] = [
  [probeUrl, ':\\/\\/'],
  [probeJwt, 'eyJ'],
  [probePrivateKey, 'BEGIN '],
  [probePutty, 'Private-Lines: '],
];
const anchors = (table: typeof EXACT, exact: boolean) =>
  table.flatMap(([probe, literals]) =>
    // A literal with a space at its end keeps it: it is a list of its own.
    (literals.endsWith(' ') ? [literals] : literals.split(' ')).map((literal) => ({
      literal,
      exact,
      probe,
    })),
  );

let index: AnchorIndex | undefined;

/** Built when the first text comes, not when the module loads: many hooks carry none. */
function anchorIndex(): AnchorIndex {
  index ??= indexAnchors([
    ...anchors(ANYWHERE, false),
    ...anchors(EXACT, true),
    ...denialHints().map((literal) => ({ literal, exact: true, probe: probeFileName })),
    ...programAnchors(),
    ...providerAnchors(),
  ]);
  return index;
}

function scanText(text: string, kind: TextKind, policy: RedactionPolicy): Scan {
  const scan = newScan(text, kind, policy);
  scanAnchors(scan, anchorIndex());
  if (scan.whole !== undefined) return scan;
  scanRuns(scan);
  scanLines(scan);
  return scan;
}

/** The whole text as one placeholder; what holds nothing, or is one already, stays. */
export function withholdText(text: string, rule: string, policy: RedactionPolicy): RedactedParts {
  if (isPlaceholder(text) || isSpent(text)) return { text, rules: [], withheld: false, values: [] };
  const value = withhold(rule, text, policy);
  return { text: placeholderFor(value), rules: [rule], withheld: true, values: [value] };
}

const PASSES_MAX = 6;

/**
 * Replaces every secret of a text by a placeholder. It runs until a pass finds nothing more, so that redacting
 * the result again changes nothing; a text that is not at rest after six passes was made for this, and is withheld.
 */
export function redactParts(text: string, kind: TextKind, policy: RedactionPolicy): RedactedParts {
  const values: Withheld[] = [];
  let current = text;
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const scan = scanText(current, kind, policy);
    if (scan.whole !== undefined) return withholdText(text, scan.whole, policy);
    const replaced =
      scan.spans.length === 0 ? undefined : replaceSpans(current, scan.spans, policy);
    if (!replaced) {
      return { text: current, rules: rulesOf(values), withheld: false, values };
    }
    for (const value of replaced.withheld) values.push(value);
    current = replaced.text;
  }
  return withholdText(text, 'unsettled', policy);
}

/** The rules of the values, sorted, each once. */
export function rulesOf(values: readonly Withheld[]): string[] {
  return [...new Set(values.map(({ rule }) => rule))].sort();
}
