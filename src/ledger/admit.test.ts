import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  admissionBody,
  digestOf,
  foundingOf,
  handoffBody,
  householdOf,
  idOf,
  keyOf,
  noted,
  repoMapBody,
  revocationBody,
  sealed,
  sessionBody,
  stateOf,
  T0,
} from '../../test/kit/fleet.ts';
import { canonical } from '../base/canonical.ts';
import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { admissionView } from '../fold/admission.ts';
import { MapState } from '../fold/map-state.ts';
import type { Digest } from '../record/digest.ts';
import type { AdmissionBody, RejectionBody, RepoMapBody } from '../record/fleet.ts';
import { OPEN_AGENT_ROLES, OPEN_HOST_ROLES } from '../record/fleet.ts';
import { open, type SignedRecord, SPEC, seal } from '../record/record.ts';
import { admit, type Ruling } from './admit.ts';
import { admissions } from './found.ts';
import type { AdmissionView } from './port.ts';

type Kind = 'open' | 'closed';
const KINDS: readonly Kind[] = ['open', 'closed'];

/** Ann founded; Bob's household was let in by her; nobody has heard of Eve. */
const ann = householdOf('ann');
const bob = householdOf('bob');
const eve = householdOf('eve');
const agentKey = (name: string) => keyOf(`${name} agent cc`);

function admission(by: Signer, address: string, fields: Partial<AdmissionBody>): SignedRecord {
  return seal('admission', admissionBody(by, address, fields), by);
}

function map(by: Signer, fields: Partial<RepoMapBody> = {}): SignedRecord {
  return seal('repo-map', repoMapBody(by, '/srv/**', 'github.com/acme/web', fields), by);
}

const hostOf = (home: typeof ann): Partial<AdmissionBody> => ({
  kind: 'host',
  principal: home.hostId,
  operator: home.person.address,
  roles: [...OPEN_HOST_ROLES],
});
const agentOf = (home: typeof ann, name = 'new'): Partial<AdmissionBody> => ({
  kind: 'agent',
  principal: name,
  operator: home.person.address,
  roles: [...OPEN_AGENT_ROLES],
});

/** Keys that only an admin can have given what they have. */
const scribe = keyOf('a host that may propose');
const clerk = keyOf('a host that may not capture');
const spy = keyOf('an agent that may capture');
const eyes = keyOf('a host that may only capture');

/** Second keys of Bob's host and of Bob; an agent key of Bob's that is revoked, and one of Ann's. */
const second = keyOf('bob host again');
const later = keyOf('bob person again');
const lost = keyOf('bob agent lost');
const gone = keyOf('ann agent gone');
const revocation = (by: Signer, address: string) =>
  seal('revocation', revocationBody(by, address), by);

const standing = [
  admission(ann.person, bob.host.address, hostOf(bob)),
  admission(ann.person, bob.person.address, { kind: 'person' }),
  admission(ann.person, agentKey('bob').address, agentOf(bob, 'bob-cc')),
  admission(bob.host, second.address, hostOf(bob)),
  admission(bob.person, later.address, {
    kind: 'person',
    principal: bob.person.address,
    operator: bob.person.address,
  }),
  admission(ann.person, lost.address, agentOf(bob, 'bob-old')),
  admission(ann.person, gone.address, agentOf(ann, 'ann-old')),
  revocation(bob.person, lost.address),
  revocation(ann.person, gone.address),
  admission(ann.person, scribe.address, { kind: 'host', principal: 'scribe', roles: ['propose'] }),
  admission(ann.person, clerk.address, { kind: 'host', principal: 'clerk', roles: ['commit'] }),
  admission(ann.person, spy.address, { principal: 'spy', roles: ['capture'] }),
  admission(ann.person, eyes.address, { kind: 'host', principal: 'eyes', roles: ['capture'] }),
  sealed(ann, sessionBody(ann, 'twice')),
  sealed(ann, sessionBody(ann, 'twice', { revision: 2 })),
];

function viewOf(kind: Kind): AdmissionView {
  const records = [...foundingOf(ann, kind), ...standing];
  return admissionView(stateOf(records), records.length);
}

/** What a row expects: accepted, waiting for something, or the code of a rejection. */
type Expected = 'accept' | 'wait: admission' | 'wait: date' | 'decided' | (string & {});

