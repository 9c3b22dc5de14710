import { describe, expect, test } from 'vitest';
import {
  digestOf,
  handoffBody,
  hashOf,
  householdOf,
  sessionBody,
  T0,
  without,
} from '../../test/kit/fleet.ts';
import { toInstant } from '../base/time.ts';
import { Digest } from './digest.ts';
import { HandoffBody, SessionBody } from './session.ts';

const ann = householdOf('ann');
const session: { readonly [name: string]: unknown } = sessionBody(ann, 's');
const handoff: { readonly [name: string]: unknown } = handoffBody(ann, 's');
const digest: { readonly [name: string]: unknown } = digestOf();
const part = { key: 'sessions/x', hash: hashOf('x') };
const item = { kind: 'handoff', id: 'h', source: 'brief', observed_by: 'ann-cc' };
type Case = [what: string, fields: { [name: string]: unknown }, stands: boolean];
const long = (length: number) => 'x'.repeat(length);
const many = <T>(count: number, one: T) => Array.from({ length: count }, () => one);

describe('session', () => {
  test.each(Object.keys(session))('without %s', (name) => {
    const optional = ['repo', 'cwd'].includes(name);
    expect(SessionBody.safeParse(without(session, name)).success).toBe(optional);
  });

  test.each<Case>([
    ['nothing changed', {}, true],
    ['imported, and of a parent', { imported: true, parent: 'p' }, true],
    ['what was put before it', { lineage: [item, { ...item, kind: 'digest' }] }, true],
    ['an id of 256 characters', { session: 's'.repeat(256) }, true],
    ['an id of 257 characters', { session: 's'.repeat(257) }, false],
    ['no id', { session: '' }, false],
    ['50,000 parts', { parts: many(50_000, part) }, true],
    ['50,001 parts', { parts: many(50_001, part) }, false],
    ['a part with a key of 1,025 characters', { parts: [{ ...part, key: long(1_025) }] }, false],
    ['50,001 things before it', { lineage: many(50_001, item) }, false],
    ...['id', 'source', 'observed_by'].flatMap((name): Case[] => [
      [`a lineage with a long ${name}`, { lineage: [{ ...item, [name]: long(2_048) }] }, true],
      [`a lineage with a longer ${name}`, { lineage: [{ ...item, [name]: long(2_049) }] }, false],
    ]),
    ...['parent', 'agent', 'runtime', 'host'].flatMap((name): Case[] => [
      [`a long ${name}`, { [name]: long(2_048) }, true],
      [`a longer ${name}`, { [name]: long(2_049) }, false],
    ]),
    ...['repo', 'cwd'].flatMap((name): Case[] => [
      [`a long ${name}`, { [name]: long(65_536) }, true],
      [`a longer ${name}`, { [name]: long(65_537) }, false],
    ]),
    ['no part', { parts: [] }, false],
    ['a part without a hash', { parts: [{ key: 'k' }] }, false],
    ['a part with a short hash', { parts: [{ ...part, hash: 'ff' }] }, false],
    ['a part with more', { parts: [{ ...part, bytes: 1 }] }, false],
    ['revision 0', { revision: 0 }, false],
    ['half a revision', { revision: 1.5 }, false],
    ['not imported, said aloud', { imported: false }, false],
    ['a lineage of unknown kind', { lineage: [{ ...item, kind: 'rumour' }] }, false],
    ['a lineage without a source', { lineage: [without(item, 'source')] }, false],
    ['a window of half an instant', { window: { first: toInstant(T0), last: 'now' } }, false],
    ['a digest that is none', { digest: {} }, false],
    ['a field that nobody knows', { note: 'x' }, false],
    ['no repo, said aloud', { repo: null }, false],
  ])('%s', (_what, fields, stands) => {
    expect(SessionBody.safeParse({ ...session, ...fields }).success).toBe(stands);
  });
});

describe('handoff', () => {
  test.each(Object.keys(handoff))('without %s', (name) => {
    expect(HandoffBody.safeParse(without(handoff, name)).success).toBe(name === 'repo');
  });

  test.each<Case>([
    ['nothing changed', {}, true],
    ['a next step', { next: 'Write the printer.' }, true],
    ['done', { status: 'done' }, true],
    ['blocked', { status: 'blocked' }, true],
    ['given up', { status: 'given up' }, false],
    ['65,536 bytes', { summary: 'a'.repeat(65_536) }, true],
    ['65,537 bytes', { summary: 'a'.repeat(65_537) }, false],
    ['65,538 bytes in fewer characters', { next: 'é'.repeat(32_769) }, false],
    ['an agent of 2,049 characters', { agent: long(2_049) }, false],
    ['a repo of 65,537 bytes', { repo: long(65_537) }, false],
    ['a field that nobody knows', { confidence: 1 }, false],
  ])('%s', (_what, fields, stands) => {
    expect(HandoffBody.safeParse({ ...handoff, ...fields }).success).toBe(stands);
  });
});

describe('digest', () => {
  test.each(Object.keys(digest))('%s is not optional', (name) => {
    expect(Digest.safeParse(without(digest, name)).success).toBe(false);
  });

  const command = { command: 'make', runs: 2, failed: 1, exit: 1 };
  test.each<Case>([
    ['nothing changed', {}, true],
    ['an exit code', { commands: [command] }, true],
    ['an exit code that nobody knows', { tests: [{ ...command, exit: '?' }] }, true],
    ['an exit code in words', { commands: [{ ...command, exit: 'ok' }] }, false],
    ['fewer than no runs', { commands: [{ ...command, runs: -1 }] }, false],
    ['half a token', { tokens: { input: 0.5, output: 0, cache_read: 0, cache_write: 0 } }, false],
    ['friction', { friction: [{ kind: 'repeated_edit', path: 'a', count: 5 }] }, true],
    ['friction of unknown kind', { friction: [{ kind: 'boredom', count: 5 }] }, false],
    [
      'friction with the field of another kind',
      { friction: [{ kind: 'repeated_edit', command: 'a', count: 5 }] },
      false,
    ],
    ['coverage', { coverage: { captured: 3, known: 4 } }, true],
    ['half of a coverage', { coverage: { captured: 3 } }, false],
    ['another version', { version: 2 }, false],
    ['an outcome that is none', { outcome: 'great' }, false],
    ['a field that nobody knows', { mood: 'x' }, false],
  ])('%s', (_what, fields, stands) => {
    expect(Digest.safeParse({ ...digest, ...fields }).success).toBe(stands);
  });
});
