import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HOOK_EVENTS } from './hook.ts';
import { installedEvents, installHooks, uninstallHooks } from './settings.ts';

const command = (event: string) => `node "/x y/credence-hook.cjs" hook ${event} claude-code`;
const moved = (event: string) => `npx credence hook ${event} claude-code`;

/** A JSON value with the spelling of its leaves: a leaf is JSON text, a member's key is JSON text. */
type Tree =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly Tree[] }
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Tree])[] };

const leaf = (text: string): Tree => ({ kind: 'leaf', text });
const quoted = (text: string) => JSON.stringify(text);
const array = (items: readonly Tree[]): Tree => ({ kind: 'array', items });
const object = (members: readonly (readonly [string, Tree])[]): Tree => ({
  kind: 'object',
  members,
});

/** A key or string in one of the ways that JSON can spell it. */
const spelled = (text: string) =>
  fc.constantFrom(
    quoted(text),
    `"\\u${text.charCodeAt(0).toString(16).padStart(4, '0')}${quoted(text.slice(1)).slice(1)}`,
  );

const anyLeaf = fc.oneof(
  fc.constantFrom(
    '1.50',
    '1e3',
    '-0',
    '9007199254740993',
    'true',
    'null',
    '"\\/\\u00e9"',
    '"世界 ü"',
    '"}],"',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }).map(quoted),
);
const { anything } = fc.letrec<{ anything: Tree }>((tie) => ({
  anything: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    anyLeaf.map(leaf),
    fc.array(tie('anything'), { maxLength: 3 }).map(array),
    fc
      .array(
        fc.tuple(
          anyLeaf.filter((text) => text.startsWith('"')),
          tie('anything'),
        ),
        { maxLength: 3 },
      )
      .map(object),
  ),
}));

const foreign = [
  'guard',
  '/opt/my-credence-hook.cjs.bak',
  'sh -c "credence hook Stop"',
  'credence status',
  'echo "ü"',
];
const hook = fc
  .tuple(fc.constantFrom(...foreign), fc.boolean())
  .map(([line, timed]) =>
    object([
      ['"command"', leaf(quoted(line))],
      ...(timed ? [['"timeout"', leaf('5.0')] as const] : []),
      ['"type"', leaf('"command"')],
    ]),
  );
const group = fc
  .tuple(fc.option(fc.constantFrom('""', '"*"', '"Bash|Edit"')), fc.array(hook, { maxLength: 3 }))
  .map(([matcher, hooks]) =>
    object([
      ...(matcher ? [['"matcher"', leaf(matcher)] as const] : []),
      ['"hooks"', array(hooks)],
    ]),
  );
const groups = fc
  .array(fc.oneof({ weight: 5, arbitrary: group }, { weight: 1, arbitrary: anything }), {
    maxLength: 3,
  })
  .map(array);
const event = fc.constantFrom(...HOOK_EVENTS, 'Notification', 'SubagentStart', 'Later');
const hooks = fc
  .uniqueArray(fc.tuple(event, groups), { selector: ([name]) => name, maxLength: 12 })
  .chain((events) =>
    fc.tuple(...events.map(([name, list]) => fc.tuple(spelled(name), fc.constant(list)))),
  )
  .map((members) => object(members));

/** Settings that hold no entry of ours. */
const settings = fc
  .tuple(
    fc.option(fc.tuple(spelled('hooks'), hooks)),
    fc.uniqueArray(
      fc.tuple(fc.constantFrom('env', 'permissions', 'statusLine', 'model', 'ü'), anything),
      { selector: ([key]) => key },
    ),
    fc.nat(),
  )
  .map(([own, others, at]) => {
    const members: (readonly [string, Tree])[] = others.map(([key, tree]) => [quoted(key), tree]);
    if (own) members.splice(at % (members.length + 1), 0, own);
    return object(members);
  });

interface Style {
  readonly unit: string;
  readonly newline: string;
  readonly colon: string;
  readonly gap: string;
  /** Containers at this depth and below stand on one line. */
  readonly inlineFrom: number;
  /** White space inside empty containers, taken in turn. */
  readonly empty: readonly string[];
  /** Where it is not empty: white space for every place at which JSON allows any, taken in turn. */
  readonly noise: readonly string[];
  readonly bom: boolean;
  readonly end: string;
}
const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r', '\r\n'), maxLength: 3 });
const style: fc.Arbitrary<Style> = fc.record({
  unit: fc.constantFrom('', ' ', '  ', '   ', '    ', '\t', ' \t'),
  newline: fc.constantFrom('\n', '\r\n', '\r'),
  colon: fc.constantFrom(':', ': ', ' : '),
  gap: fc.constantFrom('', ' '),
  inlineFrom: fc.integer({ min: 0, max: 6 }),
  empty: fc.oneof(
    fc.constant(['']),
    fc.array(space, { minLength: 1, maxLength: 5 }),
    fc.constantFrom(['\n    '], ['\n  '], ['\n'], ['\n\t\t']),
  ),
  noise: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(space, { maxLength: 11 }) },
  ),
  bom: fc.boolean(),
  end: fc.constantFrom('', '\n', '\r\n', ' \n\n'),
});

