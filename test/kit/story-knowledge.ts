import fc from 'fast-check';
import type { Signer } from '../../src/base/ed25519.ts';
import { toInstant } from '../../src/base/time.ts';
import { promotionId } from '../../src/record/governance.ts';
import type { KnowledgeClaim, Scope } from '../../src/record/knowledge.ts';
import { recordId, SPEC } from '../../src/record/record.ts';
import {
  claimBody,
  endorsementBody,
  episodeBody,
  policyBody,
  proposalBody,
  retirementBody,
  verdictBody,
} from '../../src/verbs/knowledge-bodies.ts';
import { householdOf, keyOf, T0 } from './fleet.ts';
import type { Scene } from './story.ts';

const homes = [householdOf('ann'), householdOf('bob')] as const;

/** Keys that nobody admitted: an open fleet takes them as principals of their own. */
export const WILD: readonly Signer[] = [keyOf('wild 1'), keyOf('wild 2')];

const agents = homes.flatMap((home) => home.agents.map(({ signer }) => signer));
const persons = homes.map(({ person }) => person);
const anyVoice = fc.constantFrom(...agents, ...WILD, ...persons);
const anyReviewer = fc.constantFrom(...persons, ...WILD, ...agents);

const anyMoment = fc.nat(4).map((at) => toInstant(T0 + at * 1_000));
const by = (signer: Signer, now = toInstant(T0)) => ({ author: signer.address, now });

/** Scopes of a space with rules of its own, of one without, and of the fleet's own. */
const SCOPES: readonly Scope[] = [
  { space: 'shop', segment: null },
  { space: 'shop', segment: 'till' },
  { space: 'yard', segment: null },
  { space: 'fleet', segment: null },
];
/** The spaces of stories: the fleet's own, and another. */
export const SPACES = [...new Set(SCOPES.map(({ space }) => space))];
const URIS = ['file:a', 'file:b'];

const scopeOf = (i: number): Scope => SCOPES[i % SCOPES.length] ?? { space: 'x', segment: null };

const EPISODES = [0, 1, 2].map((i) =>
  episodeBody(
    { scope: scopeOf(i), kind: 'observation', content: `Seen ${i}.` },
    by(agents[i % 2] ?? keyOf('x')),
    Buffer.alloc(16, i + 1),
  ),
);

/** Claims that may be made: the later ones rest on episodes, or supersede earlier ones, also such as they may not. */
const CLAIMS: KnowledgeClaim[] = [];
for (let i = 0; i < 10; i++) {
  const older = i >= 5 ? CLAIMS[i - 5] : undefined;
  const voices = [...agents, ...WILD];
  CLAIMS.push(
    claimBody(
      {
        // The scope of the older one, but once.
        scope: older && i !== 9 ? older.scope : scopeOf(i),
        kind: 'semantic',
        statement: `Statement ${i}.`,
        topics: i % 3 === 0 ? ['money'] : [],
        refs: i % 2 === 0 ? [{ uri: URIS[(i / 2) % 2] ?? '', kind: null }] : [],
        episodes: i % 4 === 1 ? [EPISODES[i % 3]?.id ?? ''] : [],
        supersedes: older ? recordId('claim', older) : null,
      },
      // The author of the older one, but twice.
      by(voices[(i === 7 || i === 8 ? i : i % 5) % voices.length] ?? keyOf('x')),
    ),
  );
}
const IDS = CLAIMS.map((claim) => recordId('claim', claim));
const anyId = fc.constantFrom(...IDS, ...IDS, ...IDS, 'f'.repeat(64));
const anyEpisodes = fc.oneof(
  { weight: 4, arbitrary: fc.constant<string[]>([]) },
  fc.subarray(EPISODES.map(({ id }) => id)),
);

const scene =
  (context: string) =>
  (body: Scene['body']): Scene => ({ context, body });

const anyClaim = fc.constantFrom(...CLAIMS).map(scene('claim'));
const anyEpisode = fc.constantFrom(...EPISODES).map(scene('episode'));
const anyEndorsement = fc
  .tuple(anyId, fc.constantFrom('corroborate', 'contradict'), anyVoice, anyMoment, anyEpisodes)
  .map(([id, verdict, voice, at, episodes]) =>
    endorsementBody(id, { verdict, basis: 'seen', episodes }, by(voice, at)),
  )
  .map(scene('endorsement'));
const anyVerdict = fc
  .tuple(
    anyId,
    fc.constantFrom(1, 1, 1, 2),
    fc.constantFrom('approve', 'approve', 'reject'),
    anyReviewer,
  )
  .map(([id, attempt, verdict, voice]) =>
    verdictBody(promotionId(id, attempt), verdict, 'read', by(voice)),
  )
  .map(scene('verdict'));
/** A claim by its id, and mostly its author, for what only they may do. */
const anyOwn = fc
  .tuple(fc.nat(9), fc.option(anyVoice, { nil: undefined, freq: 3 }), fc.boolean())
  .map(([i, voice, isAnothers]) => ({
    id: IDS[i] ?? '',
    said: {
      author: (isAnothers ? voice?.address : undefined) ?? CLAIMS[i]?.author ?? '',
      now: toInstant(T0),
    },
  }));
const anyRetirement = anyOwn
  .map(({ id, said }) => retirementBody(id, 'wrong', said))
  .map(scene('retirement'));
const anyProposal = fc
  .tuple(anyOwn, fc.constantFrom(2, 2, 3))
  .map(([{ id, said }, attempt]) => proposalBody(id, attempt, said))
  .map(scene('proposal'));
const anyPolicy = fc
  .record({
    scope: fc.constantFrom(...SCOPES),
    mode: fc.constantFrom('review', 'review', 'auto', 'gates'),
    approvals: fc.constantFrom(1, 2),
    topics: fc.constantFrom([], ['money']),
    who: fc.constantFrom(...persons, ...persons, ...agents),
    at: anyMoment,
  })
  .map(({ scope, mode, approvals, topics, who, at }) => {
    const wish = { mode, required_approvals: approvals, protected_topics: topics };
    return policyBody(scope, wish, by(who, at));
  })
  .map(scene('policy'));
const anyChange = fc
  .tuple(fc.constantFrom(...SPACES), fc.constantFrom(...URIS), anyMoment, anyVoice)
  .map(([space, uri, changed_at, voice]) => ({
    spec: SPEC,
    author: voice.address,
    issued_at: toInstant(T0),
    space,
    uri,
    changed_at,
  }))
  .map(scene('artifact-change'));

/** One thing that is said of claims, whether the rules take it or not. */
export const anyKnowledge: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 5, arbitrary: anyClaim },
  { weight: 2, arbitrary: anyEpisode },
  { weight: 4, arbitrary: anyEndorsement },
  { weight: 4, arbitrary: anyVerdict },
  { weight: 1, arbitrary: anyRetirement },
  { weight: 2, arbitrary: anyProposal },
  { weight: 2, arbitrary: anyPolicy },
  { weight: 1, arbitrary: anyChange },
);

/** Histories in which much is taken: rules first, then claims, then what is said of them. */
export const anyDebate: fc.Arbitrary<readonly Scene[]> = fc
  .tuple(
    fc.array(fc.oneof({ weight: 2, arbitrary: anyPolicy }, anyEpisode), { maxLength: 8 }),
    fc.subarray(CLAIMS).map((claims) => claims.map(scene('claim'))),
    fc.array(anyKnowledge, { maxLength: 40, size: 'large' }),
  )
  .map((acts) => acts.flat());
