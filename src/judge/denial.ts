import { conceptOf, isLight, isPreposition } from './concept.ts';
import { isContent, says } from './grammar.ts';
import type { Token } from './token.ts';

/** A negation: the keys of what stands in its scope, and whether any of them says much. */
export interface Negation {
  readonly scope: readonly string[];
  readonly light: boolean;
  /** It denies a noun, as *no* does, not a statement. */
  readonly noun: boolean;
}

const ENDS = /^(?:in|on|at|for|when|as|@if|is|are|was|were|has|have|does|do|@may|@must)$/;

/** Adds the places from `start` to the next comma or preposition that leaves the noun. */
function takeFrom(tokens: readonly Token[], start: number, places: Set<number>): void {
  let content = 0;
  for (let at = start; at < tokens.length; at++) {
    const token = tokens[at];
    if (!token || (token.kind === 'stop' && token.text === ',')) return;
    if (content > 0 && says(token, ENDS)) return;
    if (isContent(token)) content++;
    places.add(at);
  }
}

/** What a clause sets aside, by the places of its tokens; `changed` where it says that it was so before. */
export interface Denied {
  readonly places: ReadonlySet<number>;
  readonly changed: boolean;
}

/**
 * The places of what a clause sets aside: `instead of x`, `, not x`, `all but x`, and what a change left behind. A claim
 * that says this of x is denied by it.
 */
export function deniedPlaces(tokens: readonly Token[]): Denied {
  const places = new Set<number>();
  const hasAll = tokens.some((token) => says(token, /^@all$/));
  tokens.forEach((token, at) => {
    if (token.text === '@instead' || token.text === '@except') takeFrom(tokens, at + 1, places);
    if (token.text === 'but' && hasAll && tokens[at - 1]?.text !== ',')
      takeFrom(tokens, at + 1, places);
    const contrasts = token.text === '@not' && says(tokens[at - 1], /^(?:,|and|but)$/);
    // Behind a comma stands what is not meant; a verb there is a statement of its own.
    if (contrasts && at > 2 && !says(tokens[at + 1], /^(?:is|are|was|were|does|do|has|have)$/)) {
      takeFrom(tokens, at, places);
    }
  });
  notThisBut(tokens, places);
  const before = places.size;
  leftBehind(tokens, places);
  return { places, changed: places.size > before };
}

/** `not x but y`: between the two stands what is set aside. */
function notThisBut(tokens: readonly Token[], places: Set<number>): void {
  const not = tokens.findIndex(({ text }) => text === '@not');
  const but = tokens.findIndex((token, at) => at > not && says(token, /^but$/));
  if (not < 0 || but < 0 || tokens[but - 1]?.text === ',') return;
  for (let at = not; at < but; at++) places.add(at);
}

/** `x has replaced y`, `y was replaced by x`, `from y to x`, `y was dropped for x`. */
function leftBehind(tokens: readonly Token[], places: Set<number>): void {
  const add = (from: number, to: number) => {
    for (let at = from; at < to; at++) places.add(at);
  };
  const find = (pattern: RegExp, from = 0) =>
    tokens.findIndex((token, at) => at >= from && says(token, pattern));
  const replace = find(/^@replace$/);
  if (replace > 0) {
    const by = find(/^(?:by|with)$/, replace);
    const passive = by > 0 && says(tokens[replace - 1], /^(?:is|are|was|were|been|being|got)$/);
    if (by > replace + 1 && !passive) {
      add(replace + 1, by);
      return;
    }
    if (passive) {
      add(0, replace - 1);
      return;
    }
    const end = find(/^(?:in|on|as|for|at|,)$/, replace + 1);
    add(replace + 1, end < 0 ? tokens.length : end);
    return;
  }
  const dropped = find(/^(?:dropped|removed|abandoned|ditched|retired|swapped|exchanged|traded)$/);
  const successor = dropped > 0 ? find(/^for$/, dropped) : -1;
  if (successor === dropped + 1) {
    add(0, dropped);
    return;
  }
  const moved = find(
    /^(?:moved|switched|migrated|changed|went|converted|moves|migrates|switches|changes|upgraded|ported)$/,
  );
  const from = moved > 0 ? find(/^from$/, moved) : -1;
  const to = from > 0 ? find(/^(?:to|into|onto)$/, from) : -1;
  if (to > 0) add(from, to);
  else if (from === moved + 1) add(from, tokens.length);
}

/** The negations of a clause, without those that only set something aside. */
export function negationsOf(tokens: readonly Token[], denied: ReadonlySet<number>): Negation[] {
  return tokens.flatMap((token, at): Negation[] => {
    // What holds under a condition that something is not so is not denied.
    if (denied.has(at) || tokens.some(({ text }, i) => text === '@if' && i > 0 && i < at))
      return [];
    if (token.text === '@mustnot') return [{ scope: [], light: true, noun: false }];
    if (!says(token, /^@(?:no|not|without)$/)) return [];
    const relative = tokens.slice(1, at).some((one) => says(one, /^(?:that|which|who|whose)$/));
    const scope: string[] = [];
    // A noun that is denied ends at a preposition, a statement at the end of its clause.
    const noun = token.text !== '@not';
    for (let i = at + 1; i < tokens.length && scope.length < (noun ? 3 : 8); i++) {
      const next = tokens[i];
      if (!next || next.text === ',' || next.text === '@if' || denied.has(i)) break;
      if (noun && scope.length > 0 && next.kind === 'word' && isPreposition(next.text)) break;
      if (isContent(next)) scope.push(next.kind === 'word' ? conceptOf(next.text).key : next.text);
    }
    return [{ scope, light: !relative && scope.every(isLight), noun }];
  });
}
