import { CHAR, classAt, runEnd } from './chars.ts';
import type { Scan } from './scan.ts';
import { RANK } from './span.ts';

const CARD = /\d{4}([ -]?)(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{4,5})/y;
const SSN = /\d{3}-\d{2}-\d{4}/y;

// What goes on with one of these is part of a longer number, version, name or path.
const joins = (text: string, at: number) =>
  (classAt(text, at) & CHAR.name) !== 0 &&
  !(text[at] === '.' && (classAt(text, at + 1) & CHAR.name) === 0);

/** Issuer prefixes with their lengths: Visa, Mastercard, American Express, Discover, JCB, Diners Club. */
const ISSUED =
  /^(?:4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11})$/;

/** One number in ten has a valid check digit by chance: what is called a number of something else is one. */
const COUNTED =
  /\b(?:order|invoice|ticket|tracking|serial|build|run|job|id)(?:[ _-]?(?:no\.?|number|num|nr|id))?["']?[ \t]*[:=#]?[ \t]*["']?$/i;

/** The check digit of ISO/IEC 7812, after Luhn. */
function hasCheckDigit(digits: string): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = Number(digits[digits.length - 1 - i]);
    const doubled = digit * 2;
    sum += i % 2 === 0 ? digit : doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** Card numbers and dashed social security numbers; `at` is in a run of at least three digits. */
export function probeNumber(scan: Scan, at: number): void {
  const { text } = scan;
  if (at > 0 && joins(text, at - 1)) return;
  const run = runEnd(text, at, CHAR.digit, at + 20);
  if (run - at === 3) probeSsn(scan, at);
  else if (run - at === 4 || (run - at >= 14 && run - at <= 16)) probeCard(scan, at);
}

function probeSsn(scan: Scan, at: number): void {
  SSN.lastIndex = at;
  const value = SSN.exec(scan.text)?.[0];
  if (value === undefined || joins(scan.text, at + value.length)) return;
  // Never issued: these areas, groups and serials.
  if (/^(?:000|666|9)|-00-|-0000$/.test(value)) return;
  scan.spans.push({ start: at, end: at + value.length, rule: 'ssn', rank: RANK.shaped });
}

/** True among more groups of four: a hex dump or a table of code points, not a card. */
function inTable(text: string, start: number, end: number): boolean {
  return (
    /[\dA-Fa-f]{4}[ -]$/.test(text.slice(Math.max(0, start - 5), start)) ||
    /^(?:[ -][\dA-Fa-f]{4}){2}/.test(text.slice(end, end + 10))
  );
}

function probeCard(scan: Scan, at: number): void {
  const { text } = scan;
  CARD.lastIndex = at;
  const value = CARD.exec(text)?.[0];
  if (value === undefined || joins(text, at + value.length)) return;
  if (inTable(text, at, at + value.length)) return;
  if (!isCardNumber(value, text.slice(Math.max(0, at - 24), at))) return;
  scan.spans.push({ start: at, end: at + value.length, rule: 'card-number', rank: RANK.shaped });
}

/** True for a number that an issuer of cards can have given out; `before` is what stands before it. */
export function isCardNumber(value: string, before: string): boolean {
  const digits = value.replace(/\D/g, '');
  if (!ISSUED.test(digits) || /^(\d)\1+$/.test(digits)) return false;
  return hasCheckDigit(digits) && !COUNTED.test(before);
}
