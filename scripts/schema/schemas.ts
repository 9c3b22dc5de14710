import * as z from 'zod';
import { CitationDraft } from '../../src/extract/citation.ts';
import { ClaimDraft, ProposalDraft } from '../../src/extract/draft.ts';
import { HandoffDraft } from '../../src/handoff/handoff.ts';
import { SETTINGS } from '../../src/home/settings.ts';
import { RefusedFile } from '../../src/io/proposal-folder.ts';
import { Cursor } from '../../src/lake/import.ts';
import { Manifest } from '../../src/lake/manifest.ts';
import { BundleLine } from '../../src/ledger/bundle.ts';
import { Stub, WholeEntry } from '../../src/ledger/entry.ts';
import { EntryProof, GrowthProof } from '../../src/ledger/entry-proof.ts';
import { LiveAgent, LiveIntents } from '../../src/live/live.ts';
import { BundleBody, BundleImportBody } from '../../src/record/bundle.ts';
import { ClaimBody, EndorsementBody } from '../../src/record/claim.ts';
import { DecisionBody } from '../../src/record/decision.ts';
import { Digest } from '../../src/record/digest.ts';
import { ErasureBody } from '../../src/record/erasure.ts';
import { Citation } from '../../src/record/evidence.ts';
import { ExtractionBody } from '../../src/record/extraction.ts';
import { FindingBody } from '../../src/record/finding.ts';
import {
  AdmissionBody,
  CheckpointBody,
  FleetBody,
  RejectionBody,
  RepoMapBody,
  RevocationBody,
} from '../../src/record/fleet.ts';
import {
  ArtifactChangeBody,
  EpisodeBody,
  PolicyBody,
  ProposalBody,
} from '../../src/record/governance.ts';
import {
  KnowledgeClaim,
  KnowledgeEndorsement,
  KnowledgeRetirement,
  KnowledgeVerdict,
} from '../../src/record/knowledge.ts';
import { MemoryBody } from '../../src/record/memory.ts';
import { InstantField, SignedRecord, SignedText } from '../../src/record/record.ts';
import { ScoreBody } from '../../src/record/score.ts';
import { SealedSecretBody } from '../../src/record/sealed-secret.ts';
import { HandoffBody, SessionBody } from '../../src/record/session.ts';
import { SettlementBody } from '../../src/record/settlement.ts';
import { TrustBody } from '../../src/record/trust.ts';
import { Envelope } from '../../src/runtime/envelope.ts';
import { VerifiedMark } from '../../src/snapshot/mark.ts';
import type { PageTables } from './page.ts';

/** A schema as JSON: an object all the way down. */
export type Schema = { [keyword: string]: unknown };

interface Tables {
  [name: string]: z.ZodType | Tables;
}

function tableSchema(table: Tables): z.ZodType {
  const fields = Object.entries(table).map(([name, field]) => {
    const type = field instanceof z.ZodType ? field : tableSchema(field);
    return [name, type.optional()] as const;
  });
  return z.strictObject(Object.fromEntries(fields));
}

/** The user's `config.toml` as a value: the one table of settings, a key with a dot inside a TOML table. */
function configSchema(): z.ZodType {
  const top: Tables = {};
  for (const [name, { type }] of Object.entries(SETTINGS)) {
    const path = name.split('.');
    const key = path.pop() ?? name;
    let table = top;
    for (const step of path) {
      table[step] ??= {};
      table = table[step] as Tables;
    }
    table[key] = type;
  }
  return tableSchema({ ...top, agents: z.record(z.string(), SETTINGS.fleet_id.type) });
}

/** Every stored value that has a zod schema: id, the name of its file in docs/formats, → the schema that the code reads it by. */
export const STORED: Readonly<Record<string, z.ZodType>> = {
  'bundle-line': BundleLine,
  config: configSchema(),
  digest: Digest,
  envelope: Envelope,
  'handoff-draft': HandoffDraft,
  'import-cursor': Cursor,
  'ledger-entry': WholeEntry,
  'ledger-stub': Stub,
  'live-agent': LiveAgent,
  'live-intents': LiveIntents,
  manifest: Manifest,
  'proof-entry': EntryProof,
  'proof-growth': GrowthProof,
  'proposal-draft': ProposalDraft,
  'refused-draft': RefusedFile,
  record: SignedRecord,
  'record-admission': AdmissionBody,
  'record-artifact-change': ArtifactChangeBody,
  'record-bundle': BundleBody,
  'record-bundle-import': BundleImportBody,
  'record-checkpoint': CheckpointBody,
  'record-claim': KnowledgeClaim,
  'record-decision': DecisionBody,
  'record-endorsement': KnowledgeEndorsement,
  'record-episode': EpisodeBody,
  'record-erasure': ErasureBody,
  'record-extraction': ExtractionBody,
  'record-finding': FindingBody,
  'record-fleet': FleetBody,
  'record-handoff': HandoffBody,
  'record-memory': MemoryBody,
  'record-own-claim': ClaimBody,
  'record-own-endorsement': EndorsementBody,
  'record-policy': PolicyBody,
  'record-proposal': ProposalBody,
  'record-rejection': RejectionBody,
  'record-repo-map': RepoMapBody,
  'record-retirement': KnowledgeRetirement,
  'record-revocation': RevocationBody,
  'record-score': ScoreBody,
  'record-session': SessionBody,
  'record-settlement': SettlementBody,
  'record-trust': TrustBody,
  'record-verdict': KnowledgeVerdict,
  'verified-mark': VerifiedMark,
  'sealed-secret': SealedSecretBody,
};

