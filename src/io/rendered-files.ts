import { join } from 'node:path';
import type { RenderedFiles } from '../brief/publish.ts';
import { writeFileAtomically } from './small-file.ts';

/** Rendered files below the product's folder. */
export function renderedFiles(home: string): RenderedFiles {
  return { write: (path, text) => writeFileAtomically(join(home, path), text) };
}
