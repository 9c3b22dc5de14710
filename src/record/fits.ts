import type * as z from 'zod';

/*
 * Every record that is admitted, and every one that is followed, is held against its schema; nearly all of them fit, and
 * are not changed by it. To know this takes less than to parse them: a parse copies what it reads, member by member.
 */

/** True only of a JSON value that a schema takes and gives back as it is. False says nothing: the schema itself has to be asked. */
export type Fits = (value: unknown) => boolean;

const unsure: Fits = () => false;

/** Answers as the schema's `safeParse` does. The data of what fits is the value itself, not a copy: its members stand in its own order. */
export function parserOf<T>(schema: z.ZodType<T>): (value: unknown) => z.ZodSafeParseResult<T> {
  // Made when it is first needed: a command that reads no ledger has no use for it.
  let fits: Fits | undefined;
  return (value) => {
    fits ??= fitsOf(schema);
    return fits(value) ? { success: true, data: value as T } : schema.safeParse(value);
  };
}

/** What can be told at once of a schema. Of a kind of schema that is not named here nothing is. */
export function fitsOf(schema: z.core.$ZodType): Fits {
  const base = baseOf(schema as z.core.$ZodTypes);
  const checks = (schema._zod.def.checks ?? []).map(checkOf);
  const [only] = checks;
  if (!only) return base;
  if (checks.length === 1) return (value) => base(value) && only(value);
  return (value) => base(value) && checks.every((check) => check(value));
}

function baseOf({ _zod: { def, values } }: z.core.$ZodTypes): Fits {
  switch (def.type) {
    case 'string':
      return 'format' in def || def.coerce ? unsure : (value) => typeof value === 'string';
    case 'number':
      return 'format' in def && def.format === 'safeint' ? Number.isSafeInteger : unsure;
    case 'boolean':
      return def.coerce ? unsure : (value) => typeof value === 'boolean';
    case 'null':
      return (value) => value === null;
    case 'literal':
    case 'enum':
      return oneOf([...(values ?? [])]);
    case 'optional':
      return orIs(undefined, fitsOf(def.innerType));
    case 'nullable':
      return orIs(null, fitsOf(def.innerType));
    case 'union':
      return either(def.options.map(fitsOf));
    case 'array':
      return list(fitsOf(def.element));
    case 'record':
      // Of other keys than texts a record may ask for every one.
      return def.keyType._zod.def.type === 'string'
        ? record(fitsOf(def.keyType), fitsOf(def.valueType))
        : unsure;
    case 'object':
      return object(def);
    default:
      return unsure;
  }
}

function oneOf(values: readonly unknown[]): Fits {
  const [only] = values;
  return values.length === 1 ? (value) => value === only : (value) => values.includes(value);
}

function orIs(absent: undefined | null, fits: Fits): Fits {
  return (value) => value === absent || fits(value);
}

function either(options: readonly Fits[]): Fits {
  return (value) => options.some((fits) => fits(value));
}

function list(item: Fits): Fits {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // A hole would be passed over by `every`.
    for (const one of value) if (!item(one)) return false;
    return true;
  };
}

/** An object as JSON has it: nothing of it is inherited but what every object has. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** A schema that takes any member leaves out one of this name: then the value is not what it gives back. */
function hasLost(value: object): boolean {
  return Object.hasOwn(value, '__proto__');
}

function record(key: Fits, member: Fits): Fits {
  return (value) =>
    isObject(value) &&
    !hasLost(value) &&
    Object.keys(value).every((name) => key(name) && member(value[name]));
}

function object({ shape, catchall }: z.core.$ZodObjectDef): Fits {
  const kind = catchall?._zod.def.type;
  if (kind !== 'never' && kind !== 'unknown') return unsure;
  const isStrict = kind === 'never';
  const members = Object.entries(shape).map(([name, schema]) => ({ name, fits: fitsOf(schema) }));
  return (value) => {
    if (!isObject(value)) return false;
    let known = 0;
    for (const { name, fits } of members) {
      const member = value[name];
      if (!fits(member)) return false;
      if (member !== undefined) known += 1;
    }
    return isStrict ? known === Object.keys(value).length : !hasLost(value);
  };
}

function checkOf(check: z.core.$ZodCheck): Fits {
  const { def } = (check as z.core.$ZodChecks | z.core.$ZodCustom)._zod;
  switch (def.check) {
    case 'custom':
      return 'fn' in def && !def.when ? (value) => def.fn(value as never) === true : unsure;
    case 'string_format':
      return 'pattern' in def && def.format === 'regex' ? matching(def.pattern) : unsure;
    case 'greater_than':
      return beyond(def);
    case 'min_length':
      return longEnough(def.minimum);
    case 'max_length':
      // A text is measured in code points, of which it has no more than units.
      return (value) => (value as { readonly length: number }).length <= def.maximum;
    default:
      return unsure;
  }
}

function matching(pattern: RegExp | undefined): Fits {
  if (!pattern || pattern.global || pattern.sticky) return unsure;
  return (value) => pattern.test(value as string);
}

function beyond({ value: bound, inclusive }: z.core.$ZodCheckGreaterThanDef): Fits {
  if (typeof bound !== 'number') return unsure;
  return inclusive ? (value) => (value as number) >= bound : (value) => (value as number) > bound;
}

function longEnough(minimum: number): Fits {
  return (value) => {
    if (Array.isArray(value)) return value.length >= minimum;
    // A code point has two units at most.
    return typeof value === 'string' && value.length >= 2 * minimum - 1;
  };
}
