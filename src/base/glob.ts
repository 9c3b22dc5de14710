/**
 * Matches a path against a glob in time proportional to their lengths, whatever the glob: those of a project's
 * file come with a cloned folder, those of repo maps from other hosts. `*` and `?` stay inside one part, `**`
 * spans parts, all else is literal; what lies below a match matches too. An empty glob matches nothing.
 */
export function matchesGlob(glob: string, path: string): boolean {
  if (glob === '') return false;
  const tokens = tokensOf(glob);
  const chars = [...path];
  let states = new Set<number>();
  reach(tokens, 0, true, states);
  for (let i = 0; i <= chars.length; i++) {
    const char = chars[i];
    if (states.has(tokens.length) && (char === undefined || char === '/')) return true;
    if (char === undefined || states.size === 0) return false;
    const next = new Set<number>();
    for (const state of states) {
      const token = tokens[state];
      if (token === '**') reach(tokens, state, char === '/', next);
      else if (token === '*' && char !== '/') reach(tokens, state, false, next);
      else if (token === char || (token === '?' && char !== '/'))
        reach(tokens, state + 1, char === '/', next);
    }
    states = next;
  }
  return false;
}

/** Adds a state, and those that a wildcard reaches by matching nothing. `fresh`: a part of the path starts here. */
function reach(
  tokens: readonly string[],
  state: number,
  fresh: boolean,
  states: Set<number>,
): void {
  let at = state;
  states.add(at);
  while (tokens[at] === '*' || tokens[at] === '**') {
    // `**/` also stands for no folder at all.
    if (fresh && tokens[at] === '**' && tokens[at + 1] === '/')
      reach(tokens, at + 2, fresh, states);
    at++;
    states.add(at);
  }
}

function tokensOf(glob: string): string[] {
  return glob.replace(/\/+$/, '').match(/\*\*|[\s\S]/gu) ?? [];
}
