import { bundleVectors } from './bundle.ts';
import { canonicalVectors } from './canonical.ts';
import { addressVectors, recordVectors } from './record.ts';
import { treeVectors } from './tree.ts';

/** What stands in vectors/, by the names of the files. */
export function vectorFiles() {
  return {
    'address.json': addressVectors(),
    'bundle.json': bundleVectors(),
    'canonical.json': canonicalVectors(),
    'record.json': recordVectors(),
    'tree.json': treeVectors(),
  };
}
