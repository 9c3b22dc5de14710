/** A JSON Schema as it was parsed. */
type Schema = Readonly<Record<string, unknown>>;

/** Finds a schema by its file's name, for `$ref`. */
export type Schemas = ReadonlyMap<string, Schema>;

type Check = (wanted: never, value: never, at: Place) => readonly string[];

interface Place {
  readonly path: string;
  readonly schema: Schema;
  readonly file: string;
  readonly schemas: Schemas;
}

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Each check holds only for values of its own kind, as the specification has it. */
const objects = (check: Check): Check =>
  ((wanted: never, value: unknown, at: Place) =>
    isObject(value) ? check(wanted, value as never, at) : []) as Check;
const lists = (check: Check): Check =>
  ((wanted: never, value: unknown, at: Place) =>
    Array.isArray(value) ? check(wanted, value as never, at) : []) as Check;
const texts = (check: Check): Check =>
  ((wanted: never, value: unknown, at: Place) =>
    typeof value === 'string' ? check(wanted, value as never, at) : []) as Check;
const numbers = (check: Check): Check =>
  ((wanted: never, value: unknown, at: Place) =>
    typeof value === 'number' ? check(wanted, value as never, at) : []) as Check;
const note: Check = () => [];

function typeOf(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number')
    return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

const fail = (at: Place, what: string): string[] => [
  `${at.path === '' ? '(top)' : at.path}: ${what}`,
];
const when = (ok: boolean, at: Place, what: string): string[] => (ok ? [] : fail(at, what));
const under = (schema: unknown, value: unknown, at: Place, path = at.path): string[] =>
  check(value, { ...at, path, schema: schema as Schema });

const KEYWORDS: Readonly<Record<string, Check>> = {
  $schema: note,
  $id: note,
  title: note,
  description: note,
  format: note,
  $ref(ref: string, value, at) {
    const [file = '', pointer = ''] = ref.split('#');
    const name = file === '' ? at.file : file;
    let target: unknown = at.schemas.get(name);
    for (const key of pointer.split('/').slice(1)) target = (target as Schema | undefined)?.[key];
    if (!isObject(target)) throw new Error(`${at.file}: ${ref} leads nowhere`);
    return check(value, { ...at, schema: target, file: name });
  },
  type: (wanted: string | string[], value, at) =>
    when(
      typeOf(value).some((type) => [wanted].flat().includes(type)),
      at,
      `not of type ${wanted}`,
    ),
  const: (wanted: unknown, value, at) => when(value === wanted, at, `not ${wanted}`),
  enum: (wanted: unknown[], value, at) => when(wanted.includes(value), at, `not one of ${wanted}`),
  anyOf: (wanted: Schema[], value, at) =>
    when(
      wanted.some((one) => under(one, value, at).length === 0),
      at,
      'fits no choice',
    ),
  oneOf: (wanted: Schema[], value, at) =>
    when(
      wanted.filter((one) => under(one, value, at).length === 0).length === 1,
      at,
      'not one choice',
    ),
  required: objects((wanted: string[], value, at) =>
    wanted.flatMap((name) => when(Object.hasOwn(value, name), at, `has no ${name}`)),
  ),
  properties: objects((wanted: Schema, value, at) =>
    Object.entries(wanted).flatMap(([name, schema]) =>
      Object.hasOwn(value, name) ? under(schema, value[name], at, `${at.path}.${name}`) : [],
    ),
  ),
  additionalProperties: objects((wanted: unknown, value, at) =>
    Object.entries(value).flatMap(([name, item]) => {
      if (Object.hasOwn((at.schema['properties'] ?? {}) as Schema, name)) return [];
      if (wanted === false) return fail(at, `has ${name}, which is no field`);
      return under(wanted, item, at, `${at.path}.${name}`);
    }),
  ),
  propertyNames: objects((wanted: Schema, value, at) =>
    Object.keys(value).flatMap((name) => under(wanted, name, at)),
  ),
  items: lists((wanted: Schema, value: unknown[], at) =>
    value.flatMap((item, i) => under(wanted, item, at, `${at.path}[${i}]`)),
  ),
  minItems: lists((wanted: number, value: unknown[], at) =>
    when(value.length >= wanted, at, `fewer than ${wanted}`),
  ),
  maxItems: lists((wanted: number, value: unknown[], at) =>
    when(value.length <= wanted, at, `more than ${wanted}`),
  ),
  pattern: texts((wanted: string, value: string, at) =>
    when(new RegExp(wanted, 'u').test(value), at, `does not match ${wanted}`),
  ),
  minLength: texts((wanted: number, value: string, at) =>
    when([...value].length >= wanted, at, `shorter than ${wanted}`),
  ),
  maxLength: texts((wanted: number, value: string, at) =>
    when([...value].length <= wanted, at, `longer than ${wanted}`),
  ),
  minimum: numbers((wanted: number, value: number, at) =>
    when(value >= wanted, at, `under ${wanted}`),
  ),
  maximum: numbers((wanted: number, value: number, at) =>
    when(value <= wanted, at, `over ${wanted}`),
  ),
  exclusiveMinimum: numbers((wanted: number, value: number, at) =>
    when(value > wanted, at, `not over ${wanted}`),
  ),
};

function check(value: unknown, at: Place): string[] {
  return Object.entries(at.schema).flatMap(([keyword, wanted]) => {
    const known = Object.hasOwn(KEYWORDS, keyword) ? KEYWORDS[keyword] : undefined;
    // A keyword that nobody checks would let everything pass.
    if (!known) throw new Error(`${at.file}: the keyword ${keyword} is not known here`);
    return known(wanted as never, value as never, at);
  });
}

/**
 * What of a value a schema (draft 2020-12, by its file's name) objects to; none is good. Knows the keywords that
 * the schemas in docs/formats use, and throws for any other.
 */
export function objections(file: string, value: unknown, schemas: Schemas): string[] {
  const schema = schemas.get(file);
  if (!schema) throw new Error(`there is no ${file}`);
  return check(value, { path: '', schema, file, schemas });
}
