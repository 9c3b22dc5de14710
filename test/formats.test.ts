import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import fc from 'fast-check';
import { parse as parseToml } from 'smol-toml';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { examplesOf, fieldTables, readPages } from '../scripts/schema/page.ts';
import { buildSchemas, eachProperty, type Schema, STORED } from '../scripts/schema/schemas.ts';
import { parseCanonical } from '../src/base/canonical.ts';
import { isInstant } from '../src/base/time.ts';
import { readProjectFile } from '../src/capture/project-file.ts';
import { parquet } from '../src/io/parquet.ts';
import { parseSpool } from '../src/lake/read-spool.ts';
import { GENESIS, readCommit } from '../src/ledger/commit.ts';
import { open, SignedRecord, SPEC } from '../src/record/record.ts';
import { Envelope } from '../src/runtime/envelope.ts';
import { objections } from './formats/json-schema.ts';
import { playScene, type Scene } from './formats/scene.ts';
import { anyEnvelope } from './kit/envelopes.ts';

const folder = fileURLToPath(new URL('../docs/formats/', import.meta.url));
const pages = readPages(folder);
const tables = fieldTables(pages);
const examples = examplesOf(pages);
const files = readdirSync(folder).filter((name) => name.endsWith('.schema.json'));
const schemas = new Map(
  files.map((name) => [name, JSON.parse(readFileSync(folder + name, 'utf8')) as Schema]),
);

/** What a schema says against a value that is meant to fit it, and what the code's own schema says. */
function faultsOf(id: string, value: unknown): string[] {
  const parsed = STORED[id]?.safeParse(value);
  const own = parsed?.success === false ? [`the code: ${parsed.error.message}`] : [];
  return [...objections(`${id}.schema.json`, value, schemas), ...own];
}

/** A record, its body too; and that its signature holds. */
function recordFaults(value: unknown): string[] {
  const { context, body } = SignedRecord.parse(value);
  open(value);
  const own = `record-own-${context}`;
  const id = body.spec === SPEC && own in STORED ? own : `record-${context}`;
  return [...faultsOf('record', value), ...faultsOf(id, body)];
}

/** The lines of a text that are JSON values. */
const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

describe('the schemas', () => {
  const generated = buildSchemas(tables);

  test.each([...generated.keys()])('%s is what the code and its page give', (name) => {
    expect(readFileSync(folder + name, 'utf8')).toBe(generated.get(name));
  });

  test('that are written by hand say so', () => {
    const byHand = files.filter((name) => !generated.has(name));
    const saying = files.filter((name) =>
      String(schemas.get(name)?.['description']).endsWith('Written by hand.'),
    );
    expect(saying).toEqual(byHand);
    expect(byHand.length).toBeGreaterThan(0);
  });

  test.each(files)('%s has a page with a row for every field, and for no other', (name) => {
    const id = name.replace('.schema.json', '');
    const schema = schemas.get(name) ?? {};
    const named = new Map<string, Schema>();
    eachProperty(schema, (path, property) => named.set(path, property));
    const table = tables.get(id);
    expect(String(schema['description'])).toContain(`See ${table?.page}.`);
    // A field that is one of another page's, by its name too, may be left to that page.
    const own = [...named].filter(
      ([path, property]) =>
        !String(property['$ref']).endsWith(`/properties/${path.split('.').at(-1)}`),
    );
    const rows = [...(table?.fields.keys() ?? [])];
    expect(own.map(([path]) => path).filter((path) => !rows.includes(path))).toEqual([]);
    expect(rows.filter((path) => !named.has(path))).toEqual([]);
  });

  test('take every envelope that the code takes', () => {
    fc.assert(
      fc.property(anyEnvelope, (value) => {
        expect(faultsOf('envelope', value)).toEqual([]);
      }),
    );
  });

  test.each([
    ['2026-02-28T23:59:59.999Z', true],
    ['2026-02-28T23:59:59.99Z', false],
    ['2026-02-28T24:00:00.000Z', false],
    ['2026-13-01T00:00:00.000Z', false],
    ['2026-02-28T23:59:59.999+00:00', false],
    ['2026-02-28 23:59:59.999Z', false],
  ])('know an instant: %s', (text, good) => {
    expect(isInstant(text)).toBe(good);
    expect(objections('lease.schema.json', { host: 'h', until: text }, schemas).length === 0).toBe(
      good,
    );
  });
});