function said(ruling: Ruling): Expected {
  if (ruling.kind === 'wait') return `wait: ${ruling.for}`;
  return ruling.kind === 'reject' ? ruling.code : ruling.kind;
}

type Row = readonly [what: string, record: SignedRecord, open: Expected, closed: Expected];

function table(rows: readonly Row[]): void {
  for (const kind of KINDS) {
    test.each(rows)(`${kind}: %s`, (_what, record, inOpen, inClosed) => {
      const ruling = admit(record, viewOf(kind), T0);
      expect(said(ruling)).toBe(kind === 'open' ? inOpen : inClosed);
      expect(ruling.kind === 'accept' ? ruling.record : ruling).toMatchObject({ id: idOf(record) });
    });
  }
}

const both = (expected: Expected) => [expected, expected] as const;
const waits = both('wait: admission');

describe('an admission of itself, on first sight', () => {
  const self = (by: Signer, fields: Partial<AdmissionBody>) => admission(by, by.address, fields);
  const asHost = (fields: Partial<AdmissionBody>) => self(eve.host, { ...hostOf(eve), ...fields });
  table([
    ['a host, which could say that it is anybody’s', asHost({}), ...waits],
    ['a host that answers for itself', asHost({ operator: eve.host.address }), ...waits],
    ['a host that calls itself an agent', asHost({ kind: 'agent', roles: ['propose'] }), ...waits],
    ['a host that calls itself a person', asHost({ kind: 'person' }), ...waits],
    ['a person', self(eve.person, { kind: 'person' }), 'accept', 'wait: admission'],
    ['a person with a role', self(eve.person, { kind: 'person', roles: ['review'] }), ...waits],
    [
      'a person whom another answers for',
      self(eve.person, { kind: 'person', operator: ann.person.address }),
      ...waits,
    ],
    [
      'a person under the name of another',
      self(eve.person, { kind: 'person', principal: ann.person.address }),
      ...waits,
    ],
    ['an agent', self(agentKey('eve'), agentOf(eve)), ...waits],
    ['a host that stands already', self(bob.host, hostOf(bob)), ...both('admission.known')],
    [
      'an admin, who would lose the role',
      self(ann.person, { kind: 'person' }),
      ...both('admission.known'),
    ],
  ]);

  test('an open fleet admits a household as it asks', () => {
    const view = viewOf('open');
    for (const { record } of admissions(eve, toInstant(T0))) {
      const ruling = admit(record, view, T0);
      expect(said(ruling)).toBe('accept');
      if (ruling.kind === 'accept') view.advance(ruling.record);
    }
    expect(view.principal(agentKey('eve').address)).toEqual({
      address: agentKey('eve').address,
      principal: 'eve-cc',
      kind: 'agent',
      operator: eve.person.address,
      roles: ['propose'],
      admitted: expect.any(Number),
    });
  });
});

