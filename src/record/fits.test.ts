import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { claimBody, positionBody } from '../../test/kit/claims.ts';
import {
  admissionBody,
  digestOf,
  handoffBody,
  hashOf,
  householdOf,
  keyOf,
  noted,
  repoMapBody,
  sessionBody,
  T0,
} from '../../test/kit/fleet.ts';
import { toInstant } from '../base/time.ts';
import { objectOf } from '../base/unknown.ts';
import { Entry } from '../ledger/entry.ts';
import type { Proposition } from '../verbs/knowledge-bodies.ts';
import * as knowledge from '../verbs/knowledge-bodies.ts';
import { ClaimBody, EndorsementBody } from './claim.ts';
import { Digest } from './digest.ts';
import { fitsOf, parserOf } from './fits.ts';
import { AdmissionBody, RepoMapBody } from './fleet.ts';
import { KnowledgeClaim, KnowledgeEndorsement } from './knowledge.ts';
import { SignedRecord } from './record.ts';
import { HandoffBody, SessionBody } from './session.ts';

const ann = householdOf('ann');
const said = { author: keyOf('ann').address, now: toInstant(T0) };
const record = noted(ann, handoffBody(ann, 's'));
const lineage = [{ kind: 'handoff', id: 'h', source: 'brief', observed_by: 'ann-cc' }] as const;
const fact = { subject: 'x', predicate: 'is', value: 3, cardinality: 'one' } as const;
const proposition = {
  scope: { space: 'fleet', segment: 'repo:x' },
  kind: 'semantic',
  statement: 'The queue waits.',
  topics: ['queue', 'time'],
  refs: [{ uri: 'file:a', kind: null }],
} satisfies Proposition;
const friction = [{ kind: 'repeated_edit', path: 'a', count: 3 }] as const;

/** A value that each schema takes. */
const TAKEN: readonly (readonly [what: string, schema: z.ZodType, value: unknown])[] = [
  ['a session', SessionBody, { ...sessionBody(ann, 's'), lineage }],
  ['a digest', Digest, digestOf({ omitted: { files: 3 }, friction: [...friction] })],
  ['a handoff', HandoffBody, handoffBody(ann, 's')],
  ['a claim', ClaimBody, claimBody(ann, 'The queue waits.', { fact, subject: ['queue'] })],
  ['an endorsement', EndorsementBody, positionBody(ann, hashOf('claim'))],
  ['a claim of agent-knowledge', KnowledgeClaim, knowledge.claimBody(proposition, said)],
  [
    'an endorsement of agent-knowledge',
    KnowledgeEndorsement,
    knowledge.endorsementBody(hashOf('claim'), { verdict: 'corroborate', basis: 'met' }, said),
  ],
  [
    'an admission',
    AdmissionBody,
    admissionBody(ann.host, keyOf('x').address, { roles: ['propose'] }),
  ],
  ['a repo map', RepoMapBody, repoMapBody(ann.host, '/home/**', 'github.com/acme/web')],
  ['a record', SignedRecord, record],
  ['an entry', Entry, { seq: 1, salt: '0'.repeat(32), record }],
  ['a stub', Entry, { seq: 1, commitment: hashOf('leaf') }],
];

const anyMember = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom('', 'x', 'A', hashOf('x'), toInstant(T0), '2026-02-30T00:00:00.000Z', '\ud800'),
  fc.constantFrom(-1, 0, 0.5, 2 ** 53, null, undefined, [], {}),
  fc.string({ unit: 'binary', minLength: 1_000, maxLength: 2_100, size: 'max' }),
);
const anyName = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'spec', 'x'), fc.string());

/** One member put elsewhere in a value, or taken away; which it is, `turns` says, step by step. */
function changed(value: unknown, turns: readonly number[], name: string, member: unknown): unknown {
  const [turn = 0, ...rest] = turns;
  const keys = Object.keys(objectOf(value));
  if (Array.isArray(value)) {
    const i = turn % (value.length + 1);
    const here = rest.length === 0 ? member : changed(value[i], rest, name, member);
    return [...value.slice(0, i), ...(here === undefined ? [] : [here]), ...value.slice(i + 1)];
  }
  if (typeof value !== 'object' || value === null) return member;
  const key = keys[turn % (keys.length + 1)] ?? name;
  const here = rest.length === 0 ? member : changed(objectOf(value)[key], rest, name, member);
  const members = Object.entries(value).filter(([own]) => own !== key);
  if (here !== undefined) members.push([key, here]);
  return Object.fromEntries(members);
}

describe.each(TAKEN)('%s', (_what, schema, value) => {
  const fits = fitsOf(schema);

  test('fits, so that it need not be parsed', () => {
    expect(fits(value)).toBe(true);
    expect(parserOf(schema)(value).data).toBe(value);
  });

  test('that was changed fits only where the schema takes it, and gives the same back', () => {
    const turns = fc.array(fc.nat(40), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(turns, anyName, anyMember, (path, name, member) => {
        const other = changed(value, path, name, member);
        const { success, data } = schema.safeParse(other);
        if (fits(other)) expect({ success, data }).toEqual({ success: true, data: other });
        expect(parserOf(schema)(other).success).toBe(success);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each<[string, z.ZodType, unknown]>([
  ['a default', z.strictObject({ a: z.string().default('x') }), {}],
  ['a coercion', z.coerce.string(), 'x'],
  ['a transformation', z.string().transform((text) => text.length), 'x'],
  ['a text that is changed', z.string().trim(), ' x'],
  ['a format', z.iso.date(), '2026-01-01'],
  ['a fraction', z.number(), 0.5],
  ['members left out', z.object({}), { a: 1 }],
  ['a member that is left out', z.looseObject({}), JSON.parse('{"__proto__":1}')],
  ['a record of given keys', z.record(z.enum(['a']), z.string()), { a: 'x' }],
  ['a hole', z.array(z.int()), new Array(1)],
  ['a class', z.strictObject({}), new (class {})()],
  ['a pattern with a memory', z.string().regex(/x/g), 'x'],
  ['a promise', z.string().refine(async () => false), 'x'],
])('of %s nothing is told', (_what, schema, value) => {
  expect(fitsOf(schema)(value)).toBe(false);
});
