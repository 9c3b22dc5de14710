import { READING_MODE } from '../base/mode.ts';
import { COLUMNS, type TableName } from '../fold/state.ts';
import { TILES_SQL } from './tiles.ts';

/** Raised whenever tables or the text of the index change: a file of another version is built anew. */
export const SCHEMA_VERSION = 7;

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
] as const;

/** The tables of `agent.sqlite` in a mode: where agents read nothing there is nothing to read. */
export function agentTables(mode: string): readonly TableName[] {
  return mode === READING_MODE ? [...AGENT_TABLES, ...READ_TABLES] : AGENT_TABLES;
}

/** The columns of a table in the order in which rows are written. */
export function columnsOf(table: TableName): readonly string[] {
  return ['key', 'at', ...COLUMNS[table].columns];
}

function tableSql(table: TableName): string {
  const columns = columnsOf(table).map((name) =>
    name === 'key' ? 'key TEXT PRIMARY KEY' : `"${name}"`,
  );
  // The agents' snapshot copies rows by the position that changed them.
  const byPosition = agentTables(READING_MODE).includes(table) ? ['at'] : [];
  const indexes = [...byPosition, ...COLUMNS[table].indexed].map(
    (column) => `CREATE INDEX ${table}_${column} ON ${table}("${column}");`,
  );
  // A short row for each entry: without a rowid it lies in its key's index, one tree fewer to write.
  const rowid = table === 'decided' ? ' WITHOUT ROWID' : '';
  return `CREATE TABLE ${table} (${columns.join(', ')})${rowid};\n${indexes.join('\n')}`;
}

/** The statements that make an empty snapshot of the given tables. */
export function schemaSql(tables: readonly TableName[]): string {
  return [
    'CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;',
    ...tables.map(tableSql),
    'CREATE INDEX sessions_repo_recent ON sessions(repo, last_at);',
    'CREATE TABLE documents (id INTEGER PRIMARY KEY, kind TEXT, key TEXT, repo TEXT, UNIQUE (key, kind));',
    // Agents prove nothing.
    ...(TABLES.every((table) => tables.includes(table)) ? [TILES_SQL] : []),
    "CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'porter unicode61', detail = full);",
  ].join('\n');
}