describe('an admission by another', () => {
  const unknown = keyOf('unknown').address;
  const role = both('admission.role');
  const ofBob = (fields: Partial<AdmissionBody>) =>
    admission(bob.person, eve.host.address, {
      ...{ ...hostOf(bob), principal: eve.hostId },
      ...fields,
    });
  table([
    ['a person admits their host', ofBob({}), 'accept', 'admission.role'],
    ['a person, with fewer roles', ofBob({ roles: ['capture'] }), 'accept', 'admission.role'],
    ['a person, with no role', ofBob({ roles: [] }), 'accept', 'admission.role'],
    ['a person lets a host review', ofBob({ roles: [...OPEN_HOST_ROLES, 'review'] }), ...role],
    ['a person lets a host administer', ofBob({ roles: ['admin'] }), ...role],
    ['a person lets a host propose', ofBob({ roles: ['propose'] }), ...role],
    ['a person admits the host of another', ofBob({ operator: eve.person.address }), ...role],
    [
      'a person gives a host of theirs another key',
      ofBob({ principal: bob.hostId }),
      'accept',
      'admission.role',
    ],
    [
      'a person gives a host the name of another’s',
      ofBob({ principal: ann.hostId }),
      'admission.principal_taken',
      'admission.role',
    ],
    ['a person gives a host a name of its own', ofBob({ principal: 'tower' }), ...role],
    [
      'an admin admits a host',
      admission(ann.person, eve.host.address, hostOf(eve)),
      ...both('accept'),
    ],
    [
      'an admin makes an admin',
      admission(ann.person, unknown, { kind: 'person', roles: ['admin', 'review'] }),
      ...both('accept'),
    ],
    [
      'an admin changes what stands',
      admission(ann.person, bob.host.address, { ...hostOf(bob), roles: [] }),
      ...both('accept'),
    ],
    [
      'a host admits an agent',
      admission(bob.host, unknown, agentOf(bob)),
      'accept',
      'admission.role',
    ],
    [
      'a host admits an agent without a role',
      admission(bob.host, unknown, { ...agentOf(bob), roles: [] }),
      'accept',
      'admission.role',
    ],
    ['a host admits the agent of another', admission(bob.host, unknown, agentOf(ann)), ...role],
    [
      'a host lets an agent review',
      admission(bob.host, unknown, { ...agentOf(bob), roles: ['propose', 'review'] }),
      ...role,
    ],
    [
      'a host gives itself another key',
      admission(bob.host, unknown, hostOf(bob)),
      ...both('accept'),
    ],
    [
      'a host admits another host',
      admission(bob.host, unknown, { ...hostOf(bob), principal: 'feedfeedfeedfeed' }),
      ...role,
    ],
    [
      'a host admits a person',
      admission(bob.host, unknown, { kind: 'person', operator: bob.person.address }),
      ...role,
    ],
    [
      'a host admits an agent again',
      admission(bob.host, agentKey('bob').address, agentOf(bob)),
      ...both('admission.known'),
    ],
    [
      'a host takes a role from its admin',
      admission(ann.host, ann.person.address, { ...agentOf(ann), roles: [] }),
      ...both('admission.known'),
    ],
    [
      'a person without a role admits an agent',
      admission(bob.person, unknown, agentOf(bob)),
      ...role,
    ],
    ['an agent admits an agent', admission(agentKey('bob'), unknown, agentOf(bob)), ...role],
    ['somebody unknown admits an agent', admission(eve.host, unknown, agentOf(eve)), ...waits],
    [
      'somebody unknown admits an admin',
      admission(eve.person, unknown, { roles: ['admin'] }),
      ...waits,
    ],
  ]);
});

describe('a name', () => {
  const key = keyOf('another').address;
  const taken = both('admission.principal_taken');
  const reserved = both('admission.principal_reserved');
  const byAdmin = (fields: Partial<AdmissionBody>) =>
    admission(ann.person, key, { ...agentOf(bob), ...fields });
  const byHost = (principal: string) => admission(bob.host, key, agentOf(bob, principal));
  const refused = (code: string) => [code, 'admission.role'] as const;
  table([
    ['of another operator’s agent', byHost('ann-cc'), ...refused('admission.principal_taken')],
    [
      'of another operator’s agent, by an admin',
      byAdmin({ principal: 'ann-cc' }),
      ...both('accept'),
    ],
    ['of one’s own agent, for a second key', byHost('bob-cc'), 'accept', 'admission.role'],
    ['of one’s own agent whose key is revoked', byHost('bob-old'), 'accept', 'admission.role'],
    [
      'of another’s agent whose key is revoked',
      byHost('ann-old'),
      ...refused('admission.principal_taken'),
    ],
    ['of a host, for an agent', byHost(ann.hostId), ...refused('admission.principal_taken')],
    ['of a host, for an agent, by an admin', byAdmin({ principal: ann.hostId }), ...taken],
    [
      'of an agent, for a host, by an admin',
      byAdmin({ kind: 'host', principal: 'ann-cc' }),
      ...taken,
    ],
    [
      'of a person, for an agent',
      byHost(ann.person.address),
      ...refused('admission.principal_taken'),
    ],
    [
      'like a host’s that is still to come',
      byHost(eve.hostId),
      ...refused('admission.principal_reserved'),
    ],
    [
      'like a host’s that is still to come, by an admin',
      byAdmin({ principal: eve.hostId }),
      ...reserved,
    ],
    [
      'like a key that is still to come',
      byHost(eve.person.address),
      ...refused('admission.principal_reserved'),
    ],
    [
      'like a key that is still to come, by an admin',
      byAdmin({ principal: eve.person.address }),
      ...reserved,
    ],
    ['like a key, and none', byAdmin({ principal: 'amp:key:x' }), ...reserved],
    ['of another fleet', byHost('foreign:cc'), ...refused('admission.principal_reserved')],
    ['of another fleet, by an admin', byAdmin({ principal: 'Foreign:cc' }), ...reserved],
    ['of nobody’s sessions', byHost('unconfigured'), ...refused('admission.principal_reserved')],
    ['of people', byAdmin({ principal: 'human' }), ...reserved],
    [
      'for a person, who goes by their key',
      byAdmin({ kind: 'person', principal: 'ann', operator: key }),
      ...both('admission.person'),
    ],
    [
      'of a person whom another answers for',
      byAdmin({ kind: 'person', principal: key }),
      ...both('admission.person'),
    ],
    [
      'of a person, for their second key, by an admin',
      byAdmin({ kind: 'person', principal: bob.person.address, operator: bob.person.address }),
      ...both('accept'),
    ],
  ]);
});

