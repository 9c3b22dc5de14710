import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RenderedFiles } from '../brief/publish.ts';
import { writeFileAtomically } from './small-file.ts';

/** Rendered files below the product's folder. */
export function renderedFiles(home: string): RenderedFiles {
  return {
    write: (path, text) => writeFileAtomically(join(home, path), text),
    keepOnly(folder, paths) {
      const kept = new Set([...paths].map((path) => join(home, path)));
      const whole = join(home, folder);
      if (!existsSync(whole)) return;
      for (const entry of readdirSync(whole, { recursive: true, withFileTypes: true })) {
        const path = join(entry.parentPath, entry.name);
        // What is named otherwise is being written at this moment, or is swept with what crashes left.
        if (entry.isFile() && path.endsWith('.json') && !kept.has(path))
          rmSync(path, { force: true });
      }
    },
  };
}
