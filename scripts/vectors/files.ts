import { bodyVectors } from './bodies.ts';
import { bundleVectors } from './bundle.ts';
import { canonicalVectors } from './canonical.ts';
import { erasureVectors } from './erasure.ts';
import { evidenceVectors } from './evidence.ts';
import { addressVectors, recordVectors } from './record.ts';
import { sealedVectors } from './sealed.ts';
import { treeVectors } from './tree.ts';

/** What stands in vectors/, by the names of the files. */
export function vectorFiles() {
  return {
    'address.json': addressVectors(),
    'body.json': bodyVectors(),
    'bundle.json': bundleVectors(),
    'canonical.json': canonicalVectors(),
    'evidence.json': evidenceVectors(),
    'erasure.json': erasureVectors(),
    'record.json': recordVectors(),
    'sealed.json': sealedVectors(),
    'tree.json': treeVectors(),
  };
}
