import { lineEnd } from './chars.ts';
import { type CallFacts, isNamed, isPath } from './facts.ts';
import { isJson, mapJson } from './json.ts';
import { meaningOf } from './key.ts';
import type { DeniedPaths, RedactionPolicy, Withheld } from './policy.ts';
import { redactParts, withholdText } from './text.ts';
import { type Redacted, redactJson } from './tool-json.ts';

/** The numbers of the objects in a JSON text that name a denied path: what stands beside it is its content. */
function objectsOfDenied(json: string, policy: DeniedPaths): ReadonlySet<number> {
  const found = new Set<number>();
  mapJson(json, ({ kind, key = '', value, object, isItem }) => {
    // A list of paths is one, and what stands beside it is about all of them.
    if (kind !== 'string' || isItem || meaningOf(key).kind === 'text') return undefined;
    if (isPath(key, value) && isNamed(value, policy)) found.add(object);
    return undefined;
  });
  return found;
}

/** Lines of JSON, one after another as `rg --json` prints them; what stands between them stays together. */
function* jsonLines(text: string): Generator<readonly [part: string, isJson: boolean]> {
  let other: string[] = [];
  for (const line of text.split('\n')) {
    if (!isJson(line)) {
      other.push(line);
      continue;
    }
    if (other.length > 0) yield [other.join('\n'), false];
    other = [];
    yield [line, true];
  }
  if (other.length > 0) yield [other.join('\n'), false];
}

/** True for lines of JSON of which one names a denied path. */
function nameDenied(lines: string, policy: DeniedPaths): boolean {
  if (!lines.startsWith('{') || !isJson(lines.slice(0, lineEnd(lines, 0)))) return false;
  for (const [part, isOne] of jsonLines(lines)) {
    if (isOne && objectsOfDenied(part, policy).size > 0) return true;
  }
  return false;
}

function redactLines(lines: string, policy: RedactionPolicy): Redacted {
  const values: Withheld[] = [];
  const texts: string[] = [];
  for (const [part, isOne] of jsonLines(lines)) {
    const redacted = isOne ? redactObjects(part, policy) : redactParts(part, 'output', policy);
    for (const one of redacted.values) values.push(one);
    texts.push(redacted.text);
  }
  return { text: texts.join('\n'), values, withheld: false };
}

/**
 * Redacts JSON of which objects name denied paths. A path can do so only by what was held back in it, and redacting again
 * must find nothing more: so it is judged as it comes and as it is left.
 */
function redactObjects(json: string, policy: RedactionPolicy): Redacted {
  const how = { kind: 'output', deniedPath: false } as const;
  const denied = objectsOfDenied(json, policy);
  const once = redactJson(json, policy, { ...how, deniedObjects: denied });
  if (once.values.length === 0) return once;
  const all = new Set([...denied, ...objectsOfDenied(once.text, policy)]);
  return all.size === denied.size ? once : redactJson(json, policy, { ...how, deniedObjects: all });
}

/** The result of a tool call. */
export function redactResult(result: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  const { withholdResult, cwd } = facts;
  if (withholdResult !== undefined) return withholdText(result, withholdResult, policy);
  const inside = { ...policy, cwd };
  if (isJson(result)) return redactObjects(result, inside);
  return nameDenied(result, inside)
    ? redactLines(result, inside)
    : redactParts(result, 'output', inside);
}