describe('the pages', () => {
  const text = new Map(pages.map((page) => [page.name, page.text]));
  const linksOf = (name: string) =>
    [...(text.get(name) ?? '').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)].map(([, link = '']) => link);

  test('lead nowhere that is not there', () => {
    const there = readdirSync(folder);
    for (const { name } of pages)
      expect([name, linksOf(name).filter((link) => !there.includes(link))]).toEqual([name, []]);
  });

  test('are all in the index, and so are the schemas', () => {
    const linked = linksOf('README.md');
    const names = pages.map(({ name }) => name).filter((name) => name !== 'README.md');
    expect([...names, ...files].filter((name) => !linked.includes(name))).toEqual([]);
  });

  test('have a schema each, but for keys and for what is no JSON', () => {
    const without = pages
      .map(({ name }) => name)
      .filter((name) => {
        return !linksOf(name).some((link) => link.endsWith('.schema.json'));
      });
    expect(without).toEqual(['compacted.md', 'layout.md', 'part.md']);
  });

  test.each(examples.map((example) => [example.page, example.schema, example.text]))(
    '%s: the example of %s fits',
    (_page, id, body) => {
      if (id === 'ledger-commit') {
        const { entries } = readCommit(Buffer.from(body), GENESIS, undefined);
        expect(entries.length).toBeGreaterThan(0);
        expect(
          linesOf(body)
            .slice(1)
            .flatMap((line) => faultsOf('ledger-entry', JSON.parse(line))),
        ).toEqual([]);
      } else if (id === 'record') expect(recordFaults(JSON.parse(body))).toEqual([]);
      else expect(faultsOf(id, JSON.parse(body))).toEqual([]);
    },
  );

  test('of the guide show a credence.toml that is read', () => {
    const guide = readFileSync(join(folder, '../guide/capture.md'), 'utf8');
    const [, shown = ''] = /^```toml\n(.*?)^```$/ms.exec(guide) ?? [];
    expect(readProjectFile(shown)).toEqual({
      exclude: ['secrets/**', 'fixtures/customers.json'],
      pause: true,
      fleetId: 'myteam',
    });
  });

  test('have an example of every schema', () => {
    const shown = new Set(examples.map(({ schema }) => `${schema}.schema.json`));
    // Its examples are the lines of the one of a commit.
    expect(files.filter((name) => !shown.has(name))).toEqual(['ledger-entry.schema.json']);
  });

  test.each(examples.filter(({ schema }) => STORED[schema]).map((one) => [one.schema, one.text]))(
    'an example of %s that is changed is refused by schema and code alike',
    (id, body) => {
      const value = JSON.parse(body) as Record<string, unknown>;
      const changed = Object.keys(value).flatMap((name) => {
        const { [name]: _gone, ...rest } = value;
        return [rest, { ...rest, [name]: null }, { ...rest, [name]: { x: 1.5 } }];
      });
      for (const other of [...changed, { ...value, unknown_field: 1 }, [], 'text']) {
        const bySchema = objections(`${id}.schema.json`, other, schemas).length === 0;
        expect([other, bySchema]).toEqual([other, STORED[id]?.safeParse(other).success]);
      }
    },
  );
});

/** How to check a file of a home or a store, by its path; `text` is for what is no bytes. */
type Check = (bytes: Buffer, text: string) => readonly string[] | Promise<readonly string[]>;

const value =
  (id: string): Check =>
  (_bytes, text) =>
    faultsOf(id, JSON.parse(text));
const records: Check = (_bytes, text) =>
  linesOf(text).flatMap((line) => recordFaults(parseCanonical(line)));
