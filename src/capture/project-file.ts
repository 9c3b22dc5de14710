/**
 * The only three keys that a folder's `credence.toml` may set. A cloned folder must not be able to take over the
 * machine, so that nothing else is read from it (law 12), and what cannot be read counts as a pause.
 */
export interface ProjectSettings {
  readonly exclude: readonly string[];
  readonly pause: boolean;
  readonly fleetId?: string;
  /** Why the file could not be read, where it could not. */
  readonly fault?: string;
}

const PAUSED = { exclude: [], pause: true } as const;
/** Far above any list of globs; an agent waits while the file is read. */
const LENGTH_MAX = 64 * 1024;
const KEYS = new Set(['exclude', 'pause', 'fleet_id']);

/** A TOML string, or undefined. Escapes beyond `\\` and `\"` are not read. */
function stringOf(text: string): string | undefined {
  const literal = /^'([^']*)'$/.exec(text)?.[1];
  if (literal !== undefined) return literal;
  const basic = /^"((?:[^"\\]|\\[\\"])*)"$/.exec(text)?.[1];
  return basic?.replace(/\\([\\"])/g, '$1');
}

function listOf(text: string): string[] | undefined {
  if (!text.startsWith('[') || !text.endsWith(']')) return undefined;
  const items = text.slice(1, -1).match(/"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,]+/g) ?? [];
  const strings = items.map(stringOf);
  return strings.every((item) => item !== undefined) ? strings : undefined;
}

/** Cuts a comment off, not inside quotes. */
function withoutComment(line: string): string {
  return /^(?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'])*/.exec(line)?.[0].trim() ?? '';
}

/** Joins the lines of a list that spans several. */
function statements(text: string): string[] {
  const joined: string[] = [];
  let open: string[] = [];
  for (const raw of text.split(/\r?\n/)) {
    const line = withoutComment(raw);
    if (line === '') continue;
    if (open.length === 0 && !/=\s*\[/.test(line)) joined.push(line);
    else open.push(line);
    if (!line.endsWith(']') || open.length === 0) continue;
    joined.push(open.join(' '));
    open = [];
  }
  return open.length > 0 ? [...joined, open.join(' ')] : joined;
}

/** Reads the text of a project's `credence.toml`. Total. */
export function readProjectFile(text: string): ProjectSettings {
  if (text.length > LENGTH_MAX)
    return { ...PAUSED, fault: `it is larger than ${LENGTH_MAX} characters` };
  let exclude: readonly string[] = [];
  let pause = false;
  let fleetId: string | undefined;
  for (const statement of statements(text)) {
    const [, key = '', value = ''] = /^([A-Za-z0-9_-]+)\s*=\s*(.+)$/s.exec(statement) ?? [];
    if (!KEYS.has(key))
      return {
        ...PAUSED,
        fault: `only exclude, pause and fleet_id may stand here: ${statement.slice(0, 40)}`,
      };
    const list = key === 'exclude' ? listOf(value) : undefined;
    const name = key === 'fleet_id' ? stringOf(value) : undefined;
    if (list) exclude = list;
    else if (name) fleetId = name;
    else if (key === 'pause' && (value === 'true' || value === 'false')) pause = value === 'true';
    else return { ...PAUSED, fault: `the value of ${key} cannot be read` };
  }
  return { exclude, pause, ...(fleetId === undefined ? {} : { fleetId }) };
}
