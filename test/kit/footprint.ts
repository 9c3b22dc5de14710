import { type EpisodeBody, type ProposalBody, promotionId } from '../../src/record/governance.ts';
import type {
  KnowledgeClaim,
  KnowledgeEndorsement,
  KnowledgeRetirement,
  KnowledgeVerdict,
} from '../../src/record/knowledge.ts';
import { recordId } from '../../src/record/record.ts';
import type { HandoffBody, SessionBody } from '../../src/record/session.ts';
import type { Scene } from './story.ts';

/** What a record may ask of the state, and what it may change there, by name. What it changes it may ask, too. */
export interface Footprint {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/**
 * What a record has to do with in a story. Written from what the record means, and not from how it is folded: two of which
 * neither changes what the other asks can stand in either order.
 */
export function footprintOf(scene: Scene, story: readonly Scene[]): Footprint {
  const { context, body } = scene;
  const id = `record ${recordId(context, body)}`;
  // Whoever speaks may become known by it.
  const { reads, writes } = meaningOf(scene, story);
  return { reads: ['fleet', ...reads], writes: [id, `who ${body.author}`, ...writes] };
}

/** True where neither changes what the other asks or changes. */
export function areIndependent(a: Footprint, b: Footprint): boolean {
  const isApart = (one: Footprint, other: Footprint) =>
    one.writes.every((name) => !other.reads.includes(name) && !other.writes.includes(name));
  return isApart(a, b) && isApart(b, a);
}

/** A claim's own name, and that of what it may supersede once it is accepted. */
function lineOfClaim(id: string, story: readonly Scene[]): string[] {
  const claim = story.find((one) => one.context === 'claim' && recordId('claim', one.body) === id);
  const { supersedes } = (claim?.body ?? {}) as Partial<KnowledgeClaim>;
  return [`claim ${id}`, ...(supersedes ? [`claim ${supersedes}`] : [])];
}

/** The policy of a claim's scope: where the claim is not known, any. */
function policyOfClaim(id: string, story: readonly Scene[]): string[] {
  return story
    .filter((one) => one.context === 'claim' && recordId('claim', one.body) === id)
    .map(({ body }) => `policy ${JSON.stringify((body as unknown as KnowledgeClaim).scope)}`);
}

function claimOfPromotion(promotion: string, story: readonly Scene[]): string | undefined {
  const ids = story
    .filter(({ context }) => context === 'claim')
    .map(({ body }) => recordId('claim', body));
  return ids.find((id) => [1, 2, 3, 4, 5].some((n) => promotionId(id, n) === promotion));
}

/** Names of a kind: none where a body has not even the member. */
const named = (kind: string, names: readonly string[] | undefined) =>
  (names ?? []).map((name) => `${kind} ${name}`);

function meaningOf({ context, body: said }: Scene, story: readonly Scene[]): Footprint {
  const body = said as unknown;
  switch (context) {
    case 'claim': {
      const { scope, episodes } = body as KnowledgeClaim;
      const id = recordId('claim', said);
      const reads = [...named('episode', episodes), `policy ${JSON.stringify(scope)}`];
      return { reads, writes: lineOfClaim(id, story) };
    }
    case 'endorsement': {
      const { claim_id, episodes } = body as KnowledgeEndorsement;
      return { reads: [`claim ${claim_id}`, ...named('episode', episodes)], writes: [] };
    }
    case 'verdict': {
      const claim = claimOfPromotion((body as KnowledgeVerdict).promotion_id, story);
      if (claim === undefined) return { reads: [], writes: [] };
      return { reads: policyOfClaim(claim, story), writes: lineOfClaim(claim, story) };
    }
    case 'retirement':
      return { reads: [], writes: [`claim ${(body as KnowledgeRetirement).claim_id}`] };
    case 'proposal': {
      const { claim_id } = body as ProposalBody;
      return { reads: policyOfClaim(claim_id, story), writes: lineOfClaim(claim_id, story) };
    }
    case 'episode':
      return { reads: [], writes: [`episode ${(body as EpisodeBody).id}`] };
    case 'policy':
      return {
        reads: [],
        writes: [`policy ${JSON.stringify((body as { scope: unknown }).scope)}`],
      };
    case 'artifact-change': {
      const { space, uri } = body as { readonly space: string; readonly uri: string };
      return { reads: [], writes: [`artifact ${space} ${uri}`] };
    }
    default:
      return meaningOfBelief(context, body, said);
  }
}

/** The claims that a record speaks of, each by its name. */
const aboutClaims = (ids: readonly (string | undefined)[]) =>
  ids.filter((id) => id !== undefined).map((id) => `claim ${id}`);

function meaningOfBelief(context: string, body: unknown, said: Scene['body']): Footprint {
  switch (context) {
    case 'finding': {
      const found = body as {
        claim_id?: string;
        record_id?: string;
        session?: string;
        excerpts?: { session: string }[];
        pairs?: { claim_id: string }[];
      };
      const { claim_id, record_id, session, excerpts = [], pairs = [] } = found;
      const sessions = [...excerpts.map((one) => one.session), ...(session ? [session] : [])];
      const claims = aboutClaims([claim_id, ...pairs.map((pair) => pair.claim_id)]);
      return {
        reads: [...claims, `record ${record_id}`, ...named('session', sessions)],
        writes: [`finding ${recordId('finding', said)}`],
      };
    }
    case 'decision': {
      const { claim_id, into, findings } = body as Partial<Record<'claim_id' | 'into', string>> & {
        findings?: string[];
      };
      return {
        reads: [...aboutClaims([claim_id, into]), ...named('finding', findings)],
        writes: [],
      };
    }
    case 'score': {
      const { agent, claim_id } = body as { agent: string; claim_id: string };
      return { reads: aboutClaims([claim_id]), writes: [`record of ${agent}`] };
    }
    case 'extraction': {
      const { session } = body as { session: string };
      return { reads: [`session ${session}`], writes: [`extraction ${session}`, 'spend'] };
    }
    case 'settlement':
      return { reads: aboutClaims((body as { claims?: string[] }).claims ?? []), writes: [] };
    case 'trust':
      // It may name its principal by a key, so that it asks whose this is.
      return { reads: [`who ${(body as { principal: string }).principal}`], writes: ['trust'] };
    default:
      return meaningOfCapture(context, body, said);
  }
}

function meaningOfCapture(context: string, body: unknown, said: Scene['body']): Footprint {
  switch (context) {
    case 'session': {
      const { session, repo, lineage } = body as Partial<SessionBody>;
      const had = (lineage ?? []).map((item) => `handoff ${item.id}`);
      return { reads: repo === undefined ? ['maps'] : [], writes: [`session ${session}`, ...had] };
    }
    case 'handoff': {
      const { session } = body as HandoffBody;
      // A map that moves its session moves it, too.
      return {
        reads: ['maps', `session ${session}`],
        writes: [`handoff ${recordId('handoff', said)}`],
      };
    }
    case 'repo-map':
      return { reads: [], writes: ['maps'] };
    case 'admission':
      return { reads: [], writes: [`who ${(body as { address: string }).address}`] };
    case 'rejection': {
      const { record, item, line } = body as { record?: string; item?: string; line?: number };
      return { reads: [], writes: [`record ${record}`, `line ${item}#${line ?? 0}`] };
    }
    case 'fleet':
      return { reads: [], writes: ['fleet'] };
    default:
      return { reads: [], writes: [] };
  }
}
