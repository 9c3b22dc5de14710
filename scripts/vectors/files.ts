import { canonicalVectors } from './canonical.ts';
import { erasureVectors } from './erasure.ts';
import { addressVectors, recordVectors } from './record.ts';
import { treeVectors } from './tree.ts';

/** What stands in vectors/, by the names of the files. */
export function vectorFiles() {
  return {
    'address.json': addressVectors(),
    'canonical.json': canonicalVectors(),
    'erasure.json': erasureVectors(),
    'record.json': recordVectors(),
    'tree.json': treeVectors(),
  };
}
