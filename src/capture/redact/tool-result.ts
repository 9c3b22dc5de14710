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

function redactLines(text: string, policy: RedactionPolicy): Redacted | undefined {
  if (!text.startsWith('{') || !isJson(text.slice(0, lineEnd(text, 0)))) return undefined;
  const parts = [...jsonLines(text)].map(([part, isOne]) => {
    return { part, objects: isOne ? objectsOfDenied(part, policy) : undefined };
  });
  if (!parts.some(({ objects }) => objects !== undefined && objects.size > 0)) return undefined;
  const values: Withheld[] = [];
  const texts: string[] = [];
  for (const { part, objects } of parts) {
    const redacted =
      objects === undefined
        ? redactParts(part, 'output', policy)
        : redactJson(part, policy, { kind: 'output', deniedPath: false, deniedObjects: objects });
    for (const one of redacted.values) values.push(one);
    texts.push(redacted.text);
  }
  return { text: texts.join('\n'), values, withheld: false };
}

/** The result of a tool call. */
export function redactResult(result: string, facts: CallFacts, policy: RedactionPolicy): Redacted {
  const { withholdResult, cwd } = facts;
  if (withholdResult !== undefined) return withholdText(result, withholdResult, policy);
  const inside = { ...policy, cwd };
  if (!isJson(result)) return redactLines(result, inside) ?? redactParts(result, 'output', inside);
  const deniedObjects = objectsOfDenied(result, inside);
  return redactJson(result, inside, { kind: 'output', deniedPath: false, deniedObjects });
}
