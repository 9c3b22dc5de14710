import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  admissionBody,
  entriesOf,
  foldOnto,
  foundingOf,
  householdOf,
  keyOf,
  revocationBody,
  T0,
} from '../../test/kit/fleet.ts';
import type { Signer } from '../base/ed25519.ts';
import { toInstant } from '../base/time.ts';
import { admissionView } from '../fold/admission.ts';
import { MapState } from '../fold/map-state.ts';
import type { PrincipalRow } from '../fold/state.ts';
import type { AdmissionBody, Role } from '../record/fleet.ts';
import { type SignedRecord, seal } from '../record/record.ts';
import { admit } from './admit.ts';
import { hostIdOf } from './found.ts';

const ann = householdOf('ann');
const names = ['person 1', 'person 2', 'host 1', 'host 2', 'agent 1', 'agent 2', 'agent 3'];
const keys: readonly Signer[] = [ann.person, ann.host, ...names.map((name) => keyOf(name))];
const [, , one, two, hostOne, hostTwo] = keys as Signer[] & { length: 9 };
const principals: readonly string[] = [
  ...['cc-01', 'cc-02', 'ann-cc', ann.hostId, 'human', 'foreign:x'],
  ...[ann.person, one, two].map((key) => key?.address ?? ''),
  ...[hostOne, hostTwo].map((key) => hostIdOf(key?.address ?? '')),
];
const roleSets: readonly (readonly Role[])[] = [
  [],
  ['propose'],
  ['capture', 'commit'],
  ['review'],
  ['admin', 'review'],
];

/** One thing that somebody says about a key. */
interface Said {
  readonly by: Signer;
  readonly of: Signer;
  readonly admits?: Pick<AdmissionBody, 'principal' | 'kind' | 'operator' | 'roles'>;
}

const anyKey = fc.constantFrom(...keys);
/** Half of what is said would be sensible from the right mouth, so that much is accepted. */
const anySaid: fc.Arbitrary<Said> = fc.oneof(
  fc.record({ by: anyKey, of: anyKey }),
  fc.record({ by: fc.constantFrom(ann.person, one ?? ann.person), of: anyKey }),
  fc.record({
    by: anyKey,
    of: anyKey,
    admits: fc.record({
      principal: fc.constantFrom(...principals),
      kind: fc.constantFrom('person' as const, 'host' as const, 'agent' as const),
      operator: fc.constantFrom(ann.person.address, one?.address ?? '', two?.address ?? ''),
      roles: fc.constantFrom(...roleSets.map((roles) => [...roles])),
    }),
  }),
  fc.constantFrom(one, two).map((person) => joinOf(person ?? ann.person)),
  fc
    .tuple(fc.constantFrom(ann.person, one, two), fc.constantFrom(hostOne, hostTwo))
    .map(([person, host]): Said => {
      const [by, of] = [person ?? ann.person, host ?? ann.host];
      const as = { principal: hostIdOf(of.address), kind: 'host' as const, operator: by.address };
      return { by, of, admits: { ...as, roles: ['capture', 'commit'] } };
    }),
);

function joinOf(person: Signer): Said {
  const { address } = person;
  return {
    by: person,
    of: person,
    admits: { principal: address, kind: 'person', operator: address, roles: [] },
  };
}

function recordOf({ by, of, admits }: Said, at: number): SignedRecord {
  const dated = { issued_at: toInstant(T0 + at) };
  return admits
    ? seal('admission', admissionBody(by, of.address, { ...admits, ...dated }), by)
    : seal('revocation', revocationBody(by, of.address, dated), by);
}

/** What a fleet knows of a key. */
interface Known {
  principal: string;
  kind: string;
  operator: string;
  roles: string;
  admitted: number;
  isRevoked: boolean;
}

