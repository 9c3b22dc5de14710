import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A page of docs/formats. */
export interface Page {
  readonly name: string;
  readonly text: string;
}

/** A fenced block of a page that says by which schema it is to be read: ` ```json envelope `. */
export interface Example {
  readonly page: string;
  readonly schema: string;
  readonly text: string;
}

/** The fields that a page explains, by the id of their schema: path of the field → its meaning, as plain text. */
export type PageTables = ReadonlyMap<
  string,
  { readonly page: string; readonly fields: ReadonlyMap<string, string> }
>;

/** The pages of a folder, by name. */
export function readPages(folder: string): readonly Page[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
}

/** Markdown without its marks: links become their text, code its content. */
function plain(cell: string): string {
  return cell
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\\|', '|')
    .trim();
}

/**
 * The field tables of pages. A table belongs to the schema that the line `Fields of [x.schema.json](x.schema.json)…`
 * names, and its first column is headed `field`; a row's first cell is the path of a field in backticks, its second
 * the meaning. Two tables for one schema throw.
 */
export function fieldTables(pages: readonly Page[]): PageTables {
  const tables = new Map<string, { page: string; fields: Map<string, string> }>();
  for (const { name, text } of pages) {
    let fields: Map<string, string> | undefined;
    let isOfFields = false;
    for (const line of text.split('\n')) {
      const schema = /^Fields of \[([a-z-]+)\.schema\.json\]/.exec(line)?.[1];
      if (schema !== undefined) {
        if (tables.has(schema)) throw new Error(`${name}: a second table for ${schema}`);
        fields = new Map();
        tables.set(schema, { page: name, fields });
      }
      if (line.startsWith('#')) fields = undefined;
      // A page may have other tables below.
      isOfFields = line.startsWith('| field |') || (isOfFields && line.startsWith('|'));
      const [, path, meaning] = /^\| `([^`]+)` \| (.*?) \|(?: |$)/.exec(line) ?? [];
      if (isOfFields && path !== undefined && meaning !== undefined)
        fields?.set(path, plain(meaning));
    }
  }
  return tables;
}

/** The examples of pages. Blocks without the id of a schema are left out. */
export function examplesOf(pages: readonly Page[]): Example[] {
  return pages.flatMap(({ name, text }) =>
    [...text.matchAll(/^```json ([a-z-]+)\n(.*?)^```$/gms)].map(
      ([, schema = '', body = '']): Example => ({ page: name, schema, text: body }),
    ),
  );
}