const INSTANT = {
  format: 'date-time',
  pattern:
    '^\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d\\.\\d{3}Z$',
};

/** What JSON Schema can say of the checks that are code. It can only be wider than the code: the pages say what is missing. */
const REFINED = new Map<z.core.$ZodType, Schema>([
  [InstantField, INSTANT],
  [Envelope.shape.emitted_at, INSTANT],
  [LiveAgent.shape.at, INSTANT],
  [HandoffDraft.shape.written_at, INSTANT],
  // That its escapes are UTF-8, no pattern can say.
  [SETTINGS.store.type, {}],
  // Bytes in the code, characters here: no text has more of these than of those.
  [SignedText, { maxLength: 65_536 }],
  [KnowledgeClaim.shape.statement, { maxLength: 65_536, pattern: '\\S' }],
  // Lower case and order: no schema can say them.
  [KnowledgeClaim.shape.topics, {}],
  [ClaimBody.shape.subject, {}],
  // That it ends behind its start.
  [Citation.shape.range.unwrap(), {}],
  [CitationDraft, { anyOf: [{ required: ['message_id'] }, { required: ['quote'] }] }],
  [CitationDraft.shape.quote.unwrap(), { maxLength: 65_536, pattern: '\\S' }],
  [RefusedFile.shape.at, INSTANT],
  [ClaimDraft.shape.written_at, INSTANT],
  [MemoryBody.shape.content, { maxLength: 65_536, pattern: '\\S' }],
  [ErasureBody.shape.entries, {}],
  [ErasureBody.shape.tombstones, {}],
  [
    AdmissionBody.shape.address,
    { pattern: '^amp:key:[123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz]{32,44}$' },
  ],
]);

function refine(zodSchema: z.core.$ZodTypes, jsonSchema: Schema): void {
  const known = REFINED.get(zodSchema);
  const isCode = (zodSchema._zod.def.checks ?? []).some(
    (check) => check._zod.def.check === 'custom',
  );
  if (isCode && !known)
    throw new Error('a check that is code and that REFINED does not name: say it there');
  Object.assign(jsonSchema, known);
}

function rawSchemas(): Record<string, Schema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(STORED)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, {
    target: 'draft-2020-12',
    // What stands in the file, not what reading makes of it: `30m` in the settings, not a number.
    io: 'input',
    uri: (id) => `${id}.schema.json`,
    override: ({ zodSchema, jsonSchema }) => refine(zodSchema, jsonSchema as Schema),
  });
  // A copy, since one schema that is used at two places is one object here.
  return JSON.parse(JSON.stringify(schemas)) as Record<string, Schema>;
}

/** Calls `see` with the path of every named property: `tool.exit_code`, `parts[].key`. What a `$ref` points to has its own page. */
export function eachProperty(
  schema: Schema,
  see: (path: string, property: Schema) => void,
  at = '',
): void {
  for (const [name, property] of Object.entries((schema['properties'] ?? {}) as Schema)) {
    const path = at === '' ? name : `${at}.${name}`;
    see(path, property as Schema);
    eachProperty(property as Schema, see, path);
  }
  for (const option of [schema['anyOf'], schema['oneOf']].flat()) {
    if (option !== undefined) eachProperty(option as Schema, see, at);
  }
  if (schema['items'] !== undefined) eachProperty(schema['items'] as Schema, see, `${at}[]`);
}

/**
 * Every generated schema: file name → text. The shapes come from the code, the words from the field tables of the
 * pages, so that each is written once. The same code and pages give the same bytes. Throws for a property that no
 * table explains.
 */
export function buildSchemas(tables: PageTables): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const [id, raw] of Object.entries(rawSchemas())) {
    const table = tables.get(id);
    if (!table) throw new Error(`no page has a table for ${id}.schema.json`);
    const { $schema, $id, ...shape } = raw;
    eachProperty(shape, (path, property) => {
      const meaning = table.fields.get(path);
      if (meaning === undefined) throw new Error(`${table.page} does not explain ${path} of ${id}`);
      property['description'] = meaning;
    });
    const head = { $schema, $id, title: id, description: `See ${table.page}.` };
    files.set(`${id}.schema.json`, `${JSON.stringify({ ...head, ...shape }, undefined, 2)}\n`);
  }
  return files;
}
