import { sha256Hex } from '../base/hash.ts';
import { type RedactionPolicy, redactText } from '../capture/redact.ts';
import { type LeftOut, propositionsIn, type Written } from '../extract/written.ts';
import type { Reader } from '../fold/state.ts';
import { deposit } from '../ledger/inbox.ts';
import { maintain, type Parts, sync } from '../pipeline.ts';
import { type ClaimView, listClaims } from '../query/claims.ts';
import { type ClaimBody, kindOf, subjectOf } from '../record/claim.ts';
import { episodeIds, excerptHash, normalised } from '../record/evidence.ts';
import { repoUri } from '../record/knowledge.ts';
import { recordId, type SignedRecord, SPEC } from '../record/record.ts';
import { readerOf } from '../snapshot/database.ts';

/** A file in which people tell agents what to do: its path from the top of its checkout, and its bytes. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** The files of one checkout; `whole` where all that runtimes read were looked for. */
export interface WrittenFiles {
  readonly root: string;
  readonly repo: string;
  readonly whole: boolean;
  readonly files: readonly WrittenFile[];
  readonly unread: readonly { readonly path: string; readonly why: string }[];
}

/** A line of a file as a person is asked about it, redacted. */
export interface Convention extends Written {
  readonly path: string;
  /** The session that the file at these bytes is. */
  readonly session: string;
  readonly excerptHash: string;
  /** The claim that says so already, in the same scope. */
  readonly known: string | undefined;
}

/** What the files say, what was left out of them, and claims whose words are no longer there. */
export interface Conventions {
  readonly repo: string;
  readonly found: readonly Convention[];
  readonly leftOut: readonly (LeftOut & { readonly path: string })[];
  readonly unread: WrittenFiles['unread'];
  readonly gone: readonly ClaimView[];
}

const SESSION_LENGTH_MAX = 256;
const HASH = /@[0-9a-f]{64}$/;

const saying = (statement: string) => normalised(statement).toLowerCase().replace(/\.$/, '');

/** The paths that a claim was accepted from, in a repo. */
function pathsOf(reader: Reader, claim: string, repo: string): string[] {
  const head = `file:${repo}/`;
  return reader
    .where('citations', 'claim', claim)
    .filter(({ session, observed_by }) => observed_by === 'human' && session.startsWith(head))
    .map(({ session }) => session.slice(head.length).replace(HASH, ''));
}

/** Reads files of conventions beside what is claimed. `redaction` says how secrets are withheld. */
export function readConventions(
  { repo, whole, files, unread }: WrittenFiles,
  { reader, space, now }: { readonly reader: Reader; readonly space: string; readonly now: number },
  redaction: RedactionPolicy,
): Conventions {
  const segment = `repo:${repo}`;
  const standing = listClaims(reader, space, { now }).filter(
    ({ status, scope }) => status !== 'retired' && status !== 'superseded' && scope.space === space,
  );
  const known = new Map(
    standing
      .filter(({ scope }) => scope.segment === segment || scope.segment === null)
      .map(({ statement, id }) => [saying(statement), id]),
  );
  const clean = (text: string) => redactText(text, 'prose', redaction).text;
  const found: Convention[] = [];
  const leftOut: (LeftOut & { path: string })[] = [];
  const tooLong: { path: string; why: string }[] = [];
  const said = new Set<string>();
  for (const { path, bytes } of files) {
    const session = `file:${repo}/${path}@${sha256Hex(bytes)}`;
    if (session.length > SESSION_LENGTH_MAX) {
      tooLong.push({ path, why: 'has a path too long to be cited' });
      continue;
    }
    const read = propositionsIn(Buffer.from(bytes).toString('utf8'));
    leftOut.push(...read.leftOut.map((one) => ({ ...one, path, text: clean(one.text) })));
    for (const one of read.written) {
      const statement = clean(one.statement);
      const key = saying(statement);
      // Files of two runtimes often say the same: it is asked once.
      if (said.has(key)) continue;
      said.add(key);
      const excerpt = clean(Buffer.from(bytes.subarray(one.start, one.end)).toString('utf8'));
      const more = { statement, excerptHash: excerptHash(excerpt), known: known.get(key) };
      found.push({ ...one, path, session, ...more });
    }
  }
  const readPaths = new Set(files.map(({ path }) => path));
  const gone = standing.filter((claim) => {
    const paths = claim.observedBy === 'human' ? pathsOf(reader, claim.id, repo) : [];
    const isLookedAt = paths.some((path) => whole || readPaths.has(path));
    return isLookedAt && !said.has(saying(claim.statement));
  });
  return { repo, found, leftOut, unread: [...unread, ...tooLong], gone };
}

/** What a person signs of a line that it accepts. The instant is the window of the file. */
export function acceptedClaim(
  one: Convention,
  repo: string,
  by: {
    readonly address: string;
    readonly space: string;
    readonly at: string;
    readonly nonce: string;
  },
): ClaimBody {
  const { session, path, first, last, start, end, statement } = one;
  const evidence = [
    {
      session_id: session,
      message_id: first === last ? `line:${first}` : `lines:${first}-${last}`,
      ...(start < end ? { range: { start, end } } : {}),
      excerpt_hash: one.excerptHash,
      observed_at: by.at,
    },
  ];
  return {
    spec: SPEC,
    author: by.address,
    scope: { space: by.space, segment: `repo:${repo}` },
    kind: kindOf({ claim_type: 'convention' }),
    statement,
    topics: [],
    refs: [{ uri: repoUri(repo, path.normalize('NFC')), kind: 'file' }],
    episodes: episodeIds(evidence),
    asserted_at: by.at,
    supersedes: null,
    claim_type: 'convention',
    subject: subjectOf([repo]),
    observed_by: 'human',
    evidence,
    nonce: by.nonce,
  };
}

/** What became of a record that a person signed. */
export interface Entered {
  readonly id: string;
  /** The code by which the ledger refused it; undefined where it stands. */
  readonly refused: string | undefined;
}

/** Brings what a person signed into the ledger, and lets gates decide; where another host maintains, they decide there. */
export async function enter(
  parts: Parts,
  records: readonly SignedRecord[],
): Promise<readonly Entered[]> {
  const { store, identity, nextCounter, state } = parts;
  if (records.length > 0) await deposit(store, identity.hostId, nextCounter(), records);
  // A person waits for it, and hears of no cost: no model is asked.
  if (!(await maintain({ ...parts, extractor: undefined }))) await sync(parts);
  return records.map(({ context, body }) => {
    const id = recordId(context, body);
    const decided = readerOf(state).get('decided', id);
    return { id, refused: decided ? (decided.code ?? undefined) : 'record.waits' };
  });
}