/** The rules once more, as one walk over a list; written to be read beside the pages of the formats. */
function walk(kind: 'open' | 'closed', said: readonly Said[], first: number): Map<string, Known> {
  const fleet = new Map<string, Known>();
  const put = (address: string, admits: NonNullable<Said['admits']>, at: number) => {
    const admitted = fleet.get(address)?.admitted ?? at;
    const roles = [...new Set(admits.roles)].sort().join(' ');
    fleet.set(address, { ...admits, roles, admitted, isRevoked: false });
  };
  const operator = ann.person.address;
  const founder = { principal: operator, kind: 'person' as const, operator };
  put(operator, { ...founder, roles: ['admin', 'review'] }, 1);
  const host = { principal: ann.hostId, kind: 'host' as const, operator };
  put(ann.host.address, { ...host, roles: ['capture', 'commit', 'extract', 'gate'] }, 2);
  const agent = { principal: 'ann-cc', kind: 'agent' as const, operator };
  put(keyOf('ann agent cc').address, { ...agent, roles: ['propose'] }, 3);
  said.forEach((one, i) => {
    const by = fleet.get(one.by.address);
    const target = fleet.get(one.of.address);
    if (by?.isRevoked) return;
    const isAdmin = by?.roles.includes('admin') === true;
    if (!one.admits) {
      if (!by || !target || target.isRevoked) return;
      const isSelf = one.by.address === one.of.address;
      const isElder = by.principal === target.principal && by.admitted < target.admitted;
      const answers =
        by.kind === 'person' && target.kind !== 'person' && target.operator === by.principal;
      const standing = [...fleet.values()].filter((key) => !key.isRevoked);
      const admins = standing.filter((key) => key.roles.includes('admin')).length;
      if (target.roles.includes('admin') && admins === 1) return;
      if (isAdmin || isSelf || isElder || answers) target.isRevoked = true;
      return;
    }
    const { principal, kind: as, operator: whose, roles } = one.admits;
    const holders = [...fleet].filter(
      ([address, key]) => address !== one.of.address && key.principal === principal,
    );
    const isWithin = (of: string) => roles.every((role) => of.split(' ').includes(role));
    const isJoin =
      !by && one.by === one.of && as === 'person' && principal === one.of.address && !roles.length;
    const mayAdmit =
      (kind === 'open' && isJoin && whose === one.of.address) ||
      (by &&
        !target &&
        by.principal === principal &&
        by.kind === as &&
        by.operator === whose &&
        isWithin(by.roles)) ||
      (kind === 'open' &&
        by?.kind === 'person' &&
        !target &&
        as === 'host' &&
        whose === by.principal &&
        (principal === hostIdOf(one.of.address) || holders.length > 0) &&
        isWithin('capture commit extract gate')) ||
      (kind === 'open' &&
        by?.kind === 'host' &&
        !target &&
        as === 'agent' &&
        whose === by.operator &&
        isWithin('propose'));
    if (isAdmin ? one.by === one.of : !mayAdmit) return;
    if (principal === 'human' || principal.startsWith('foreign:')) return;
    if (as === 'person' && principal !== whose) return;
    const looksLikeKey = principal.startsWith('amp:key:') && principal !== one.of.address;
    const looksLikeHost =
      /^[0-9a-f]{16}$/.test(principal) && (as !== 'host' || principal !== hostIdOf(one.of.address));
    if (holders.length === 0 && (looksLikeKey || looksLikeHost)) return;
    if (holders.some(([, key]) => key.kind !== as)) return;
    if (holders.length > 0 && !isAdmin && holders.every(([, key]) => key.operator !== whose))
      return;
    put(one.of.address, one.admits, first + i);
  });
  return fleet;
}

const shown = (rows: readonly PrincipalRow[]) =>
  new Map(
    rows.map(({ key, principal, kind, operator, roles, admitted, revoked }) => [
      key,
      { principal, kind, operator, roles, admitted, isRevoked: revoked !== null },
    ]),
  );
const sorted = (fleet: ReadonlyMap<string, unknown>) =>
  [...fleet].sort(([a], [b]) => (a < b ? -1 : 1));
const anyFleet = fc.constantFrom('open' as const, 'closed' as const);
const anyStory = fc.array(anySaid, { maxLength: 40, size: 'max' });

test('whatever is said about keys, a state has what a walk over the list has, however it is cut', () => {
  let [accepted, revoked] = [0, 0];
  fc.assert(
    fc.property(anyFleet, anyStory, fc.array(fc.nat(30)), (kind, said, cuts) => {
      const founding = foundingOf(ann, kind);
      const records = said.map(recordOf);
      const whole = foldOnto(new MapState(), entriesOf([...founding, ...records]));
      const expected = walk(kind, said, founding.length + 1);
      expect(sorted(shown(whole.where('principals')))).toEqual(sorted(expected));
      // As a committer takes them, in batches: each judged by the state and by those before it.
      const state = foldOnto(new MapState(), entriesOf(founding));
      let size = founding.length;
      const ends = [...new Set([...cuts, records.length])].sort((a, b) => a - b);
      let start = 0;
      for (const end of ends.filter((cut) => cut <= records.length)) {
        const view = admissionView(state, size);
        const taken = records.slice(start, end).filter((record) => {
          const ruling = admit(record, view, T0 + 1_000);
          if (ruling.kind === 'accept') view.advance(ruling.record);
          return ruling.kind === 'accept';
        });
        foldOnto(state, entriesOf(taken, size + 1));
        size += taken.length;
        start = end;
      }
      const plain = (fleet: ReadonlyMap<string, Known>) =>
        sorted(fleet).map(([key, known]) => [key, { ...(known as Known), admitted: 0 }]);
      expect(plain(shown(state.where('principals')))).toEqual(plain(expected));
      accepted += size - founding.length;
      revoked += [...expected.values()].filter((key) => key.isRevoked).length;
    }),
    { numRuns: 120 },
  );
  // Where hardly anything is accepted, the property says little.
  expect(Math.min(accepted, revoked)).toBeGreaterThan(40);
}, 120_000);

test('without an admin nobody gets a role beyond the open ones, or a name that another operator has', () => {
  fc.assert(
    fc.property(anyFleet, anyStory, (kind, all) => {
      const said = all.filter(({ by }) => by !== ann.person);
      const records = [...foundingOf(ann, kind), ...said.map(recordOf)];
      const rows = foldOnto(new MapState(), entriesOf(records)).where('principals');
      const operators = new Map<string, Set<string>>();
      for (const { key, principal, operator, roles } of rows) {
        if (key === ann.person.address) continue;
        expect(roles).not.toMatch(/admin|review/);
        operators.set(principal, (operators.get(principal) ?? new Set()).add(operator));
      }
      for (const of of operators.values()) expect(of.size).toBe(1);
    }),
    { numRuns: 120 },
  );
}, 120_000);
