// Writes vectors/*.json anew. From the repository's root:
//   npx esbuild scripts/make-vectors.ts --bundle --platform=node --format=esm --log-level=error | node --input-type=module
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vectorFiles } from './vectors/files.ts';

const folder = join(process.cwd(), 'vectors');
for (const [name, value] of Object.entries(vectorFiles()))
  writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
