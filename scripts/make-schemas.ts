// Writes the generated docs/formats/*.schema.json anew, from the schemas in src and the words of the pages. From the
// repository's root:
//   npx esbuild scripts/make-schemas.ts --bundle --platform=node --format=esm | node --input-type=module
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldTables, readPages } from './schema/page.ts';
import { buildSchemas } from './schema/schemas.ts';

const folder = join(process.cwd(), 'docs', 'formats');
const files = buildSchemas(fieldTables(readPages(folder)));
for (const [name, text] of files) writeFileSync(join(folder, name), text);
process.stdout.write(`${files.size} schemas in ${folder}\n`);
