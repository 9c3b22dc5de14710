import { describe, expect, test } from 'vitest';
import {
  admissionBody,
  digestOf,
  entriesOf,
  entryOf,
  fleetState,
  foldOnto,
  foundingOf,
  handoffBody,
  hashOf,
  homelessBody,
  householdOf,
  idOf,
  keyOf,
  noted,
  repoMapBody,
  sealed,
  sessionBody,
  stateOf,
  T0,
  without,
} from '../../test/kit/fleet.ts';
import { canonical } from '../base/canonical.ts';
import { CredenceError } from '../base/errors.ts';
import { toInstant } from '../base/time.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import type { RejectionBody, RepoMapBody } from '../record/fleet.ts';
import { type SignedRecord, SPEC, seal } from '../record/record.ts';
import type { LineageItem, SessionBody } from '../record/session.ts';
import { MapState } from './map-state.ts';
import { COLUMNS, type Reader, type TableName } from './state.ts';
import { step } from './step.ts';

const ann = householdOf('ann');
const bob = householdOf('bob');
const worked = digestOf({ worked: true, tool_calls: 3 });

const session = (id: string, fields: Partial<SessionBody> = {}, home = ann) =>
  sealed(home, sessionBody(home, id, fields));
const homeless = (id: string, cwd: string, fields: Partial<SessionBody> = {}, home = ann) =>
  sealed(home, homelessBody(home, id, cwd, fields));
const note = (of: string, fields = {}, home = ann) => noted(home, handoffBody(home, of, fields));
const noteWithoutRepo = (of: string) => noted(ann, without(handoffBody(ann, of), 'repo'));
const map = (pattern: string, remote: string, fields: Partial<RepoMapBody> = {}) =>
  seal('repo-map', repoMapBody(ann.host, pattern, remote, fields), ann.host);

function offer(record: SignedRecord, fields: Partial<LineageItem> = {}): LineageItem {
  return { kind: 'handoff', id: idOf(record), source: 'brief', observed_by: 'ann-cc', ...fields };
}

