/**
 * A path glob as a regular expression over the whole path: `*` and `?` stay inside one part, `**` spans parts,
 * all else is literal. A pattern without wildcards also matches everything below it.
 */
export function globToRegExp(pattern: string): RegExp {
  const trimmed = pattern.replace(/\/+$/, '');
  let source = '';
  for (let i = 0; i < trimmed.length; i++) {
    const char = trimmed.charAt(i);
    if (char === '*' && trimmed[i + 1] === '*') {
      const slash = trimmed[i + 2] === '/';
      source += slash ? '(?:[^/]*/)*' : '.*';
      i += slash ? 2 : 1;
    } else if (char === '*') source += '[^/]*';
    else if (char === '?') source += '[^/]';
    else source += char.replace(/[\\^$.|+()[\]{}]/, '\\$&');
  }
  return new RegExp(`^${source}(?:/.*)?$`, 'su');
}
