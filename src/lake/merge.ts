import type { Envelope, Injected, Redaction } from '../runtime/envelope.ts';

/**
 * One envelope for each event id, in the order in which the ids first appear. Of several copies the fields
 * merge one by one, also those inside `tool` and `usage`: a captured copy's value wins over those of imported
 * and reconciled ones, which both come from the transcript and rank alike; among equals the first copy's wins.
 * A hash never comes from a copy with another text. Injected items unite by (kind, id), the rules that
 * fired by name, both then sorted, and the worst redaction status counts. `imported` and `reconciled` stay
 * only where no copy was captured. Copies that are equal change nothing, however many there are.
 *
 * A merged envelope doesn't say from which copy a field came: merge all copies at once, not results with
 * further copies.
 */
export function mergeEvents(envelopes: readonly Envelope[]): Envelope[] {
  const copies = new Map<string, Envelope[]>();
  for (const envelope of envelopes) {
    const known = copies.get(envelope.event_id);
    if (known) known.push(envelope);
    else copies.set(envelope.event_id, [envelope]);
  }
  return [...copies.values()].map(mergeCopies);
}

function mergeCopies(copies: readonly Envelope[]): Envelope {
  const captured = copies.filter(isCaptured);
  const ranked = [...captured, ...copies.filter((copy) => !isCaptured(copy))];
  const [first] = ranked;
  const isPlain =
    first?.injected_context === undefined && (first?.redaction.rules_fired.length ?? 0) < 2;
  if (first && ranked.length === 1 && isPlain) return first;

  const merged = withHash(overlay(ranked), ranked, 'content', 'content_hash');
  const tools = ranked.flatMap((copy) => copy.tool ?? []);
  if (tools.length > 0) merged.tool = withHash(overlay(tools), tools, 'input', 'input_hash');
  const usages = ranked.flatMap((copy) => copy.usage ?? []);
  if (usages.length > 0) merged.usage = overlay(usages);
  const injected = ranked.flatMap((copy) => copy.injected_context ?? []);
  if (merged.injected_context !== undefined) merged.injected_context = uniteInjected(injected);
  merged.redaction = uniteRedaction(ranked.map((copy) => copy.redaction));
  if (captured.length > 0) {
    delete merged.imported;
    delete merged.reconciled;
  }
  return merged;
}

function isCaptured(copy: Envelope): boolean {
  return copy.imported === undefined && copy.reconciled === undefined;
}

/** A new object with each field of the first copy that has it. */
function overlay<T extends object>(copies: readonly T[]): T {
  const merged: Partial<T> = {};
  for (const copy of copies.toReversed()) Object.assign(merged, copy);
  return merged as T;
}

/** Never takes the hash from a copy that has another text than the one that won. */
function withHash<T extends object>(
  merged: T,
  copies: readonly T[],
  text: keyof T,
  hash: keyof T,
): T {
  const winner = merged[text];
  const fits = (copy: T) => copy[text] === undefined || copy[text] === winner;
  const source = copies.find((copy) => copy[hash] !== undefined && fits(copy));
  if (source) merged[hash] = source[hash];
  else delete merged[hash];
  return merged;
}

function uniteInjected(items: readonly Injected[]): Injected[] {
  const united = new Map<string, Injected>();
  for (const item of items) {
    const key = `${item.kind}\0${item.id}`;
    if (!united.has(key)) united.set(key, item);
  }
  return [...united.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

const SEVERITY: Record<Redaction['status'], number> = { clean: 0, redacted: 1, withheld: 2 };

function uniteRedaction(redactions: readonly Redaction[]): Redaction {
  let status: Redaction['status'] = 'clean';
  for (const redaction of redactions) {
    if (SEVERITY[redaction.status] > SEVERITY[status]) status = redaction.status;
  }
  return { status, rules_fired: [...new Set(redactions.flatMap((r) => r.rules_fired))].sort() };
}
