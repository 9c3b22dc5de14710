const [STAR, ANY, SLASH] = [0x2a, 0x3f, 0x2f];

/**
 * Matches a path against a glob in time proportional to the product of their lengths at most, whatever the glob:
 * those of a project's file come with a cloned folder, those of repo maps from other hosts. `*` and `?` stay inside
 * one part, `**` spans parts, all else is literal; what lies below a match matches too. An empty glob matches nothing.
 */
export function matchesGlob(glob: string, path: string): boolean {
  if (glob === '') return false;
  const bare = glob.replace(/(?<!\/)\/+$/, '');
  const seen = new Uint32Array(bare.length + 1);
  let step = 1;
  let places = reach(bare, [0], true, seen, step);
  for (const char of path) {
    if (char === '/' && seen[bare.length] === step) return true;
    if (places.length === 0) return false;
    const code = char.codePointAt(0);
    const next: number[] = [];
    for (const at of places) {
      const to = after(bare, at, code);
      if (to !== undefined) next.push(to);
    }
    step += 1;
    places = reach(bare, next, char === '/', seen, step);
  }
  return seen[bare.length] === step;
}

/** The place in the glob to which a character of the path leads; undefined where it doesn't match. */
function after(glob: string, at: number, code: number | undefined): number | undefined {
  const token = glob.codePointAt(at);
  if (token === STAR) return code !== SLASH || isStar(glob, at + 1) ? at : undefined;
  if (token !== code && (token !== ANY || code === SLASH)) return undefined;
  return token === undefined ? undefined : at + (token > 0xffff ? 2 : 1);
}

function isStar(glob: string, at: number): boolean {
  return glob.charCodeAt(at) === STAR;
}

/**
 * The places, and those that a wildcard leads to by matching nothing; each once, which `seen` knows by the step.
 * `fresh`: a part of the path starts here.
 */
function reach(
  glob: string,
  open: number[],
  fresh: boolean,
  seen: Uint32Array,
  step: number,
): number[] {
  const reached: number[] = [];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen[at] === step) continue;
    seen[at] = step;
    reached.push(at);
    if (!isStar(glob, at)) continue;
    const past = isStar(glob, at + 1) ? at + 2 : at + 1;
    open.push(past);
    // `**/` also stands for no folder at all.
    if (fresh && past === at + 2 && glob[past] === '/') open.push(past + 1);
  }
  return reached;
}
