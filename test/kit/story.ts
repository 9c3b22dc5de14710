import fc from 'fast-check';
import { toInstant } from '../../src/base/time.ts';
import { recordId, type SignedRecord, SPEC, seal } from '../../src/record/record.ts';
import type { LineageItem } from '../../src/record/session.ts';
import {
  admissionBody,
  digestOf,
  handoffBody,
  homelessBody,
  householdOf,
  keyOf,
  repoMapBody,
  sessionBody,
  T0,
  without,
} from './fleet.ts';
import { anyBelief } from './story-belief.ts';
import { anyKnowledge, WILD } from './story-knowledge.ts';

/** One thing that happens in a fleet, before it has a position: a context and a body. */
export interface Scene {
  readonly context: string;
  readonly body: { readonly spec: string; readonly author: string };
}

const homes = [householdOf('ann'), householdOf('bob')] as const;
const anyHome = fc.constantFrom(...homes);
/** Ids whose order by UTF-16 unit is not that by code point, and ids that hold what SQL reads as wildcards. */
const anySession = fc.constantFrom('s1', 's2', 's_', 's%', '\u{1f98a}', '\uffff', 'zz');
const anyFolder = fc.constantFrom('/srv/web', '/srv/web/src', '/srv/api', '/tmp');
const anyPattern = fc.constantFrom('/srv/*', '/srv/**', '/srv/web', '/tmp', '/srv/w?b', '**/src');
const anyRemote = fc.constantFrom('github.com/acme/web', 'github.com/acme/api', 'gitlab.com/x/y');
const anyText = fc.constantFrom(
  'The parser is done.',
  'parseHTTPRequest in src/fold/step.ts fails',
  '解析器は完成しました',
  '搜索引擎 search引擎',
  '검색 기능',
);

/** A note that may have been written: offers name them by their number. */
const NOTES = [0, 1, 2, 3].map((i) =>
  handoffBody(homes[i % 2 ? 1 : 0], `s${(i % 2) + 1}`, { summary: `Note ${i}.` }),
);

const anyOffer: fc.Arbitrary<LineageItem> = fc
  .record({ note: fc.nat(3), kind: fc.constantFrom('handoff', 'handoff', 'digest', 'claim') })
  .map(({ note, kind }) => ({
    kind: kind as LineageItem['kind'],
    id: recordId('handoff', NOTES[note] ?? { spec: SPEC }),
    source: 'brief',
    observed_by: 'ann-cc',
  }));

const anySealed: fc.Arbitrary<Scene> = fc
  .record({
    home: anyHome,
    session: anySession,
    folder: anyFolder,
    repo: fc.option(anyRemote, { nil: undefined }),
    worked: fc.boolean(),
    asked: fc.option(anyText, { nil: undefined }),
    lineage: fc.array(anyOffer, { maxLength: 3 }),
    revision: fc.integer({ min: 1, max: 3 }),
    at: fc.nat(5),
  })
  .map(({ home, session, folder, repo, worked, asked, lineage, revision, at }) => ({
    context: 'session',
    body: {
      ...(repo === undefined
        ? homelessBody(home, session, folder)
        : sessionBody(home, session, { repo, cwd: folder })),
      revision,
      lineage,
      window: { first: toInstant(T0), last: toInstant(T0 + at * 1_000) },
      digest: digestOf({ worked, ...(asked === undefined ? {} : { asked }) }),
    },
  }));

const anyNote: fc.Arbitrary<Scene> = fc.oneof(
  fc.nat(3).map((i) => ({ context: 'handoff', body: NOTES[i] ?? { spec: SPEC, author: '' } })),
  fc
    .record({ home: anyHome, session: anySession, summary: anyText, homeless: fc.boolean() })
    .map(({ home, session, summary, homeless }) => {
      const body = handoffBody(home, session, { summary });
      return { context: 'handoff', body: homeless ? without(body, 'repo') : body };
    }),
);

const anyMap: fc.Arbitrary<Scene> = fc
  .record({
    home: anyHome,
    pattern: anyPattern,
    remote: anyRemote,
    host: fc.option(
      anyHome.map(({ hostId }) => hostId),
      { nil: undefined },
    ),
  })
  .map(({ home, pattern, remote, host }) => ({
    context: 'repo-map',
    body: repoMapBody(home.host, pattern, remote, host === undefined ? {} : { host }),
  }));

const anyAdmission: fc.Arbitrary<Scene> = fc
  .record({
    who: fc.constantFrom('x', 'y'),
    roles: fc.subarray(['capture', 'propose', 'review'] as const),
  })
  .map(({ who, roles }) => ({
    context: 'admission',
    body: admissionBody(homes[0].person, keyOf(who).address, { roles }),
  }));

const anyOdd: fc.Arbitrary<Scene> = fc
  .record({
    context: fc.constantFrom(
      'claim',
      'later',
      'session',
      'handoff',
      'repo-map',
      'rejection',
      'fleet',
    ),
    more: fc.dictionary(fc.constantFrom('item', 'record', 'code', 'x'), fc.constantFrom('a', 'b')),
    at: fc.nat(3),
  })
  .map(({ context, more, at }) => ({
    context,
    body: { spec: SPEC, author: homes[0].host.address, issued_at: toInstant(T0 + at), ...more },
  }));

/** One thing of any kind. */
export const anyScene: fc.Arbitrary<Scene> = fc.oneof(
  { weight: 5, arbitrary: anySealed },
  { weight: 3, arbitrary: anyNote },
  { weight: 3, arbitrary: anyMap },
  { weight: 1, arbitrary: anyAdmission },
  { weight: 1, arbitrary: anyOdd },
  { weight: 8, arbitrary: anyKnowledge },
  { weight: 3, arbitrary: anyBelief },
);

/** Whatever can stand in a ledger, in any order, also what admission would not let through: folds are total. */
export const anyStory: fc.Arbitrary<readonly Scene[]> = fc.array(anyScene, { maxLength: 40 });

/** The same with no record twice, as ledgers are. */
export const anyStoryOnce: fc.Arbitrary<readonly Scene[]> = anyStory.map((scenes) => {
  const seen = new Set<string>();
  return scenes.filter(({ context, body }) => {
    const id = recordId(context, body);
    return seen.has(id) ? false : seen.add(id);
  });
});

const signers = new Map(
  homes
    .flatMap((home) => [home.host, home.person, ...home.agents.map(({ signer }) => signer)])
    .concat(WILD)
    .map((signer) => [signer.address, signer]),
);

/** The scenes as records, each signed by its author. */
export function signed(scenes: readonly Scene[]): SignedRecord[] {
  return scenes.map(({ context, body }) => {
    const signer = signers.get(body.author);
    if (!signer) throw new Error('the author of a scene has a key');
    return seal(context, body, signer);
  });
}

/** What of a row is a position, in any table. */
export const POSITIONS: ReadonlySet<string> = new Set([
  'at',
  'seq',
  'retired',
  'promoted_at',
  'decided_at',
  'admitted',
  'revoked',
  'quarantined',
]);

/** Sizes of batches that a story is cut into; what they leave over is one more batch. */
export const anyCuts: fc.Arbitrary<readonly number[]> = fc.array(fc.integer({ min: 1, max: 9 }), {
  maxLength: 6,
});

/** Cuts a list into batches of the given sizes, and one of the rest. */
export function cutInto<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  const batches: T[][] = [];
  let at = 0;
  for (const size of [...sizes, list.length]) {
    if (at < list.length) batches.push(list.slice(at, at + size));
    at += size;
  }
  return batches;
}