describe('a revocation', () => {
  const of = (address: string, by: Signer, fields = {}) =>
    seal('revocation', revocationBody(by, address, fields), by);
  const role = both('revocation.role');
  table([
    [
      'of an agent’s key by itself',
      of(agentKey('bob').address, agentKey('bob')),
      ...both('accept'),
    ],
    [
      'of an agent’s key by its operator',
      of(agentKey('bob').address, bob.person),
      ...both('accept'),
    ],
    ['of an agent’s key by an admin', of(agentKey('bob').address, ann.person), ...both('accept')],
    ['of an agent’s key by its host', of(agentKey('bob').address, bob.host), ...role],
    ['of an agent’s key by another person', of(agentKey('ann').address, bob.person), ...role],
    ['of a host’s key by its operator', of(bob.host.address, bob.person), ...both('accept')],
    ['of a host’s key by an older one of it', of(second.address, bob.host), ...both('accept')],
    ['of a host’s key by a newer one of it', of(bob.host.address, second), ...role],
    ['of a person’s key by themself', of(bob.person.address, bob.person), ...both('accept')],
    ['of a person’s key by a newer one', of(bob.person.address, later), ...role],
    ['of an admin’s key by a person', of(ann.person.address, bob.person), ...role],
    [
      'of the last admin by itself',
      of(ann.person.address, ann.person),
      ...both('revocation.last_admin'),
    ],
    [
      'of a key that nobody admitted',
      of(eve.host.address, ann.person),
      ...both('revocation.unknown'),
    ],
    ['of a key that is revoked', of(lost.address, ann.person), ...both('revocation.known')],
    ['of itself, by a key that is revoked', of(lost.address, lost), ...both('record.revoked')],
    ['by somebody unknown', of(bob.host.address, eve.person), ...waits],
    [
      'with a reason of 65,537 bytes',
      of(bob.host.address, ann.person, { reason: 'a'.repeat(65_537) }),
      ...both('record.text_size'),
    ],
    ['of what is no address', of('bob', ann.person), ...both('record.body')],
  ]);
});

describe('a key that is revoked', () => {
  const revoked = both('record.revoked');
  const again = { ...agentOf(bob, 'bob-old'), issued_at: toInstant(T0 + 1) };
  const back = admission(ann.person, lost.address, again);
  const note = (fields = {}) =>
    seal(
      'handoff',
      handoffBody(bob, 's', { author: lost.address, agent: 'bob-old', ...fields }),
      lost,
    );
  table([
    ['leaves no handoff', note(), ...revoked],
    [
      'leaves none either that it dates before',
      note({ issued_at: toInstant(T0 - 9e9) }),
      ...revoked,
    ],
    ['admits no other', admission(lost, keyOf('x').address, agentOf(bob, 'bob-old')), ...revoked],
    ['does not come back by itself', admission(lost, lost.address, agentOf(bob)), ...revoked],
    [
      'does not come back by its host',
      admission(bob.host, lost.address, agentOf(bob, 'bob-old')),
      ...both('admission.revoked'),
    ],
    ['comes back by an admin', back, ...both('accept')],
  ]);

  test('speaks again once an admin has admitted it', () => {
    const view = viewOf('closed');
    const ruling = admit(back, view, T0);
    if (ruling.kind === 'accept') view.advance(ruling.record);
    expect(said(admit(note(), view, T0))).toBe('accept');
  });
});

/** A digest of so many bytes of canonical JSON. */
function digestOfSize(bytes: number): Digest {
  const rest = Buffer.byteLength(canonical(digestOf({ asked: '' })));
  return digestOf({ asked: 'a'.repeat(bytes - rest) });
}