const spool: Check = (_bytes, text) => {
  const { lines, torn } = parseSpool(text);
  return [...lines.flatMap((line) => faultsOf('spool-line', line)), ...Array(torn).fill('torn')];
};
const envelopes: Check = async (bytes) => {
  const rows = await parquet.decode(bytes);
  return rows.flatMap((row) => faultsOf('envelope', Envelope.parse(row)));
};
const commit: Check = (_bytes, text) => {
  const [first = '', ...rest] = linesOf(text);
  const entries = rest.map((line) => parseCanonical(line));
  return [
    ...recordFaults(parseCanonical(first)),
    ...entries.flatMap((entry) => faultsOf('ledger-entry', entry)),
    ...entries.flatMap((entry) => recordFaults((entry as { record: unknown }).record)),
  ];
};
const empty: Check = (bytes) => (bytes.length === 0 ? [] : ['is not empty']);
const any: Check = () => [];
const ofBytes =
  (count: number): Check =>
  (bytes) =>
    bytes.length === count ? [] : [`has ${bytes.length} bytes`];

/** The formats that the pages give to the files of a store (`lake/…`), a home (`home/…`) and its settings (`config/…`). */
const FORMATS: readonly (readonly [path: RegExp, check: Check])[] = [
  [/^lake\/fleet\.json$/, value('fleet-card')],
  [/^lake\/ledger\/\d{9}\/\d{12}\.ndjson$/, commit],
  [/^lake\/inbox\/[^/]+\/\d{16}-[0-9a-f]{64}\.ndjson$/, (bytes, text) => records(bytes, text)],
  [/^lake\/sessions\/dt=.*\/part-\d{6}-[0-9a-f]{16}\.parquet$/, envelopes],
  [/^lake\/sessions\/dt=.*\/seal-\d{6}-[^/]+\.json$/, records],
  [/^lake\/sessions\/dt=.*\/digest-\d{6}\.json$/, value('digest')],
  [/^lake\/compacted\/dt=[^/]+\/gen=[0-9a-f]{16}\/part-\d{6}\.parquet$/, envelopes],
  [/^lake\/withheld\/[^/]+\/[^/]+\/[0-9A-Z]{26}\.json$/, value('withheld')],
  [/^lake\/live\/agents\/[^/]+\.json$/, value('live-agent')],
  [/^lake\/live\/intents\/[^/]+\.json$/, value('live-intents')],
  [/^lake\/live\/leases\/maintenance\/\d{12}\.json$/, value('lease')],
  [/^lake\/live\/roster\.json$/, value('roster')],
  [/^home\/hook\.json$/, value('hook')],
  [
    /^home\/spool\/dropped\.ndjson$/,
    (_bytes, text) => linesOf(text).flatMap((line) => faultsOf('dropped', JSON.parse(line))),
  ],
  [/^home\/spool\/[^/]+\/[^/]+\.ndjson$/, spool],
  [/^home\/spool\/[^/]+\/[^/]+\.\d+\.sent$/, spool],
  [/^home\/manifests\/[^/]+\/[^/]+\.json$/, value('manifest')],
  [/^home\/unsealed\/[^/]+\/[^/]+$/, empty],
  [/^home\/imports\/[0-9a-f]{32}\.json$/, value('import-cursor')],
  [/^home\/outbox\/[0-9A-Z]{26}\.json$/, value('handoff-draft')],
  [/^home\/proposals\/[0-9A-Z]{26}\.json$/, value('proposal-draft')],
  [/^home\/proposals\/refused\/[0-9A-Z]{26}\.json$/, value('refused-draft')],
  [
    /^home\/checkouts\.json$/,
    (_bytes, text) =>
      /^\{"version":1,"heads":\{(?:"\/[^"]*":"[0-9a-f]{0,64}",?)*\}\}\n$/.test(text) ? [] : [text],
  ],
  [/^home\/inbox\.counter$/, (_bytes, text) => (/^[1-9]\d*$/.test(text) ? [] : [text])],
  [/^home\/brief\/[^/]+\/[^/]+\.json$/, value('brief')],
  [/^home\/live\.json$/, value('live-json')],
  [/^home\/roster\.json$/, value('roster')],
  [/^home\/last-sync\.json$/, value('last-sync')],
  [/^home\/spool-counts\.json$/, value('spool-counts')],
  [/^home\/verified\.json$/, value('verified-mark')],
  [/^home\/run\/[^/]+\/\d+\.json$/, value('runtime-process')],
  [/^home\/run\/[^/]+\.nudged$/, empty],
  [/^home\/run\/sync\.stamp$/, empty],
  [/^home\/run\/sweep\.stamp$/, empty],
  [/^home\/(?:state|agent)\.sqlite$/, any],
  [/^home\/machine\.sqlite$/, empty],
  [/^config\/config\.toml$/, (_bytes, text) => faultsOf('config', parseToml(text))],
  [/^config\/fleet\.json$/, value('pin')],
  [/^config\/keys\/(?:host|person|agent-.+)\.json$/, value('key')],
  [/^config\/keys\/(?:host|seal|fleet-[0-9a-f]{16})\.secret$/, ofBytes(32)],
];

/** A hook as a process of its own, in a home whose spool takes no session of its runtime. */
async function dropAnEvent(home: string, from: string, work: string): Promise<void> {
  const bundle = join(work, 'hook.cjs');
  await build({
    entryPoints: [join(folder, '../../src/hook.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: bundle,
    logLevel: 'error',
  });
  mkdirSync(join(work, 'other', 'spool'), { recursive: true });
  writeFileSync(join(work, 'other', 'hook.json'), readFileSync(join(home, 'hook.json')));
  writeFileSync(join(work, 'other', 'spool', 'claude-code'), '');
  const env = {
    PATH: process.env['PATH'],
    CREDENCE_HOME: join(work, 'other'),
    CREDENCE_CONFIG_HOME: from,
  };
  const input = JSON.stringify({ hook_event_name: 'Stop', session_id: 's' });
  const done = spawnSync(process.execPath, [bundle, 'hook', 'Stop', 'claude-code'], {
    input,
    env,
    encoding: 'utf8',
  });
  expect([done.status, done.stdout]).toEqual([0, '{}']);
  const lines = readFileSync(join(work, 'other', 'spool', 'dropped.ndjson'));
  writeFileSync(join(home, 'spool', 'dropped.ndjson'), lines);
}

describe('a real home and its store', () => {
  const work = mkdtempSync(join(tmpdir(), 'credence-formats-'));
  const found = new Map<string, Buffer>();
  let scene: Scene;

  beforeAll(async () => {
    scene = await playScene(join(work, 'me'), Date.UTC(2026, 2, 2, 9));
    const { home, config } = scene.home.folders;
    await dropAnEvent(home, config, work);
    for (const [name, at] of [
      ['home', home],
      ['config', config],
    ] as const) {
      for (const path of readdirSync(at, { recursive: true, withFileTypes: true })) {
        const whole = join(path.parentPath, path.name);
        const below = whole.startsWith(`${scene.lake}/`)
          ? `lake/${whole.slice(scene.lake.length + 1)}`
          : `${name}/${whole.slice(at.length + 1)}`;
        if (path.isFile()) found.set(below, readFileSync(whole));
      }
    }
  }, 60_000);
  afterAll(() => rmSync(work, { recursive: true, force: true }));

  test('hold nothing that no page names', () => {
    const strange = [...found.keys()].filter((path) => !FORMATS.some(([form]) => form.test(path)));
    expect(strange).toEqual([]);
  });

  test.each(FORMATS.map(([form, check]) => [form.source, form, check] as const))(
    'hold files %s that fit their format',
    async (_name, form, check) => {
      const paths = [...found.keys()].filter(
        (path) => FORMATS.find(([one]) => one.test(path))?.[0] === form,
      );
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        const bytes = found.get(path) ?? Buffer.of();
        expect([path, await check(bytes, bytes.toString('utf8'))]).toEqual([path, []]);
      }
    },
  );
});
