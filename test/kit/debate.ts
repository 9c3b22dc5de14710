import type { Household } from '../../src/ledger/found.ts';
import {
  type EpisodeBody,
  type PolicyBody,
  type ProposalBody,
  promotionId,
} from '../../src/record/governance.ts';
import type {
  KnowledgeClaim,
  KnowledgeEndorsement,
  KnowledgeRetirement,
  KnowledgeVerdict,
} from '../../src/record/knowledge.ts';
import { topicsOf } from '../../src/record/knowledge.ts';
import { recordId } from '../../src/record/record.ts';
import type { Scene } from './story.ts';

/*
 * Agent-knowledge by brute force: no rows are kept, and every question is answered by reading all that counted so far again.
 * Slow, and written from the format's text alone, so that the tests have something to compare the fold and the queries with.
 */

/** A record that counted, and where it stands. */
interface Said {
  readonly at: number;
  readonly id: string;
  readonly context: string;
  readonly body: never;
}

/** What is to be known of a claim. */
export interface Known {
  readonly id: string;
  readonly principal: string;
  readonly promotion: string;
  readonly status: string;
  readonly seq: number;
  readonly confidence: number;
  readonly staleness_seconds: number;
  readonly suspect: boolean;
  readonly corroborations: number;
  readonly contradictions: number;
}

type Status = 'pending' | 'accepted' | 'rejected';

/** Everything that was said in a fleet with these households, in its order. */
export class Debate {
  readonly #homes: readonly Household[];
  #said: readonly Said[] = [];

  constructor(homes: readonly Household[], scenes: readonly Scene[]) {
    this.#homes = homes;
    const stood = new Set<string>();
    for (const [i, { context, body }] of scenes.entries()) {
      const one = { at: i + 1, id: recordId(context, body), context, body: body as never };
      // What did not count where it stood first does not count later.
      if (!stood.has(one.id) && this.#counts(one)) this.#said = [...this.#said, one];
      stood.add(one.id);
    }
  }

  /** The claims of a space as they stand at `now`, by their ids. */
  claims(space: string, now: number): Known[] {
    return this.#all<KnowledgeClaim>('claim')
      .filter(({ body }) => body.scope.space === space)
      .map(({ id }) => this.#known(id, now))
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  #all<Body>(context: string, before = Number.POSITIVE_INFINITY) {
    return this.#said
      .filter((one) => one.context === context && one.at < before)
      .map(({ at, id, body }) => ({ at, id, body: body as Body }));
  }

  #claim(id: string) {
    return this.#all<KnowledgeClaim>('claim').find((one) => one.id === id);
  }

  /** Who speaks with a key, and what they may do. */
  #voice(address: string): { readonly name: string; readonly may: readonly string[] } {
    for (const { person, host, hostId, agents } of this.#homes) {
      if (address === person.address) return { name: address, may: ['admin', 'review'] };
      if (address === host.address) return { name: hostId, may: ['capture'] };
      const agent = agents.find(({ signer }) => signer.address === address);
      if (agent) return { name: agent.id, may: ['propose'] };
    }
    return { name: address, may: ['propose', 'review'] };
  }

  #counts({ at, context, body }: Said): boolean {
    const { name, may } = this.#voice((body as { author: string }).author);
    switch (context) {
      case 'episode': {
        const { id } = body as EpisodeBody;
        const isNew = !this.#all<EpisodeBody>('episode').some((one) => one.body.id === id);
        return may.includes('propose') && isNew;
      }
      case 'claim': {
        const { supersedes, scope, episodes } = body as KnowledgeClaim;
        const older = supersedes === null ? undefined : this.#claim(supersedes);
        const isOwn =
          older?.body.scope.space === scope.space && this.#voice(older.body.author).name === name;
        const rests = this.#areSeen(episodes, scope.space);
        return may.includes('propose') && rests && (supersedes === null || isOwn);
      }
      case 'endorsement': {
        const { claim_id, episodes } = body as KnowledgeEndorsement;
        const on = this.#claim(claim_id);
        const rests = on !== undefined && this.#areSeen(episodes, on.body.scope.space);
        return may.includes('propose') && rests;
      }
      case 'verdict': {
        const { promotion_id } = body as KnowledgeVerdict;
        const opened = this.#opened(promotion_id);
        if (!opened || opened.proposer === name) return false;
        const isFirst = !this.#verdicts(promotion_id).some((one) => one.by === name);
        return may.includes('review') && isFirst && this.#status(promotion_id, at) === 'pending';
      }
      case 'retirement': {
        const { claim_id } = body as KnowledgeRetirement;
        const claim = this.#claim(claim_id);
        const isOwn = claim !== undefined && this.#voice(claim.body.author).name === name;
        return isOwn && !this.#isRetired(claim_id);
      }
      case 'proposal': {
        const { claim_id, attempt } = body as ProposalBody;
        const claim = this.#claim(claim_id);
        if (!claim || this.#voice(claim.body.author).name !== name) return false;
        const last = this.#attempts(claim_id);
        const wasRejected = this.#status(promotionId(claim_id, last), at) === 'rejected';
        return wasRejected && attempt === last + 1;
      }
      case 'policy':
        return may.includes('admin');
      case 'artifact-change':
        return may.includes('propose') || may.includes('capture');
      default:
        return false;
    }
  }