describe('a session', () => {
  const by = (signer: Signer, fields = {}) =>
    seal('session', sessionBody(bob, 's', { author: signer.address, ...fields }), signer);
  table([
    ['by its host', sealed(bob, sessionBody(bob, 's')), ...both('accept')],
    [
      'of an agent of any name',
      sealed(bob, sessionBody(bob, 's', { agent: 'x' })),
      ...both('accept'),
    ],
    [
      'of another operator’s agent',
      sealed(bob, sessionBody(bob, 's', { agent: 'ann-cc' })),
      ...both('session.agent'),
    ],
    [
      'of another operator’s agent, which the session stands under',
      sealed(bob, sessionBody(bob, 'twice', { agent: 'ann-cc', revision: 3 })),
      ...both('accept'),
    ],
    [
      'of an agent that is a host',
      sealed(bob, sessionBody(bob, 's', { agent: bob.hostId })),
      ...both('session.agent'),
    ],
    ['by another host that may commit', by(ann.host), ...both('accept')],
    [
      'by another host that may not commit',
      by(eyes, { host: ann.hostId }),
      ...both('session.host'),
    ],
    [
      'for a host that has gone, of its operator’s agent',
      by(bob.host, { host: ann.hostId, agent: 'ann-cc' }),
      ...both('accept'),
    ],
    [
      'for a host that has gone, of one’s own agent',
      by(bob.host, { host: ann.hostId }),
      ...both('session.agent'),
    ],
    [
      'for a host that nobody admitted',
      by(bob.host, { host: 'feedfeedfeedfeed' }),
      ...both('session.agent'),
    ],
    ['by an agent', by(agentKey('bob')), ...both('session.role')],
    ['by an admin', by(ann.person), ...both('session.role')],
    ['by a host that may not capture', by(clerk, { host: 'clerk' }), ...both('session.role')],
    ['by an agent that may capture', by(spy, { host: 'spy' }), ...both('session.host')],
    ['by somebody unknown', sealed(eve, sessionBody(eve, 's')), ...waits],
    [
      'with a digest of 8,192 bytes',
      sealed(bob, sessionBody(bob, 's', { digest: digestOfSize(8_192) })),
      ...both('accept'),
    ],
    [
      'with a digest of one byte more',
      sealed(bob, sessionBody(bob, 's', { digest: digestOfSize(8_193) })),
      ...both('session.digest_size'),
    ],
    [
      'with a digest of megabytes, by somebody unknown',
      sealed(eve, sessionBody(eve, 's', { digest: digestOfSize(2_000_000) })),
      ...waits,
    ],
    [
      'its third revision',
      sealed(ann, sessionBody(ann, 'twice', { revision: 3 })),
      ...both('accept'),
    ],
    [
      'its third revision, by another host',
      sealed(bob, sessionBody(bob, 'twice', { revision: 3 })),
      ...both('accept'),
    ],
    [
      'another second one',
      sealed(bob, sessionBody(bob, 'twice', { revision: 2 })),
      ...both('session.revision_taken'),
    ],
    [
      'another first one',
      sealed(bob, sessionBody(bob, 'twice')),
      ...both('session.revision_taken'),
    ],
    [
      'a fourth before the third',
      sealed(ann, sessionBody(ann, 'twice', { revision: 4 })),
      ...both('accept'),
    ],
    [
      'a second before the first',
      sealed(bob, sessionBody(bob, 's', { revision: 2 })),
      ...both('accept'),
    ],
  ]);
});

describe('a handoff', () => {
  const by = (signer: Signer, fields = {}) =>
    seal('handoff', handoffBody(bob, 's', { author: signer.address, ...fields }), signer);
  table([
    ['by its agent', noted(bob, handoffBody(bob, 's')), ...both('accept')],
    ['of a session that nobody sealed', noted(bob, handoffBody(bob, 'none')), ...both('accept')],
    ['in the name of another agent', by(agentKey('ann')), ...both('handoff.agent')],
    ['by a host', by(bob.host), ...both('handoff.role')],
    ['by a person', by(bob.person), ...both('handoff.role')],
    ['by an admin', by(ann.person), ...both('handoff.role')],
    ['by a host that may propose', by(scribe, { agent: 'scribe' }), ...both('handoff.agent')],
    ['by an agent that may only capture', by(spy, { agent: 'spy' }), ...both('handoff.role')],
    ['by somebody unknown', noted(eve, handoffBody(eve, 's')), ...waits],
  ]);
});