function print(tree: Tree, style: Style): string {
  let turn = 0;
  const noise = () => style.noise[turn++ % style.noise.length] ?? '';
  const write = (node: Tree, depth: number): string => {
    if (node.kind === 'leaf') return node.text;
    const parts =
      node.kind === 'array'
        ? node.items.map((item) => write(item, depth + 1))
        : node.members.map(
            ([key, value]) => key + noise() + style.colon + noise() + write(value, depth + 1),
          );
    const [open, close] = node.kind === 'array' ? '[]' : '{}';
    if (parts.length === 0) return `${open}${style.empty[turn++ % style.empty.length]}${close}`;
    if (style.noise.length > 0)
      return open + parts.map((part) => noise() + part + noise()).join(',') + close;
    if (depth >= style.inlineFrom) return open + parts.join(`,${style.gap}`) + close;
    const inner = style.newline + style.unit.repeat(depth + 1);
    return (
      open + inner + parts.join(`,${inner}`) + style.newline + style.unit.repeat(depth) + close
    );
  };
  return (style.bom ? '\uFEFF' : '') + write(tree, 0) + style.end;
}

const parse = (text: string): Parsed => JSON.parse(text.replace(/^\uFEFF/, ''));
const RUNS = { numRuns: 600 };

describe('for settings of any content in any formatting', () => {
  test('uninstall is the exact inverse of install, and install changes nothing twice', () => {
    fc.assert(
      fc.property(settings, style, (tree, how) => {
        const text = print(tree, how);
        const installed = installHooks(text, command);
        expect(uninstallHooks(installed)).toBe(text);
        expect(installHooks(installed, command)).toBe(installed);
        expect(uninstallHooks(installHooks(installed, moved))).toBe(text);
        expect(uninstallHooks(text)).toBe(text);
        expect([...installedEvents(installed)].sort()).toEqual([...HOOK_EVENTS].sort());
      }),
      RUNS,
    );
  });

  test('install appends one group to each event and changes no other value', () => {
    fc.assert(
      fc.property(settings, style, (tree, how) => {
        const before = parse(print(tree, how));
        const after = parse(installHooks(print(tree, how), command));
        const hooksAfter = { ...before.hooks };
        for (const name of HOOK_EVENTS) {
          const entry = { hooks: [{ type: 'command', command: command(name), timeout: 10 }] };
          hooksAfter[name] = [...(hooksAfter[name] ?? []), entry];
        }
        expect(after).toEqual({ ...before, hooks: hooksAfter });
        const order = Object.keys(after.hooks ?? {}).slice(
          0,
          Object.keys(before.hooks ?? {}).length,
        );
        expect(order).toEqual(Object.keys(before.hooks ?? {}));
      }),
      RUNS,
    );
  });
});

/** What other tools do to the file between install and uninstall, on values. */
type Deed =
  | {
      readonly kind: 'group';
      readonly event: string;
      readonly first: boolean;
    }
  | { readonly kind: 'drop'; readonly event: string }
  | { readonly kind: 'key'; readonly key: string };
const deed: fc.Arbitrary<Deed> = fc.oneof(
  fc.record({ kind: fc.constant('group'), event, first: fc.boolean() }),
  fc.record({ kind: fc.constant('drop'), event }),
  fc.record({ kind: fc.constant('key'), key: fc.constantFrom('model', 'theme', 'env') }),
);

interface Parsed {
  hooks?: Record<string, unknown[]>;
  [key: string]: unknown;
}

function act(value: Parsed, todo: Deed): void {
  if (todo.kind === 'key') {
    value[todo.key] = 'changed';
    return;
  }
  const list = value.hooks?.[todo.event];
  if (todo.kind === 'group') {
    const late = { matcher: 'Read', hooks: [{ type: 'command', command: 'late' }] };
    const longer = todo.first ? [late, ...(list ?? [])] : [...(list ?? []), late];
    value.hooks = { ...value.hooks, [todo.event]: longer };
  } else if (value.hooks && list) {
    // Another tool takes out its own groups by what is in them, and leaves the list as it is then.
    value.hooks[todo.event] = list.filter((one) => !JSON.stringify(one).includes('guard'));
  }
}

test('after other tools edited and reformatted the file, only entries of ours go', () => {
  const indent = fc.constantFrom<(string | number)[]>(0, 2, 4, '\t');
  fc.assert(
    fc.property(
      settings,
      style,
      fc.array(deed, { maxLength: 6 }),
      indent,
      (tree, how, deeds, spaces) => {
        const text = print(tree, how);
        const without = parse(text);
        const withOurs = parse(installHooks(text, command));
        for (const todo of deeds) {
          act(without, todo);
          act(withOurs, todo);
        }
        const left = uninstallHooks(JSON.stringify(withOurs, null, spaces)) ?? '';
        expect(left).toBe(JSON.stringify(parse(left), null, spaces));
        expect(parse(left)).toEqual(parse(JSON.stringify(without)));
      },
    ),
    RUNS,
  );
});

test('for any other text, install and uninstall give a text or refuse it with our error', () => {
  const text = fc.oneof(
    fc.json(),
    fc.string(),
    fc.tuple(settings, style, fc.nat(), fc.string({ maxLength: 2 })).map(([tree, how, at, put]) => {
      const whole = print(tree, how);
      return whole.slice(0, at % whole.length) + put + whole.slice((at % whole.length) + 1);
    }),
  );
  fc.assert(
    fc.property(text, (any) => {
      for (const run of [
        (t: string) => installHooks(t, command),
        uninstallHooks,
        installedEvents,
      ]) {
        try {
          run(any);
        } catch (error) {
          expect(error).toMatchObject({ code: 'settings.malformed', category: 'incorrect' });
        }
      }
    }),
    RUNS,
  );
});
