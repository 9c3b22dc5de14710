import { byCodePoint } from '../base/canonical.ts';
import { defined } from '../base/unknown.ts';
import { type ClaimBody, type EndorsementBody, kindOf } from '../record/claim.ts';
import { type Citation, episodeIds } from '../record/evidence.ts';
import { type ArtifactRef, repoUri } from '../record/knowledge.ts';
import { SPEC } from '../record/record.ts';
import type { Envelope } from '../runtime/envelope.ts';
import type { ClaimDraft, EndorsementDraft } from './draft.ts';

/** More files than these no single claim is about. */
const REFS_MAX = 16;

/** In whose name something is signed. */
export interface Speaker {
  readonly address: string;
  readonly agent: string;
  readonly space: string;
}

/** What a draft's citations came to. */
export interface Found {
  readonly citation: Citation;
  readonly message: readonly Envelope[];
}

/** Where sessions work. */
export interface Places {
  /** The top of the checkout that a folder is in. */
  readonly topOf: (cwd: string) => string | undefined;
  /** The repo in which a sealed session lives. */
  readonly repoOf: (session: string) => string | undefined;
}

/** A path inside of a folder, from there; undefined for one that is not. */
export function pathIn(top: string | undefined, path: string): string | undefined {
  if (!path.startsWith('/')) return path.startsWith('..') ? undefined : path.replace(/^\.\//, '');
  return top !== undefined && path.startsWith(`${top}/`) ? path.slice(top.length + 1) : undefined;
}

/** The files that the cited messages worked on: once they change, the claim has to be looked at again. */
function refsOf(found: readonly Found[], { topOf, repoOf }: Places): ArtifactRef[] {
  const uris = found
    .flatMap(({ message }) => message)
    .flatMap(({ session_id, cwd, tool, ...event }) => {
      const repo = repoOf(session_id) ?? event.repo;
      const top = cwd === undefined ? undefined : (topOf(cwd) ?? cwd);
      return (tool?.paths ?? []).flatMap((path) => {
        const inside = pathIn(top, path);
        return repo === undefined || inside === undefined ? [] : [repoUri(repo, inside)];
      });
    });
  const sorted = [...new Set(uris.map((uri) => uri.normalize('NFC')))].sort(byCodePoint);
  return sorted.slice(0, REFS_MAX).map((uri) => ({ uri, kind: 'file' }));
}

/** What a draft's author signs once its citations are found. The same draft gives the same record. */
export function claimBodyOf(
  draft: ClaimDraft,
  found: readonly Found[],
  { address, agent, space }: Speaker,
  places: Places,
): ClaimBody {
  const evidence = found.map(({ citation }) => citation);
  const { statement, topics, written_at, supersedes, claim_type, subject, nonce } = draft;
  return {
    spec: SPEC,
    author: address,
    scope: { space, segment: draft.segment },
    kind: kindOf({ claim_type }),
    statement,
    topics,
    refs: draft.refs ?? refsOf(found, places),
    episodes: episodeIds(evidence),
    asserted_at: written_at,
    supersedes,
    claim_type,
    subject,
    observed_by: agent,
    evidence,
    ...defined({ resolves_at: draft.resolves_at }),
    nonce,
  };
}

/** The position that a draft takes; of a claim that stands already, the position that its draft comes to. */
export function endorsementBodyOf(
  draft: Pick<EndorsementDraft, 'claim_id' | 'verdict' | 'basis' | 'written_at'>,
  found: readonly Found[],
  { address, agent }: Speaker,
): EndorsementBody {
  const evidence = found.map(({ citation }) => citation);
  return {
    spec: SPEC,
    author: address,
    claim_id: draft.claim_id,
    verdict: draft.verdict,
    basis: draft.basis,
    episodes: episodeIds(evidence),
    issued_at: draft.written_at,
    observed_by: agent,
    evidence,
  };
}
