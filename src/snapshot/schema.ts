import { READING_MODE } from '../base/mode.ts';
import { COLUMNS, type TableName } from '../fold/state.ts';
import { TILES_SQL } from './tiles.ts';

/** Raised whenever tables or the text of the index change: a file of another version is built anew. */
export const SCHEMA_VERSION = 14;

/** What was erased: `commit_n` is the commit whose bytes were seen to hold a stub there; null before. */
const STUBS_SQL =
  'CREATE TABLE stubs (seq INTEGER PRIMARY KEY, commitment TEXT, commit_n INTEGER);';

/** All tables of the fold, in one order. */
export const TABLES = Object.keys(COLUMNS) as TableName[];

/** The tables that agents may see in every mode, copied into `agent.sqlite`. */
export const AGENT_TABLES: readonly TableName[] = ['fleet', 'sessions', 'lineage', 'handoffs'];

/** The tables by which agents read claims, of those that they may see: in `live`, and only there. */
export const READ_TABLES = [
  'claims',
  'endorsements',
  'citations',
  'artifacts',
  'policies',
  'scores',
] as const;

/** The tables of `agent.sqlite` in a mode: where agents read nothing there is nothing to read. */
export function agentTables(mode: string): readonly TableName[] {
  return mode === READING_MODE ? [...AGENT_TABLES, ...READ_TABLES] : AGENT_TABLES;
}
const columns = new Map<TableName, readonly string[]>(
  TABLES.map((table) => [table, ['key', 'at', ...COLUMNS[table].columns]]),
);

/** The columns of a table in the order in which rows are written. */
export function columnsOf(table: TableName): readonly string[] {
  return columns.get(table) ?? [];
}

function tableSql(table: TableName): string {
  const columns = columnsOf(table).map((name) =>
    name === 'key' ? 'key TEXT NOT NULL' : `"${name}"`,
  );
  return `CREATE TABLE ${table} (${columns.join(', ')});`;
}

interface Index {
  readonly name: string;
  readonly sql: string;
}

/** By what of them the fold looks rows up while it follows. The others serve those who read a state. */
const FOLDED_BY: ReadonlySet<string> = new Set([
  'sessions_captured_repo',
  'handoffs_session',
  'decisions_claim',
  'scores_agent',
  'held_author',
  'held_subject',
  'held_taken',
  'carried_claim',
]);

/** The indexes of a state that a first follow does without: made at once at its end, they cost a part of what they do row by row. */
export function laterIndexes(): Index[] {
  return [...TABLES.flatMap(indexesOf), DOCUMENTS_KEY].filter(({ name }) => !FOLDED_BY.has(name));
}

function indexOn(table: string, name: string, on: string, unique = ''): Index {
  const full = `${table}_${name}`;
  return { name: full, sql: `CREATE ${unique} INDEX IF NOT EXISTS ${full} ON ${table}(${on});` };
}

/** Of a document there is one, of whatever it is made. */
const DOCUMENTS_KEY = indexOn('documents', 'key', 'key, kind', 'UNIQUE');

function indexesOf(table: TableName): Index[] {
  // The agents' snapshot copies rows by the position that changed them.
  const byPosition = agentTables(READING_MODE).includes(table) ? ['at'] : [];
  const recent = table === 'sessions' ? [indexOn(table, 'repo_recent', 'repo, last_at')] : [];
  return [
    indexOn(table, 'key', 'key', 'UNIQUE'),
    ...[...byPosition, ...COLUMNS[table].indexed].map((name) => indexOn(table, name, `"${name}"`)),
    ...recent,
  ];
}

/** The statements that make an empty snapshot of the given tables. */
export function schemaSql(tables: readonly TableName[]): string {
  return [
    'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;',
    ...tables.map(tableSql),
    'CREATE TABLE documents (id INTEGER PRIMARY KEY, kind TEXT, key TEXT, repo TEXT);',
    ...[...tables.flatMap(indexesOf), DOCUMENTS_KEY].map(({ sql }) => sql),
    // Agents prove nothing.
    ...(TABLES.every((table) => tables.includes(table)) ? [TILES_SQL, STUBS_SQL] : []),
    "CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'porter unicode61', detail = full);",
  ].join('\n');
}