  #areSeen(episodes: readonly string[], space: string): boolean {
    const seen = this.#all<EpisodeBody>('episode');
    return episodes.every((id) =>
      seen.some(({ body }) => body.id === id && body.scope.space === space),
    );
  }

  #isRetired(claim: string): boolean {
    return this.#all<KnowledgeRetirement>('retirement').some(({ body }) => body.claim_id === claim);
  }

  #attempts(claim: string): number {
    const again = this.#all<ProposalBody>('proposal').filter(({ body }) => body.claim_id === claim);
    return 1 + again.length;
  }

  /** The claim that a promotion is about, where it opened, and who opened it. */
  #opened(promotion: string) {
    for (const claim of this.#all<KnowledgeClaim>('claim')) {
      const { name } = this.#voice(claim.body.author);
      if (promotionId(claim.id, 1) === promotion) return { claim, at: claim.at, proposer: name };
      for (const { at, body } of this.#all<ProposalBody>('proposal')) {
        const isIt =
          body.claim_id === claim.id && promotionId(claim.id, body.attempt) === promotion;
        if (isIt) return { claim, at, proposer: name };
      }
    }
    return undefined;
  }

  #verdicts(promotion: string) {
    return this.#all<KnowledgeVerdict>('verdict')
      .filter(({ body }) => body.promotion_id === promotion)
      .map(({ at, body }) => ({ at, by: this.#voice(body.author).name, verdict: body.verdict }));
  }

  /** The policy of a claim's scope at a position: mode, approvals, and whether one of its topics is protected. */
  #policy({ body }: { readonly body: KnowledgeClaim }, at: number) {
    const scope = JSON.stringify(body.scope);
    const policy = this.#all<PolicyBody>('policy', at).findLast(
      (one) => JSON.stringify(one.body.scope) === scope,
    )?.body;
    const topics = topicsOf(policy?.protected_topics ?? []);
    return {
      mode: policy?.mode ?? (body.scope.space === 'fleet' ? 'gates' : 'auto'),
      approvals: policy?.required_approvals ?? 1,
      isProtected: body.topics.some((topic) => topics.includes(topic)),
    };
  }

  /** What has become of a promotion by a position. */
  #status(promotion: string, by: number): Status {
    const opened = this.#opened(promotion);
    if (!opened) return 'pending';
    const first = this.#policy(opened.claim, opened.at);
    if (first.mode === 'auto' && !first.isProtected) return 'accepted';
    let approvals = 0;
    for (const { at, verdict } of this.#verdicts(promotion).filter((one) => one.at < by)) {
      if (verdict === 'approve') approvals += 1;
      const policy = this.#policy(opened.claim, at);
      if (policy.mode === 'gates') continue;
      if (verdict === 'reject') return 'rejected';
      if (approvals >= policy.approvals) return 'accepted';
    }
    return 'pending';
  }

  #known(id: string, now: number): Known {
    const claim = this.#claim(id);
    if (!claim) throw new Error('a claim that counted is there');
    const { body, at } = claim;
    const promotion = promotionId(id, this.#attempts(id));
    const end = Number.POSITIVE_INFINITY;
    const isSuperseded = this.#all<KnowledgeClaim>('claim').some((newer) => {
      if (newer.body.supersedes !== id) return false;
      const numbers = Array.from({ length: this.#attempts(newer.id) }, (_, i) => i + 1);
      return numbers.some((n) => this.#status(promotionId(newer.id, n), end) === 'accepted');
    });
    const named = { pending: 'candidate', accepted: 'promoted', rejected: 'rejected' };
    const outcome = isSuperseded ? 'superseded' : named[this.#status(promotion, end)];
    return {
      id,
      principal: this.#voice(body.author).name,
      promotion,
      status: this.#isRetired(id) ? 'retired' : outcome,
      seq: at,
      ...this.#standing(id, body, now),
    };
  }

  #standing(id: string, body: KnowledgeClaim, now: number) {
    const positions = this.#all<KnowledgeEndorsement>('endorsement').filter(
      (one) => one.body.claim_id === id,
    );
    const voices = [...new Set(positions.map((one) => this.#voice(one.body.author).name))];
    const last = voices.map((name) => {
      const own = positions.filter((one) => this.#voice(one.body.author).name === name);
      const newest = own
        .map((one) => one.body.issued_at)
        .sort()
        .at(-1);
      return own.findLast((one) => one.body.issued_at === newest)?.body.verdict;
    });
    const pro = last.filter((verdict) => verdict === 'corroborate').length;
    const contra = last.length - pro;
    const agreed = positions.filter((one) => one.body.verdict === 'corroborate');
    const met = [body.asserted_at, ...agreed.map((one) => one.body.issued_at)].sort().at(-1) ?? '';
    const changes = this.#all<{ space: string; uri: string; changed_at: string }>(
      'artifact-change',
    );
    return {
      confidence: (1 + pro) / (2 + pro + 2 * contra),
      staleness_seconds: Math.max(0, Math.floor((now - Date.parse(met)) / 1_000)),
      suspect: changes.some(
        (one) =>
          one.body.space === body.scope.space &&
          body.refs.some(({ uri }) => uri === one.body.uri) &&
          one.body.changed_at > met,
      ),
      corroborations: pro,
      contradictions: contra,
    };
  }
}
