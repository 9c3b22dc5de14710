import { isNamed, isPath } from './facts.ts';
import { type JsonScalar, mapJson } from './json.ts';
import { meaningOf } from './key.ts';
import { familyOf } from './name.ts';
import { isCardNumber } from './number.ts';
import { followKey } from './pem.ts';
import type { DeniedPaths, RedactionPolicy, Withheld } from './policy.ts';
import { secretsFed } from './shell-fed.ts';
import { codeWritesDenied } from './shell-step.ts';
import { contentForDenied } from './shell-write.ts';
import { isPlaceholder, isSpent } from './span.ts';
import { type RedactedParts, redactParts, withholdText } from './text.ts';
import { isSecretValue } from './value.ts';

/** A text and the values that were held back from it. */
export interface Redacted {
  readonly text: string;
  readonly values: readonly Withheld[];
  readonly withheld: boolean;
}

/** As far as a value is looked at to tell whether it is a secret. */
const LOOK_MAX = 1024;

/** The rule of a value that its name makes a secret; undefined where it is none. */
function namedRule({ kind, value, name }: JsonScalar, command: boolean): string | undefined {
  const family = name === undefined ? undefined : familyOf(name);
  if (family === undefined || name === undefined) return undefined;
  const secret =
    kind === 'number'
      ? family === 'password' && value.length >= 4
      : isSecretValue(
          { name, family, value: value.slice(0, LOOK_MAX), form: 'quoted', next: '"' },
          command,
        );
  return secret ? `named-${family === 'pass' ? 'password' : family}` : undefined;
}

/** The rule of a card number that stands alone: there its key is what says that it is none. */
function cardRule({ value, key = '' }: JsonScalar): string | undefined {
  return /^\d{14,16}$/.test(value) && isCardNumber(value, `${key}: `) ? 'card-number' : undefined;
}

interface Json {
  readonly kind: 'prose' | 'output';
  /** All of it belongs to a denied path. */
  readonly deniedPath: boolean;
  /** The same for some of its objects, by their numbers. */
  readonly deniedObjects?: ReadonlySet<number>;
}

/** True for what may stay in a call on a denied path. */
function isKept({ kind, value, key = '' }: JsonScalar, policy: DeniedPaths): boolean {
  const { kind: meaning } = meaningOf(key);
  if (kind === 'key' || meaning === 'command' || meaning === 'note') return true;
  return isPath(key, value) && (meaning !== 'text' || isNamed(value, policy));
}

/** Redacts JSON so that it stays JSON: value by value, each with the key that it stands under. */
export function redactJson(json: string, policy: RedactionPolicy, how: Json): Redacted {
  const values: Withheld[] = [];
  const goesOnWithKey = followKey();
  let withheld = false;
  const text = mapJson(
    json,
    (scalar) => {
      const { kind, value, key = '' } = scalar;
      const { kind: meaning, isPublic } = meaningOf(key);
      const isCommand = how.kind === 'prose' && meaning === 'command';
      const secret =
        kind === 'key' ? undefined : (namedRule(scalar, isCommand) ?? cardRule(scalar));
      if (kind === 'number' && secret === undefined) return undefined;
      const isWriting =
        how.kind === 'prose' && meaning === 'code' && codeWritesDenied(value, [policy.cwd], policy);
      const isBeside = scalar.isMarked && !isPublic;
      const isDenied = isWriting || ((how.deniedPath || isBeside) && !isKept(scalar, policy));
      const isKey = kind === 'string' && goesOnWithKey(value);
      const whole = isDenied ? 'denied-path' : isKey ? 'private-key' : undefined;
      // A number that its key calls an order's is not looked at again without the key.
      if ((whole ?? secret) === undefined && /^\d{14,16}$/.test(value)) return undefined;
      let parts: RedactedParts;
      if (whole === undefined) {
        const textKind = isCommand ? 'command' : isPublic ? 'prose' : how.kind;
        const looked = isCommand ? withoutContent(value, policy, values) : value;
        parts = redactParts(looked, textKind, policy);
        if (secret !== undefined && !isPlaceholder(parts.text))
          parts = withholdText(value, secret, policy);
      } else {
        parts = withholdText(value, whole, policy);
      }
      for (const one of parts.values) values.push(one);
      withheld ||= parts.withheld && (whole !== undefined || secret === undefined);
      return parts.text === value ? undefined : parts.text;
    },
    how.deniedObjects,
  );
  return { text, values, withheld };
}

/** The command without what it writes into denied files, and what it feeds to others as a password. */
export function withoutContent(
  command: string,
  policy: RedactionPolicy,
  values: Withheld[],
): string {
  const held = [
    ...contentForDenied(command, policy).map((place) => ({ ...place, rule: 'denied-path' })),
    ...secretsFed(command).map((place) => ({ ...place, rule: 'argument-password' })),
  ].sort((a, b) => a.start - b.start);
  let text = '';
  let from = 0;
  for (const { start, end, rule } of held) {
    const part = command.slice(start, end);
    if (start < from || isSpent(part)) continue;
    const parts = withholdText(part, rule, policy);
    values.push(...parts.values);
    text += command.slice(from, start) + parts.text + (part.endsWith('\n') ? '\n' : '');
    from = end;
  }
  return text + command.slice(from);
}