describe('a repo map', () => {
  const role = both('repo_map.role');
  table([
    ['by an admin', map(ann.person), ...both('accept')],
    ['by an admin, for another host', map(ann.person, { host: bob.hostId }), ...both('accept')],
    ['by a host, for itself', map(bob.host, { host: bob.hostId }), ...both('accept')],
    ['by a host, for another', map(bob.host, { host: ann.hostId }), 'accept', 'repo_map.role'],
    ['by a host, for all', map(bob.host), 'accept', 'repo_map.role'],
    ['by a host that may not capture', map(clerk, { host: 'clerk' }), ...role],
    ['by an agent', map(agentKey('bob')), ...role],
    ['by an agent that may capture', map(spy, { host: 'spy' }), ...role],
    ['by a person without a role', map(bob.person), ...role],
    ['by somebody unknown', map(eve.host, { host: eve.hostId }), ...waits],
  ]);
});

describe('what has no place in the inbox', () => {
  const body = { spec: SPEC, author: ann.person.address, issued_at: toInstant(T0) };
  const context = both('record.context');
  const contexts = 'fleet checkpoint rejection bundle sealed-secret forecast constructor'.split(
    ' ',
  );
  table([
    ...contexts.map((name): Row => [name, seal(name, body, ann.person), ...context]),
    ['a fleet by a stranger', foundingOf(eve, 'open')[0] ?? map(ann.host), ...context],
  ]);

  const bodies =
    'admission revocation session handoff repo-map episode proposal policy artifact-change trust decision settlement finding score extraction memory'.split(
      ' ',
    );
  test.each(bodies)('a %s whose body is none', (name) => {
    const record = seal(name, body, ann.person);
    const expected = { kind: 'reject', code: 'record.body', id: idOf(record) };
    expect(admit(record, viewOf('open'), T0)).toEqual(expected);
    const stranger = seal(name, { ...body, author: eve.person.address }, eve.person);
    expect(said(admit(stranger, viewOf('open'), T0))).toBe('record.body');
  });

  const longest = 'é'.repeat(32_768);
  table([
    [
      'a text of 65,536 bytes',
      noted(bob, handoffBody(bob, 's', { summary: longest })),
      ...both('accept'),
    ],
    [
      'a text of a byte more',
      noted(bob, handoffBody(bob, 's', { summary: `${longest}x` })),
      ...both('record.text_size'),
    ],
    [
      'a body under another specification',
      noted(bob, { ...handoffBody(bob, 's'), spec: 'fg-agent-knowledge/v1' as never }),
      ...both('record.spec'),
    ],
  ]);

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'record.shape'],
    ['a text', 'text', 'record.shape'],
    ['a number', 7, 'record.shape'],
    ['a record without a signature', { ...map(bob.host), signature: '' }, 'record.signature_form'],
    ['a record of another context', { ...map(bob.host), context: 'session' }, 'record.signature'],
    ['a fraction', { ...map(bob.host), body: { ...body, n: 0.5 } }, 'canonical.number'],
    [
      'a long specification',
      { ...map(bob.host), body: { ...body, spec: 's'.repeat(70_000) } },
      'record.spec',
    ],
  ])('%s: rejected without an id, since anybody can have sent it', (_what, received, code) => {
    expect(admit(received, viewOf('open'), T0)).toEqual({ kind: 'reject', code });
  });
});

describe('dates', () => {
  const dated = (ms: number): Readonly<Record<string, SignedRecord>> => {
    const at = { issued_at: toInstant(ms) };
    return {
      admission: admission(ann.person, keyOf('unknown').address, at),
      session: sealed(bob, sessionBody(bob, 's', at)),
      handoff: noted(bob, handoffBody(bob, 's', at)),
      'repo-map': map(ann.person, at),
    };
  };
  const hour = 3_600_000;
  const rows: readonly [string, number, Expected][] = [
    ['ten years ago', -10 * 365 * 24 * hour, 'accept'],
    ['now', 0, 'accept'],
    ['300 s ahead', 300_000, 'accept'],
    ['300.001 s ahead', 300_001, 'wait: date'],
    ['24 h ahead', 24 * hour, 'wait: date'],
    ['24 h and a millisecond ahead', 24 * hour + 1, 'record.future'],
    ['a thousand years ahead', 1_000 * 365 * 24 * hour, 'record.future'],
  ];
  for (const context of Object.keys(dated(T0))) {
    test.each(rows)(`${context}, %s`, (_what, ahead, expected) => {
      const record = dated(T0 + ahead)[context];
      expect(said(admit(record, viewOf('open'), T0))).toBe(expected);
      if (expected === 'wait: date')
        expect(said(admit(record, viewOf('open'), T0 + ahead))).toBe('accept');
    });
  }

  test('somebody unknown waits for the date first, and a date too far ahead is nobody’s', () => {
    const by = (ahead: number) =>
      sealed(eve, sessionBody(eve, 's', { issued_at: toInstant(T0 + ahead) }));
    expect(said(admit(by(300_001), viewOf('open'), T0))).toBe('wait: date');
    expect(said(admit(by(25 * hour), viewOf('open'), T0))).toBe('record.future');
  });
});

