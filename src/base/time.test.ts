import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeShared } from '../../test/kit/shared.ts';
import { dayOf, isInstant, readInstant, toInstant, toMs } from './time.ts';

test('the tests run in a zone that is not UTC', () => {
  expect(new Date(0).getTimezoneOffset()).not.toBe(0);
});

describe('an instant', () => {
  test.each([
    ['2026-01-05T12:00:00.000Z', Date.UTC(2026, 0, 5, 12)],
    ['1970-01-01T00:00:00.000Z', 0],
    ['1969-12-31T23:59:59.999Z', -1],
    ['2024-02-29T23:59:59.999Z', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['2000-02-29T00:00:00.000Z', Date.UTC(2000, 1, 29)],
    ['9999-12-31T23:59:59.999Z', 253_402_300_799_999],
    ['0000-01-01T00:00:00.000Z', -62_167_219_200_000],
  ])('%s', (text, ms) => {
    expect(isInstant(text)).toBe(true);
    expect(toMs(text)).toBe(ms);
    expect(toInstant(ms)).toBe(text);
    expect(dayOf(text)).toBe(text.slice(0, 10));
  });

  test.each([
    ['nothing', ''],
    ['a day', '2026-01-05'],
    ['a time without a zone', '2026-01-05T12:00:00.000'],
    ['no fraction', '2026-01-05T12:00:00Z'],
    ['two fractional digits', '2026-01-05T12:00:00.00Z'],
    ['four fractional digits', '2026-01-05T12:00:00.0000Z'],
    ['an offset of zero', '2026-01-05T12:00:00.000+00:00'],
    ['another offset', '2026-01-05T12:00:00.000+05:45'],
    ['a small z', '2026-01-05T12:00:00.000z'],
    ['a small t', '2026-01-05t12:00:00.000Z'],
    ['a space', '2026-01-05 12:00:00.000Z'],
    ['a comma', '2026-01-05T12:00:00,000Z'],
    ['no leading zeros', '2026-1-5T12:00:00.000Z'],
    ['30 February', '2026-02-30T12:00:00.000Z'],
    ['29 February of a common year', '2026-02-29T12:00:00.000Z'],
    ['29 February of 1900', '1900-02-29T12:00:00.000Z'],
    ['31 April', '2026-04-31T12:00:00.000Z'],
    ['month 0', '2026-00-05T12:00:00.000Z'],
    ['month 13', '2026-13-05T12:00:00.000Z'],
    ['day 0', '2026-01-00T12:00:00.000Z'],
    ['24 o’clock', '2026-01-05T24:00:00.000Z'],
    ['minute 60', '2026-01-05T12:60:00.000Z'],
    ['a leap second', '2026-12-31T23:59:60.000Z'],
    ['a year of five digits', '12026-01-05T12:00:00.000Z'],
    ['a year with a sign', '+002026-01-05T12:00:00.000Z'],
    ['other digits', '２０２６-01-05T12:00:00.000Z'],
    ['white space', ' 2026-01-05T12:00:00.000Z'],
    ['a line end', '2026-01-05T12:00:00.000Z\n'],
  ])('not %s', (_what, text) => {
    expect(isInstant(text)).toBe(false);
    expect(toMs(text)).toBeNaN();
  });

  test('instants sort as their moments do', () => {
    const anyMs = fc.integer({ min: -62_167_219_200_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(anyMs, anyMs, (a, b) => {
        expect(isInstant(toInstant(a))).toBe(true);
        expect(toMs(toInstant(a))).toBe(a);
        expect(toInstant(a) < toInstant(b)).toBe(a < b);
      }),
    );
  });
});

describe('a timestamp of others', () => {
  test.each([
    ['2026-01-05T12:00:00.000Z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05T12:00:00Z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05T12:00Z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05t12:00:00z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05 12:00:00Z', '2026-01-05T12:00:00.000Z'],
    ['2026-01-05T12:00:00.123456+00:00', '2026-01-05T12:00:00.123Z'],
    ['2026-01-05T12:00:00.9999999Z', '2026-01-05T12:00:00.999Z'],
    ['2026-01-05T12:00:00.5Z', '2026-01-05T12:00:00.500Z'],
    ['2026-01-05T00:30:00+05:45', '2026-01-04T18:45:00.000Z'],
    ['2026-01-05T00:30:00+0545', '2026-01-04T18:45:00.000Z'],
    ['2026-01-05T22:00:00-08:00', '2026-01-06T06:00:00.000Z'],
    ['2026-01-01T00:00:00+14:00', '2025-12-31T10:00:00.000Z'],
    ['2024-02-29T23:00:00-02:00', '2024-03-01T01:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, instant) => {
    expect(readInstant(text)).toBe(instant);
  });

  test.each([
    ['a time without a zone', '2026-01-05T12:00:00'],
    ['one with a fraction', '2026-01-05T12:00:00.000'],
    ['a day', '2026-01-05'],
    ['a time of day', '12:00:00Z'],
    ['a zone by name', '2026-01-05T12:00:00 CET'],
    ['local time in words', 'Mon Jan 05 2026 12:00:00'],
    ['a number and a Z', '1 Z'],
    ['what looks like an offset', '2026-0105'],
    ['a day and an offset', '2026-01-05-0700'],
    ['30 February', '2026-02-30T12:00:00Z'],
    ['29 February of a common year', '2026-02-29T12:00:00+05:45'],
    ['month 13', '2026-13-05T12:00:00Z'],
    ['25 o’clock', '2026-01-05T25:00:00Z'],
    ['an offset of four days', '2026-01-05T12:00:00+99:00'],
    ['before 1970', '1969-12-31T23:59:59.999Z'],
    ['before 1970 by its offset', '1970-01-01T00:00:00+05:45'],
    ['after 9999 by its offset', '9999-12-31T23:59:59-05:45'],
    ['a year of six digits', '+012026-01-05T12:00:00Z'],
    ['a letter after the zone', '2026-01-05T12:00:00Zz'],
    ['nothing', ''],
    ['a number', 1_767_614_400_000],
    ['null', null],
    ['nothing at all', undefined],
    ['a date', new Date(0)],
    ['a list', ['2026-01-05T12:00:00Z']],
  ])('not %s', (_what, value) => {
    expect(readInstant(value)).toBeUndefined();
  });

  test('any moment at any offset is the same moment', () => {
    const minute = 60_000;
    fc.assert(
      fc.property(
        fc.integer({ min: 86_400_000, max: 253_402_200_000_000 }),
        fc.integer({ min: -14 * 60, max: 14 * 60 }),
        (ms, offset) => {
          const local = toInstant(ms + offset * minute).slice(0, -1);
          const [hours, minutes] = [Math.abs(offset) / 60, Math.abs(offset) % 60];
          const pad = (n: number) => String(Math.floor(n)).padStart(2, '0');
          const zone = `${offset < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}`;
          expect(readInstant(local + zone)).toBe(toInstant(ms));
          expect(readInstant(local)).toBeUndefined();
        },
      ),
    );
  });

  test('any text is an instant or nothing', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const instant = readInstant(`${text}Z`);
        expect(instant === undefined || isInstant(instant)).toBe(true);
      }),
    );
  });
});

describeShared('timestamps, by vectors of the agent-knowledge format', (shared) => {
  const path = join(shared, 'conformance/agent-knowledge/agent-id-vectors.json');
  const { canonical_timestamp: rows } = JSON.parse(readFileSync(path, 'utf8')) as {
    canonical_timestamp: { input: string; expected: string }[];
  };
  test('there are some', () => expect(rows.length).toBeGreaterThan(0));
  test.each(rows)('$input', ({ input, expected }) => {
    expect(readInstant(input)).toBe(expected);
  });
});
