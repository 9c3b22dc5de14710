import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { admissionBody, hashOf, keyOf, repoMapBody, T0, without } from '../../test/kit/fleet.ts';
import { toInstant } from '../base/time.ts';
import {
  AdmissionBody,
  CheckpointBody,
  FleetBody,
  OPEN_AGENT_ROLES,
  OPEN_HOST_ROLES,
  RejectionBody,
  RepoMapBody,
} from './fleet.ts';
import { SPEC } from './record.ts';

const ann = keyOf('ann');
const base = { spec: SPEC, author: ann.address, issued_at: toInstant(T0) } as const;

type Row = readonly [what: string, fields: { readonly [name: string]: unknown }, stands: boolean];

/** One row a change to a good body: which, and whether it may stand. */
function changes(
  schema: z.ZodType,
  good: { readonly [name: string]: unknown },
  rows: readonly Row[],
): void {
  test('the body that the rows change is good', () => {
    expect(schema.safeParse(good).success).toBe(true);
  });
  test.each(Object.keys(good))('%s is not optional where a good body has it', (name) => {
    expect(schema.safeParse(without(good, name)).success).toBe(false);
  });
  test.each<Row>([
    ['a field that nobody knows', { note: 'x' }, false],
    ['another specification', { spec: 'credence/v2' }, false],
    ['an instant without its fraction', { issued_at: '2026-01-05T12:00:00Z' }, false],
    ...rows,
  ])('%s', (_what, fields, stands) => {
    expect(schema.safeParse({ ...good, ...fields }).success).toBe(stands);
  });
}

describe('fleet', () => {
  changes(FleetBody, { ...base, fleet_id: 'fleet', admission: 'open', nonce: '00' }, [
    ['closed', { admission: 'closed' }, true],
    ['ajar', { admission: 'ajar' }, false],
    ['an id of all that is allowed', { fleet_id: 'Az9._-' }, true],
    ['an id of 64 characters', { fleet_id: 'a'.repeat(64) }, true],
    ['an id of 65 characters', { fleet_id: 'a'.repeat(65) }, false],
    ['no id', { fleet_id: '' }, false],
    ['an id with a dot in front', { fleet_id: '.a' }, false],
    ['an id with a slash', { fleet_id: 'a/b' }, false],
    ['an id with a line end', { fleet_id: 'a\n' }, false],
    ['an id beyond ASCII', { fleet_id: 'ä' }, false],
  ]);
});

describe('admission', () => {
  changes(AdmissionBody, admissionBody(ann, ann.address, { roles: ['propose'] }), [
    ['no role', { roles: [] }, true],
    ['every role', { roles: [...OPEN_HOST_ROLES, ...OPEN_AGENT_ROLES, 'review', 'admin'] }, true],
    ['a role that is none', { roles: ['root'] }, false],
    ['a host', { kind: 'host' }, true],
    ['a service', { kind: 'service' }, false],
    ['an address that is none', { address: 'amp:key:1' }, false],
    ['an operator that is no address', { operator: 'ann' }, false],
    ['no principal', { principal: '' }, false],
    ['a principal of 129 characters', { principal: 'p'.repeat(129) }, false],
  ]);
});

describe('repo map', () => {
  changes(RepoMapBody, repoMapBody(ann, '/srv/**', 'github.com/acme/web'), [
    ['for one host', { host: 'h' }, true],
    ['no pattern', { pattern: '' }, false],
    ['a pattern of 1,025 characters', { pattern: 'p'.repeat(1_025) }, false],
    ['no remote', { remote: '' }, false],
    ['a remote of 513 characters', { remote: 'r'.repeat(513) }, false],
  ]);
});

describe('rejection', () => {
  changes(RejectionBody, { ...base, item: 'inbox/a', code: 'record.shape' }, [
    ['of a line', { line: 1 }, true],
    ['of a record', { record: hashOf('r') }, true],
    ['of line 0', { line: 0 }, false],
    ['of half a line', { line: 1.5 }, false],
  ]);
});

describe('checkpoint', () => {
  const good = { fleet_id: 'fleet', n: 1, first_seq: 1, size: 1, root: hashOf('r') };
  changes(CheckpointBody, { ...base, ...good, recorded_at: toInstant(T0) }, [
    ['number 0', { n: 0 }, false],
    ['a fraction', { size: 1.5 }, false],
    ['a root in upper case', { root: hashOf('r').toUpperCase() }, false],
    ['a short root', { root: hashOf('r').slice(1) }, false],
    ['recorded at no instant', { recorded_at: '2026-02-30T00:00:00.000Z' }, false],
  ]);
});

test('an open fleet gives nobody the roles to review or to administer', () => {
  const given = [...OPEN_HOST_ROLES, ...OPEN_AGENT_ROLES];
  expect([...given].sort()).toEqual(['capture', 'commit', 'extract', 'gate', 'propose']);
});
