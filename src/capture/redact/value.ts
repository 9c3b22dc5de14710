import type { Family } from './name.ts';
import { looksRandom } from './shape.ts';
import { hasGenericWord, isReference, namesItself } from './words.ts';

/** How a value is written: in quotes; bare right after `=`; bare after `:` or spaces; after a flag and a space. */
export type Form = 'quoted' | 'tight' | 'loose' | 'flag';

export interface Candidate {
  readonly name: string;
  readonly family: Family;
  readonly value: string;
  readonly form: Form;
  /** The character after a bare value; '' at the end of the text. */
  readonly next: string;
}

const LENGTH_MIN: Readonly<Record<Family, number>> = {
  password: 4,
  pass: 4,
  secret: 6,
  token: 8,
  key: 8,
  basic: 8,
  phrase: 40,
};

const DOTTED = /^[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)+$/;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const WORDS = /^[A-Za-z]+(?:[-_./:][A-Za-z]+)+$/;
/** What tokens and keys are made of; a pattern or a sentence has more. */
const ENCODED = /^[\w.~+/=:@%$!#-]+$/;
const ENVIRONMENT = /^[A-Z][A-Z\d_]*$/;

const hasDigitAndLetter = (value: string) => /\d/.test(value) && /\p{L}/u.test(value);

/** One word of both letters and digits. */
const isPlainCode = (value: string) => /^[^\W_]+$/.test(value) && hasDigitAndLetter(value);

/** True for base64 of `user:password`, as basic authentication and registry files have it. */
export function isUserAndPassword(value: string): boolean {
  if (!/^[A-Za-z\d+/_-]{8,}={0,2}$/.test(value)) return false;
  return /^[\x20-\x7e]*:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}

/** A password of several words; a sentence about passwords has little words in it. */
function isPassphrase(name: string, family: Family, value: string): boolean {
  if (family !== 'password' || hasGenericWord(value)) return false;
  if (ENVIRONMENT.test(name)) return true;
  return /phrase/i.test(name) && /^[a-z]+(?: [a-z]+){3,}$/.test(value);
}

/** A value in quotes: strict where names of this family often hold the name of a secret instead. */
function isQuotedSecret({ family, value, name }: Candidate): boolean {
  if (/\s/.test(value) && family !== 'phrase') return isPassphrase(name, family, value);
  switch (family) {
    case 'password':
      return true;
    case 'pass':
      return hasDigitAndLetter(value);
    case 'secret':
      return !WORDS.test(value);
    case 'token':
      if (!ENCODED.test(value)) return false;
      return looksRandom(value) || isPlainCode(value);
    case 'key':
      if (!ENCODED.test(value) || value.length < 12) return false;
      return (
        (looksRandom(value) && /\d/.test(value)) ||
        /^[\da-f-]{32,}$/i.test(value) ||
        (value.length >= 16 && isPlainCode(value))
      );
    case 'basic':
      return isUserAndPassword(value);
    case 'phrase':
      return /^[a-z]+(?: [a-z]+){11,}$/.test(value);
  }
}

/** `NAME=value` as environment files and commands have it: there a plain word is a value too. */
function isEnvironmentSecret(candidate: Candidate): boolean {
  const { family, value } = candidate;
  if (family === 'key') return isQuotedSecret(candidate) || isPlainCode(value);
  if (family === 'basic') return isQuotedSecret(candidate);
  return family === 'password' || !WORDS.test(value);
}

function isTightSecret(candidate: Candidate): boolean {
  const { name, value, next, family } = candidate;
  if (next === '(' || next === '[') return false;
  if (ENVIRONMENT.test(name)) return isEnvironmentSecret(candidate);
  // Keyword arguments of code: password=pw, token=cfg.token)
  const inCode = /^[A-Za-z_$]+\d?$/.test(value) && next !== '' && ',)]'.includes(next);
  if ((inCode || DOTTED.test(value)) && !(looksRandom(value) && value.length >= 12)) return false;
  return family !== 'pass' && isQuotedSecret(candidate);
}

function isLooseSecret(candidate: Candidate): boolean {
  const { name, value, next, family } = candidate;
  if ('([{'.includes(next) && next !== '') return false;
  if (ENVIRONMENT.test(name) && (next === '' || next === '\n' || next === '\r')) {
    return isEnvironmentSecret(candidate);
  }
  const random = looksRandom(value) && value.length >= 12 && /\d/.test(value);
  if (DOTTED.test(value) && !random) return false;
  if (family === 'token' || family === 'key' || family === 'basic') {
    return random && isQuotedSecret(candidate);
  }
  const isCode = IDENTIFIER.test(value) && (/[a-z\d][A-Z]|_/.test(value) || /[,;)]/.test(next));
  if (isCode || WORDS.test(value)) return random;
  // SECRET: PKCS-12 bag … explains; a value has the line to itself.
  if (family === 'secret' && next === ' ') return random;
  const strange = hasDigitAndLetter(value) || /[^\w./:=?-]/.test(value);
  return (
    value.length >= 6 &&
    family !== 'pass' &&
    (strange || (family === 'password' && /^\d+$/.test(value)))
  );
}

/**
 * Whether the value beside such a name is a secret. Not where it refers to one (`${X}`, `process.env.X`), says
 * what one would be (`string`, `<your-token>`, `required`), or is code: a call, a member, a variable.
 */
export function isSecretValue(candidate: Candidate, command: boolean): boolean {
  const { name, value, form, family } = candidate;
  if (value.length < LENGTH_MIN[family] || isReference(value)) return false;
  if (namesItself(value, name)) return false;
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return false;
  if (/^(?:\.{0,2}|~)\/[\w./-]+$/.test(value) && !looksRandom(value)) return false;
  switch (form) {
    case 'quoted':
      return isQuotedSecret(candidate);
    case 'tight':
      return isTightSecret(candidate);
    case 'loose':
      return isLooseSecret(candidate);
    case 'flag':
      return command ? isQuotedSecret(candidate) : isLooseSecret(candidate);
  }
}