describe('what is decided', () => {
  test('is not decided again, accepted or rejected', () => {
    const [fresh, other] = [sealed(bob, sessionBody(bob, 's')), sealed(bob, sessionBody(bob, 't'))];
    const body: RejectionBody = {
      spec: SPEC,
      author: ann.host.address,
      issued_at: toInstant(T0),
      item: 'inbox/x',
      record: idOf(other),
      code: 'session.host',
    };
    const rejection = seal('rejection', body, ann.host);
    const records = [...foundingOf(ann), ...standing, fresh, rejection];
    const view = admissionView(stateOf(records), records.length);
    for (const record of [fresh, other])
      expect(admit(record, view, T0)).toEqual({ kind: 'decided', id: idOf(record) });
  });

  test('within a batch too: each record is judged by those before it', () => {
    const view = viewOf('open');
    const batch = [
      ...admissions(eve, toInstant(T0)).map(({ record }) => record),
      sealed(eve, sessionBody(eve, 's')),
      sealed(eve, sessionBody(eve, 's', { revision: 2 })),
      sealed(bob, sessionBody(bob, 's', { revision: 2 })),
      noted(eve, handoffBody(eve, 's')),
      noted(eve, handoffBody(eve, 's')),
    ];
    const rulings = batch.map((record) => {
      const ruling = admit(record, view, T0);
      if (ruling.kind === 'accept') view.advance(ruling.record);
      return said(ruling);
    });
    expect(rulings).toEqual([
      ...Array.from({ length: 5 }, () => 'accept'),
      'session.revision_taken',
      'accept',
      'decided',
    ]);
  });

  test('without a fleet nobody is known, and nobody admits himself', () => {
    const view = admissionView(new MapState(), 0);
    const [host] = admissions(eve, toInstant(T0));
    expect(said(admit(host?.record, view, T0))).toBe('wait: admission');
    expect(said(admit(sealed(eve, sessionBody(eve, 's')), view, T0))).toBe('wait: admission');
  });
});

test('whatever is received, there is a ruling', () => {
  const view = viewOf('open');
  const contexts = [
    'admission',
    'session',
    'handoff',
    'repo-map',
    'claim',
    'toString',
    '__proto__',
  ];
  const anyBody = fc.dictionary(
    fc.constantFrom(
      ...Object.keys(sessionBody(ann, 's')),
      'roles',
      'address',
      'pattern',
      '__proto__',
    ),
    fc.oneof(fc.jsonValue(), fc.constantFrom(SPEC, ann.host.address, toInstant(T0))),
  );
  const anyReceived = fc.oneof(
    fc.anything({ withBigInt: true, withNullPrototype: true }),
    fc.record({
      context: fc.constantFrom(...contexts),
      body: anyBody,
      signature: fc.oneof(fc.string(), fc.constant(map(ann.host).signature)),
    }),
    fc.tuple(fc.constantFrom(...contexts.slice(0, 5)), anyBody).map(([context, body]) => {
      try {
        const full = { ...body, spec: SPEC, author: ann.host.address, issued_at: toInstant(T0) };
        return seal(context, full, ann.host);
      } catch (error) {
        return error;
      }
    }),
  );
  fc.assert(
    fc.property(anyReceived, (received) => {
      const ruling = admit(received, view, T0);
      expect(['accept', 'reject', 'wait', 'decided']).toContain(ruling.kind);
      if (ruling.kind === 'accept') expect(open(ruling.record.signed).id).toBe(ruling.record.id);
    }),
    { numRuns: 400 },
  );
});