/** How many rows each table has, without those that have none. */
function countsOf(state: Reader): Partial<Record<TableName, number>> {
  const tables = Object.keys(COLUMNS) as TableName[];
  // Those of the fleet that the tests begin with stand at 0.
  const own = (table: TableName) => state.where(table).filter(({ at }) => at > 0);
  const counts = tables.map((table) => [table, own(table).length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

describe('the fleet and who is in it', () => {
  test('a founding', () => {
    const state = stateOf(foundingOf(ann, 'closed'));
    expect(countsOf(state)).toEqual({ fleet: 1, principals: 3, decided: 3 });
    expect(state.get('fleet', 'fleet')).toEqual({
      key: 'fleet',
      at: 1,
      fleet_id: 'fleet',
      admission: 'closed',
      record: idOf(foundingOf(ann, 'closed')[0] ?? note('none')),
    });
    expect(state.get('principals', ann.host.address)).toEqual({
      key: ann.host.address,
      at: 2,
      principal: ann.hostId,
      kind: 'host',
      operator: ann.person.address,
      roles: 'capture commit extract gate',
      admitted: 2,
      since: toInstant(T0),
      revoked: null,
    });
  });

  test('a fleet that is not entry 1 changes nothing, and is counted', () => {
    const [other] = foundingOf(bob, 'closed');
    const state = stateOf([...foundingOf(ann), ...(other ? [other] : [])]);
    expect(state.get('fleet', 'fleet')).toMatchObject({ at: 1, admission: 'open' });
    expect(state.where('unusable')).toEqual([
      { key: '4', at: 4, context: 'fleet', code: 'fleet.not_first' },
    ]);
  });

  test('roles are sorted, said once, and those of the latest admission count', () => {
    const admit = (roles: ('gate' | 'capture' | 'admin')[]) =>
      seal('admission', admissionBody(ann.person, bob.host.address, { roles }), ann.person);
    expect(
      stateOf([admit(['gate', 'capture', 'gate', 'admin'])]).get('principals', bob.host.address),
    ).toMatchObject({ roles: 'admin capture gate', at: 1 });
    const state = stateOf([admit(['gate', 'capture']), admit([])]);
    expect(state.get('principals', bob.host.address)).toMatchObject({ roles: '', at: 2 });
  });

  test('a rejection decides on a record, or on a line', () => {
    const reject = (fields: Partial<RejectionBody>) => {
      const body: RejectionBody = {
        spec: SPEC,
        author: ann.host.address,
        issued_at: toInstant(T0),
        item: 'inbox/x',
        code: 'record.shape',
        ...fields,
      };
      return seal('rejection', body, ann.host);
    };
    const state = stateOf([reject({ record: hashOf('r') }), reject({ line: 3 })]);
    const row = { context: 'rejection', code: 'record.shape' };
    expect(state.get('decided', hashOf('r'))).toEqual({ key: hashOf('r'), at: 1, ...row });
    expect(state.get('decided', 'inbox/x#3')).toEqual({ key: 'inbox/x#3', at: 2, ...row });
    expect(state.get('decided', idOf(reject({ line: 3 })))).toMatchObject({ code: null });
  });
});

describe('sessions', () => {
  test('a sealed revision, and what was put before it', () => {
    const lineage = [offer(note('x')), offer(note('x'), { kind: 'digest', id: 'old' })];
    const record = session('s', { parent: 'p', imported: true, lineage });
    const state = stateOf([record]);
    expect(state.get('sessions', 's')).toEqual({
      key: 's',
      at: 1,
      record: idOf(record),
      revision: 1,
      parent: 'p',
      agent: 'ann-cc',
      runtime: 'claude-code',
      host: ann.hostId,
      captured_repo: 'github.com/acme/web',
      repo: 'github.com/acme/web',
      cwd: '/home/me/web',
      first_at: toInstant(T0 - 60_000),
      last_at: toInstant(T0),
      parts: JSON.stringify(sessionBody(ann, 's').parts),
      digest: canonical(digestOf()),
      imported: 1,
    });
    expect(state.where('lineage', 'session', 's')).toEqual([
      {
        key: 's\ndigest\nold',
        at: 1,
        session: 's',
        kind: 'digest',
        id: 'old',
        source: 'brief',
        observed_by: 'ann-cc',
      },
      { ...offer(note('x')), key: `s\nhandoff\n${idOf(note('x'))}`, at: 1, session: 's' },
    ]);
  });

  test('a later revision takes the place of an earlier one; what was put before either stays', () => {
    const state = stateOf([
      session('s', { lineage: [offer(note('x'))] }),
      session('t'),
      session('s', { revision: 2, agent: 'another', repo: 'github.com/acme/api' }),
    ]);
    expect(state.get('sessions', 's')).toMatchObject({
      at: 3,
      revision: 2,
      agent: 'another',
      repo: 'github.com/acme/api',
      imported: 0,
      parent: null,
    });
    expect(state.where('sessions').map(({ key, at }) => [key, at])).toEqual([
      ['s', 3],
      ['t', 2],
    ]);
    expect(state.where('lineage')).toMatchObject([{ session: 's', at: 1 }]);
  });
});

describe('handoffs are offered, and taken by work', () => {
  const handoff = note('writer');
  const other = note('writer', { summary: 'Another one.' });
  const lineage = [offer(handoff)];

  test('a note', () => {
    expect(stateOf([note('writer', { next: 'Write the printer.' })]).where('handoffs')).toEqual([
      {
        key: idOf(note('writer', { next: 'Write the printer.' })),
        at: 1,
        session: 'writer',
        agent: 'ann-cc',
        runtime: 'claude-code',
        host: ann.hostId,
        captured_repo: 'github.com/acme/web',
        repo: 'github.com/acme/web',
        status: 'partial',
        summary: 'The parser is done, the printer is not.',
        next: 'Write the printer.',
        issued_at: toInstant(T0),
        taken_by: null,
      },
    ]);
  });

  test.each<[string, SignedRecord[], string | null]>([
    ['by nobody', [], null],
    ['not by a session that did not have it', [session('a', { digest: worked })], null],
    ['not by a session without work', [session('a', { lineage })], null],
    ['by a session with work', [session('a', { lineage, digest: worked })], 'a'],
    ['by one of another household', [session('a', { lineage, digest: worked }, bob)], 'a'],
    [
      'by the first of two',
      [session('b', { lineage, digest: worked }), session('a', { lineage, digest: worked })],
      'b',
    ],
    [
      'by the second, where the first did no work',
      [session('b', { lineage }), session('a', { lineage, digest: worked })],
      'a',
    ],
    [
      'by a session whose later revision shows the work',
      [session('a', { lineage }), session('a', { lineage, digest: worked, revision: 2 })],
      'a',
    ],
    [
      'by the first, whose later revision shows none',
      [
        session('a', { lineage, digest: worked }),
        session('a', { lineage, revision: 2 }),
        session('b', { lineage, digest: worked }),
      ],
      'a',
    ],
    [
      'not by a session of another repo, which only listed it',
      [session('a', { lineage, digest: worked, repo: 'github.com/acme/api' })],
      null,
    ],
    [
      'by one whose repo is not known',
      [homeless('a', '/srv/web', { lineage, digest: worked })],
      'a',
    ],
    ['not by the session that wrote it', [session('writer', { lineage, digest: worked })], null],
    [
      'not where only its name was put before the session as something else',
      [session('a', { lineage: [offer(handoff, { kind: 'digest' })], digest: worked })],
      null,
    ],
    [
      'not by a session that had another',
      [other, session('a', { lineage: [offer(other)], digest: worked })],
      null,
    ],
  ])('%s', (_what, records, takenBy) => {
    const state = stateOf([handoff, ...records]);
    expect(state.get('handoffs', idOf(handoff))?.taken_by).toBe(takenBy);
    expect(state.where('unusable')).toEqual([]);
  });

  test('one session takes all that it had', () => {
    const both = [offer(handoff), offer(other), offer(note('never written'))];
    const state = stateOf([handoff, other, session('a', { lineage: both, digest: worked })]);
    expect(state.where('handoffs').map((row) => row.taken_by)).toEqual(['a', 'a']);
    expect(state.where('lineage')).toHaveLength(3);
  });

  test('a handoff that is taken keeps all else, and says where it changed', () => {
    const state = stateOf([handoff, session('a', { lineage, digest: worked })]);
    const before = stateOf([handoff]).get('handoffs', idOf(handoff));
    expect(state.get('handoffs', idOf(handoff))).toEqual({ ...before, taken_by: 'a', at: 2 });
  });
});

describe('repo maps give sessions without a repo a home', () => {
  const reposOf = (records: readonly SignedRecord[]) =>
    Object.fromEntries(
      stateOf(records)
        .where('sessions')
        .map(({ key, repo }) => [key, repo]),
    );

  test.each<[string, SignedRecord[], Record<string, string | null>]>([
    ['none', [homeless('s', '/srv/web')], { s: null }],
    ['an earlier one', [map('/srv/web', 'web'), homeless('s', '/srv/web')], { s: 'web' }],
    ['a later one', [homeless('s', '/srv/web'), map('/srv/web', 'web')], { s: 'web' }],
    ['what lies below', [homeless('s', '/srv/web/src'), map('/srv/web', 'web')], { s: 'web' }],
    ['stars', [homeless('s', '/srv/a/web'), map('/srv/*/web', 'web')], { s: 'web' }],
    ['another folder', [homeless('s', '/srv/web'), map('/srv/api', 'api')], { s: null }],
    [
      'only those that have none',
      [session('s', { cwd: '/srv/web' }), homeless('t', '/srv/web'), map('/srv/web', 'web')],
      { s: 'github.com/acme/web', t: 'web' },
    ],
    [
      'not one without a folder',
      [sealed(ann, without(sessionBody(ann, 's'), 'repo', 'cwd')), map('**', 'web')],
      { s: null },
    ],
    [
      'of one host',
      [
        homeless('s', '/srv/web'),
        homeless('t', '/srv/web', {}, bob),
        map('/srv/web', 'web', { host: bob.hostId }),
        homeless('u', '/srv/web'),
        homeless('v', '/srv/web', {}, bob),
      ],
      { s: null, t: 'web', u: null, v: 'web' },
    ],
    [
      'the newest of all that fit, for earlier sessions and later ones',
      [
        homeless('s', '/srv/web'),
        map('/srv/web', 'old'),
        map('/srv/**', 'new'),
        homeless('t', '/srv/web'),
        map('/srv/api', 'api'),
        homeless('u', '/srv/web'),
      ],
      { s: 'new', t: 'new', u: 'new' },
    ],
    [
      'the newest that fits, not the newest',
      [map('/srv/web', 'web'), map('/srv/api', 'api'), homeless('s', '/srv/web')],
      { s: 'web' },
    ],
    [
      'the newest by position, whatever its date',
      [
        map('/srv/web', 'new', { issued_at: toInstant(T0 + 1_000) }),
        map('/srv/web', 'old', { issued_at: toInstant(T0 - 1_000) }),
        homeless('s', '/srv/web'),
      ],
      { s: 'old' },
    ],
    [
      'one of a host, newer than one of all',
      [
        map('/srv/web', 'all'),
        map('/srv/web', 'own', { host: ann.hostId }),
        homeless('s', '/srv/web'),
        homeless('t', '/srv/web', {}, bob),
      ],
      { s: 'own', t: 'all' },
    ],
    [
      'and one of all, newer than one of a host',
      [
        map('/srv/web', 'own', { host: ann.hostId }),
        homeless('s', '/srv/web'),
        map('/srv/web', 'all'),
      ],
      { s: 'all' },
    ],
    [
      'until a revision was captured in a repo',
      [
        map('/srv/web', 'web'),
        homeless('s', '/srv/web'),
        session('s', { revision: 2 }),
        map('/**', 'x'),
      ],
      { s: 'github.com/acme/web' },
    ],
    [
      'again, for a revision in another folder',
      [map('/srv/web', 'web'), homeless('s', '/srv/web'), homeless('s', '/tmp', { revision: 2 })],
      { s: null },
    ],
  ])('%s', (_what, records, expected) => {
    expect(reposOf(records)).toEqual(expected);
  });

  test('a session that a map moves keeps all else, and says where it changed', () => {
    const before = stateOf([homeless('s', '/srv/web')]).get('sessions', 's');
    const state = stateOf([homeless('s', '/srv/web'), homeless('t', '/x'), map('/srv/web', 'web')]);
    expect(state.get('sessions', 's')).toEqual({ ...before, repo: 'web', at: 3 });
    expect(state.get('sessions', 't')).toMatchObject({ at: 2 });
    expect(state.where('repo_maps')).toEqual([
      { key: idOf(map('/srv/web', 'web')), at: 3, pattern: '/srv/web', remote: 'web', host: null },
    ]);
  });

  const lost = noteWithoutRepo('s');
  test.each<[string, SignedRecord[], string | null]>([
    ['a session that nobody sealed', [lost], null],
    ['a session that has no repo', [lost, homeless('s', '/srv/web')], null],
    ['a session with a repo, sealed later', [lost, session('s')], 'github.com/acme/web'],
    ['a session with a repo, sealed before', [session('s'), lost], 'github.com/acme/web'],
    ['a session that a map moves', [homeless('s', '/srv/web'), lost, map('/srv/**', 'web')], 'web'],
    ['a session that a map moved', [map('/srv/**', 'web'), homeless('s', '/srv/web'), lost], 'web'],
    [
      'a session that maps move twice',
      [lost, homeless('s', '/srv/web'), map('/srv/**', 'old'), map('/srv/**', 'new')],
      'new',
    ],
    [
      'a session whose revision was captured elsewhere',
      [session('s'), lost, session('s', { revision: 2, repo: 'moved' })],
      'moved',
    ],
  ])('a handoff without a repo goes where its session goes: %s', (_what, records, repo) => {
    const state = stateOf(records);
    expect(state.get('handoffs', idOf(lost))).toMatchObject({ captured_repo: null, repo });
  });

  test('one with a repo stays', () => {
    const state = stateOf([note('s'), homeless('s', '/srv/web'), map('/srv/**', 'web')]);
    expect(state.where('handoffs')).toMatchObject([{ repo: 'github.com/acme/web', at: 1 }]);
  });

  test('one that is taken stays taken when it moves', () => {
    const taker = session('a', { lineage: [offer(lost)], digest: worked });
    const state = stateOf([lost, homeless('s', '/srv/web'), taker, map('/srv/**', 'web')]);
    expect(state.where('handoffs')).toMatchObject([{ taken_by: 'a', repo: 'web', at: 4 }]);
  });
});

describe('what cannot be used is kept, counted and named', () => {
  const body = { spec: SPEC, author: ann.host.address };

  test.each(['forecast', 'future-thing', 'constructor', 'hasown', 'to-string'])(
    'an entry of the unknown context %s',
    (context) => {
      const record = seal(context, body, ann.host);
      const state = stateOf([record]);
      expect(countsOf(state)).toEqual({ decided: 1, unusable: 1 });
      expect(state.get('decided', idOf(record))).toMatchObject({ context, code: null });
      expect(state.get('unusable', '1')).toEqual({
        key: '1',
        at: 1,
        context,
        code: 'fold.unknown_context',
      });
    },
  );

  test.each(['fleet', 'admission', 'rejection', 'session', 'handoff', 'repo-map'])(
    'an entry of context %s whose body is none',
    (context) => {
      const good = stateOf([session('s'), note('s')]);
      const record = seal(context, body, ann.host);
      const state = foldOnto(good, entriesOf([record], 3));
      const contents = context === 'handoff' ? 2 : 1;
      const counts = { decided: 3, sessions: 1, handoffs: 1, unusable: 1, contents };
      expect(countsOf(state)).toEqual(counts);
      expect(state.get('unusable', '3')).toMatchObject({ context, code: 'record.body' });
    },
  );

  const eve = keyOf('eve');
  const takesOver = seal(
    'admission',
    admissionBody(bob.host, eve.address, { roles: ['admin'] }),
    bob.host,
  );
  const ahead = toInstant(T0 + 300_001);
  test.each<[string, OpenedEntry[], string]>([
    ['by which a host makes somebody an admin', entriesOf([takesOver]), 'admission.role'],
    ['that stands twice', entriesOf([note('s'), note('s')]), 'record.repeated'],
    [
      'by a key that nobody admitted',
      entriesOf([seal('repo-map', repoMapBody(keyOf('nobody'), '/w', 'r'), keyOf('nobody'))]),
      'record.admission',
    ],
    [
      'dated more than 300 s ahead of its commit',
      entriesOf([note('s', { issued_at: ahead })]).map((entry) => ({
        ...entry,
        recordedAt: toInstant(T0),
      })),
      'record.future',
    ],
  ])('an entry %s, whoever committed it', (_what, entries, code) => {
    const state = foldOnto(fleetState(), entries);
    expect(state.where('unusable').map((row) => row.code)).toEqual([code]);
    expect(state.get('principals', eve.address)?.roles ?? '').not.toContain('admin');
    expect(state.where('handoffs').length).toBeLessThanOrEqual(1);
  });

  test('an entry whose signature is wrong is not decided: its record may come yet', () => {
    const state = new MapState();
    state.apply(step(state, { seq: 7, context: 'session', fault: 'record.signature' }));
    expect(countsOf(state)).toEqual({ unusable: 1 });
    expect(state.get('unusable', '7')).toEqual({
      key: '7',
      at: 7,
      context: 'session',
      code: 'record.signature',
    });
  });

  test('a reader that fails is not taken for a bad entry', () => {
    const failing: Reader = {
      get: () => {
        throw new CredenceError('unavailable', 'sqlite.sqlite_ioerr', 'the disk is gone');
      },
      where: () => {
        throw new CredenceError('unavailable', 'sqlite.sqlite_ioerr', 'the disk is gone');
      },
    };
    const lineage = [offer(note('x'))];
    const records = [session('s', { lineage, digest: worked }), note('s'), map('/srv', 'web')];
    for (const entry of entriesOf(records)) {
      expect(() => step(failing, entry)).toThrow('the disk is gone');
    }
  });
});

test('a step changes nothing by itself, and gives the same changes each time', () => {
  const records = [homeless('s', '/srv/web'), noteWithoutRepo('s')];
  const state = stateOf(records);
  const before = countsOf(state);
  const [entry] = entriesOf([map('/srv/**', 'web')], 3);
  if (!entry) throw new Error('one record is one entry');
  const changes = step(state, entry);
  expect(step(state, entry)).toEqual(changes);
  expect(countsOf(state)).toEqual(before);
  expect(changes.map(({ table }) => table)).toEqual([
    'decided',
    'repo_maps',
    'sessions',
    'handoffs',
  ]);
});

test('an entry that nobody signed folds as one that somebody did', () => {
  const body = sessionBody(ann, 's');
  const signed = entriesOf([sealed(ann, body)]);
  const state = foldOnto(new MapState(), [entryOf(1, 'session', body)]);
  expect(state.where('sessions')).toEqual(foldOnto(new MapState(), signed).where('sessions'));
});
