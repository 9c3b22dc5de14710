import * as z from 'zod';
import { LIMIT } from '../base/limits.ts';
import { AdmissionBody, FleetBody } from './fleet.ts';
import { bodyBase, SignedRecord } from './record.ts';

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const { address: Address, principal, kind, operator } = AdmissionBody.shape;
const { fleet_id } = FleetBody.shape;

/** What a bundle carries beside the membership of those who speak in it, and what an import says: knowledge, and nothing of sessions. */
export const CARRIED: readonly string[] = ['claim', 'endorsement', 'retirement', 'episode'];

/** The first line of a bundle, signed by whoever exports: what stands behind it, and under which head. */
export const BundleBody = z.strictObject({
  ...bodyBase,
  fleet_id,
  /** The checkpoint of the commit up to which the exporter had followed the ledger. */
  head: SignedRecord,
  /** How many lines follow, and the SHA-256 of their bytes. */
  lines: z.int().min(1).max(LIMIT.bundle_lines_max),
  content_hash: Hash,
});
export type BundleBody = z.infer<typeof BundleBody>;

/** A record of another fleet, where it stands there, and for whom its author's key spoke there. */
const ForeignRecord = z.strictObject({
  seq: z.int().positive(),
  principal,
  kind,
  operator,
  record: SignedRecord,
});
export type ForeignRecord = z.infer<typeof ForeignRecord>;

/** Says in this fleet's ledger what a bundle of another fleet held, or some of it. `fleet` is the id of that one's founding record. */
export const BundleImportBody = z.strictObject({
  ...bodyBase,
  origin: z.strictObject({
    fleet: Hash,
    fleet_id,
    exporter: Address,
    n: z.int().positive(),
    size: z.int().positive(),
    root: Hash,
    committer: Address,
  }),
  records: z.array(ForeignRecord).min(1).max(LIMIT.import_records_max),
});
export type BundleImportBody = z.infer<typeof BundleImportBody>;
