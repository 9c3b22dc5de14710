import { expect, test } from 'vitest';
import { handoffBody, householdOf, noted } from '../../test/kit/fleet.ts';
import { canonical } from '../base/canonical.ts';
import { type Check, type VerifyAll, verifyHere } from '../base/ed25519.ts';
import { open } from '../record/record.ts';
import { lineOpener } from './opened-lines.ts';

const ann = householdOf('ann');
const note = (name: string) => noted(ann, handoffBody(ann, name));
const other = note('other');

/** Checks here, and keeps what was asked. */
function asked(): { readonly checks: Check[]; readonly verifyAll: VerifyAll } {
  const checks: Check[] = [];
  return {
    checks,
    verifyAll(some) {
      checks.push(...some);
      return verifyHere(some);
    },
  };
}

const LINES: readonly (readonly [what: string, line: string, fault: string | undefined])[] = [
  ['a record', canonical(note('a')), undefined],
  ['no JSON', '{', 'canonical.malformed'],
  ['a record with a space', canonical(note('b')).replace(':', ': '), 'canonical.spelling'],
  ['another value', '{"a":1}', 'record.shape'],
  [
    'a signature that is none',
    canonical({ ...note('c'), signature: 'x' }),
    'record.signature_form',
  ],
  [
    'the signature of another',
    canonical({ ...note('d'), signature: other.signature }),
    'record.signature',
  ],
  ['the record whose signature that is', canonical(other), undefined],
];

test('each line is what it says, or has its fault, whatever stands beside it', async () => {
  const opened = await lineOpener(verifyHere)(LINES.map(([, line]) => line));
  expect(opened).toEqual(
    LINES.map(([, line, fault]) =>
      fault === undefined ? { record: open(JSON.parse(line)) } : { fault },
    ),
  );
});

test('a line that comes again is not checked again, and has the same answer', async () => {
  const { checks, verifyAll } = asked();
  const openLines = lineOpener(verifyAll);
  const lines = LINES.map(([, line]) => line);
  const first = await openLines(lines);
  const before = checks.length;
  const [more] = await openLines([canonical(note('e')), ...lines]);
  expect(more).toEqual({ record: open(note('e')) });
  expect(await openLines(lines.toReversed())).toEqual(first.toReversed());
  expect(checks.length).toBe(before + 1);
});

test('what fails to be checked is no fault of the line, and is checked the next time', async () => {
  let isDown = true;
  const openLines = lineOpener(async (checks) => {
    if (isDown) throw new Error('no thread');
    return verifyHere(checks);
  });
  const line = canonical(note('a'));
  await expect(openLines([line])).rejects.toThrow('no thread');
  isDown = false;
  expect(await openLines([line])).toEqual([{ record: open(note('a')) }]);
});

test('lines beyond those that are kept are opened as any other', async () => {
  const openLines = lineOpener(verifyHere);
  const lines = Array.from({ length: 6_000 }, (_, i) => `{"a":${i}}`);
  const record = canonical(note('a'));
  for (const some of [lines, lines.map((line) => `${line} `), lines]) {
    const opened = await openLines([...some, record]);
    expect(opened).toHaveLength(some.length + 1);
    expect(opened.at(-1)).toEqual({ record: open(note('a')) });
  }
});
