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
/** Far above any list of globs; an agent waits while the file is read, and while each path is held against each glob. */
const LENGTH_MAX = 64 * 1024;
const GLOBS_MAX = 64;
const GLOB_LENGTH_MAX = 200;
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

interface Statement {
  readonly text: string;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

/** Joins the lines of a list that spans several. */
function statements(text: string): Statement[] {
  const joined: Statement[] = [];
  let open: Statement[] = [];
  const close = () => {
    const [first] = open;
    if (first) joined.push({ text: open.map((part) => part.text).join(' '), line: first.line });
    open = [];
  };
  for (const [at, raw] of text.split(/\r?\n/).entries()) {
    const line = { text: withoutComment(raw), line: at + 1 };
    if (line.text === '') continue;
    const begins = open.length === 0;
    open.push(line);
    if ((begins && !/=\s*\[/.test(line.text)) || line.text.endsWith(']')) close();
  }
  close();
  return joined;
}

/** The globs of a list; undefined where one is no text, or where there are more than a path can be held against at once. */
function globsOf(text: string): readonly string[] | undefined {
  const globs = listOf(text);
  const fit = globs?.every((glob) => glob.length <= GLOB_LENGTH_MAX);
  return globs && fit && globs.length <= GLOBS_MAX ? globs : undefined;
}

/** A fault names a key and a line, never more of the file: what stands there by mistake may be a secret. */
function paused({ line }: Statement, what: string): ProjectSettings {
  return { ...PAUSED, fault: `line ${line}: ${what}` };
}

/** Reads the text of a project's `credence.toml`. Total. */
export function readProjectFile(text: string): ProjectSettings {
  if (text.length > LENGTH_MAX)
    return { ...PAUSED, fault: `it is larger than ${LENGTH_MAX} characters` };
  let exclude: readonly string[] = [];
  let pause = false;
  let fleetId: string | undefined;
  const seen = new Set<string>();
  for (const statement of statements(text)) {
    const [, key = '', value = ''] = /^([A-Za-z0-9_-]+)\s*=\s*(.+)$/s.exec(statement.text) ?? [];
    if (!KEYS.has(key)) {
      const name = /^[A-Za-z_]{1,24}$/.test(key) ? `, not ${key}` : '';
      return paused(statement, `only exclude, pause and fleet_id may stand here${name}`);
    }
    if (seen.has(key)) return paused(statement, `${key} is there a second time`);
    seen.add(key);
    const globs = key === 'exclude' ? globsOf(value) : undefined;
    const name = key === 'fleet_id' ? stringOf(value) : undefined;
    if (globs) exclude = globs;
    else if (name) fleetId = name;
    else if (key === 'pause' && (value === 'true' || value === 'false')) pause = value === 'true';
    else return paused(statement, `the value of ${key} cannot be read`);
  }
  return { exclude, pause, ...(fleetId === undefined ? {} : { fleetId }) };
}
