import { familyOf } from './name.ts';

/** A string or a number of a JSON text, with what stands around it. */
export interface JsonScalar {
  readonly kind: 'key' | 'string' | 'number';
  /** The text that is meant, escapes resolved; of a number its spelling. */
  readonly value: string;
  /** The key that it stands under; of an item, the key of its list. */
  readonly key: string | undefined;
  /** What names it: its key, or the name beside it as in `{"name": "DB_PASSWORD", "value": "…"}`. */
  readonly name: string | undefined;
  /** The number of the object that it stands in, in the order of their brackets. */
  readonly object: number;
  /** It stands in a list. */
  readonly isItem: boolean;
  /** The object, or one around it, is one of those that were marked. */
  readonly isMarked: boolean;
}

interface Level {
  readonly isObject: boolean;
  readonly object: number;
  readonly isMarked: boolean;
  /** The key that an object stands under, and the object around it. */
  readonly under: string | undefined;
  readonly around: number;
  key: string | undefined;
  awaitsKey: boolean;
  /** The value of `name` in this object, where it names a secret. */
  hint: string | undefined;
}

/** No key or name of a field is longer; each value below it is judged by it. */
const NAME_MAX = 256;
const NUMBER = /-?\d[\d.eE+-]*/y;
const NAMING = /^(?:name|key|variable|env|id|field)$/i;

/** True for a text that is a JSON object, list or string. */
export function isJson(text: string): boolean {
  if (!/^\s*[{["]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Cut off, or only looking like JSON: it is handled as plain text.
    return false;
  }
}

/** The offset behind the string literal that starts at `at`. */
function literalEnd(text: string, at: number): number {
  for (let i = at + 1; ; ) {
    const quote = text.indexOf('"', i);
    if (quote < 0) return text.length;
    let escapes = quote;
    while (escapes > i && text[escapes - 1] === '\\') escapes--;
    if ((quote - escapes) % 2 === 0) return quote + 1;
    i = quote + 1;
  }
}

function scalarOf(level: Level | undefined, kind: 'string' | 'number', value: string): JsonScalar {
  const { key, under, isObject = false, object = 0, isMarked = false, around = 0 } = level ?? {};
  const beside = isObject && key !== undefined && /^value$/i.test(key);
  const name = (beside ? level?.hint : undefined) ?? key;
  // An object with a text, as `rg --json` has it, is that text.
  const isText = key === 'text' && under !== undefined;
  return {
    kind,
    value,
    key: isText ? under : key,
    name,
    object: isText ? around : object,
    isItem: !isObject,
    isMarked,
  };
}

function levelIn(
  level: Level | undefined,
  isObject: boolean,
  number: number | undefined,
  marked: ReadonlySet<number> | undefined,
): Level {
  const { key, object: around = 0 } = level ?? {};
  const object = number ?? around;
  const isMarked = level?.isMarked === true || marked?.has(object) === true;
  return {
    isObject,
    object,
    isMarked,
    under: key,
    around,
    key,
    awaitsKey: isObject,
    hint: undefined,
  };
}

/** Remembers a value that names what stands beside it. */
function note(level: Level | undefined, value: string): void {
  const { isObject, key } = level ?? {};
  if (!level || !isObject || key === undefined || value.length > NAME_MAX) return;
  if (NAMING.test(key) && familyOf(value) !== undefined) level.hint = value;
}

/**
 * Passes every string and number of a JSON text to `change` and puts the string that it returns in their place;
 * all other characters stay as they are. `text` must be JSON. Depth costs no stack. What stands in the objects of
 * `marked` is told so.
 */
export function mapJson(
  text: string,
  change: (scalar: JsonScalar) => string | undefined,
  marked?: ReadonlySet<number>,
): string {
  const levels: Level[] = [];
  let objects = 0;
  const parts: string[] = [];
  let from = 0;
  const replace = (start: number, end: number, value: string | undefined) => {
    if (value === undefined) return;
    parts.push(text.slice(from, start), JSON.stringify(value));
    from = end;
  };
  for (let i = 0; i < text.length; i++) {
    const char = text[i] ?? '';
    const level = levels.at(-1);
    if (char === '{' || char === '[') {
      const isObject = char === '{';
      // A list in a list is no different from it.
      const same = level !== undefined && !isObject && !level.isObject;
      levels.push(
        same ? level : levelIn(level, isObject, isObject ? ++objects : undefined, marked),
      );
    } else if (char === '}' || char === ']') {
      levels.pop();
    } else if (char === ',' && level) {
      level.awaitsKey = level.isObject;
    } else if (char === '"') {
      const end = literalEnd(text, i);
      const value = String(JSON.parse(text.slice(i, end)));
      if (level?.awaitsKey) {
        const scalar = scalarOf(level, 'string', value);
        const changed = change({ ...scalar, kind: 'key', key: undefined, name: undefined });
        // Names are read as they stand after redaction, so that redacting again reads the same.
        level.key = (changed ?? value).slice(-NAME_MAX);
        level.awaitsKey = false;
        replace(i, end, changed);
      } else {
        const changed = change(scalarOf(level, 'string', value));
        note(level, changed ?? value);
        replace(i, end, changed);
      }
      i = end - 1;
    } else if (char === '-' || (char >= '0' && char <= '9')) {
      NUMBER.lastIndex = i;
      const value = NUMBER.exec(text)?.[0] ?? char;
      replace(i, i + value.length, change(scalarOf(level, 'number', value)));
      i += value.length - 1;
    }
  }
  return from === 0 ? text : parts.join('') + text.slice(from);
}
