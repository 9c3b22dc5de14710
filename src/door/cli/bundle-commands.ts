import type { Command } from 'commander';
import { CredenceError } from '../../base/errors.ts';
import { safeId, sanitise } from '../../brief/sanitise.ts';
import type { BundledRecord, CheckedBundle } from '../../ledger/bundle.ts';
import type { Exported } from '../../query/export.ts';
import type { ExportWish } from '../../query/export-wish.ts';
import type { Imported, Speaker } from '../../verbs/bundles.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { count, size } from './output.ts';
import { assertPerson } from './said.ts';

const day = (instant: string) => `${instant.slice(0, 16).replace('T', ' ')} UTC`;
const name = (text: string) => sanitise(text, 80);

function countsOf(records: readonly BundledRecord[]): Readonly<Record<string, number>> {
  const of = (context: string) => records.filter(({ record }) => record.context === context).length;
  return {
    claims: of('claim'),
    endorsements: of('endorsement'),
    retirements: of('retirement'),
    episodes: of('episode'),
  };
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const { claims = 0, endorsements = 0, retirements = 0, episodes = 0 } = counts;
  return [
    count(claims, 'claim'),
    count(endorsements, 'position'),
    count(retirements, 'withdrawal'),
    count(episodes, 'episode'),
  ].join(', ');
}

/** What a bundle proves, as a program reads it. */
function bundleValue({ fleet, fleetId, exporter, exportedAt, head, records }: CheckedBundle) {
  const { address, principal, kind } = exporter;
  const by = { address, principal, kind };
  return { fleet, fleetId, exporter: by, exportedAt, head, counts: countsOf(records) };
}

function bundleLines({ fleet, fleetId, exporter, exportedAt, head }: CheckedBundle): string[] {
  return [
    `   of fleet ${name(fleetId)} (${safeId(fleet)}), exported ${day(exportedAt)} by ${name(exporter.principal)}`,
    `   up to its commit ${head.n}, ${count(head.size, 'entry', 'entries')}, root ${head.root.slice(0, 16)}…, signed by ${head.committer}`,
  ];
}

interface ExportOptions extends Omit<ExportWish, 'claims' | 'spaces' | 'topics'> {
  readonly space?: string[];
  readonly topic?: string[];
  readonly out?: string;
  readonly dryRun?: true;
}

/** Names of spaces are anybody's text: they are said here, made safe. */
function withSpaces(context: Context, error: unknown): never {
  if (error instanceof CredenceError && error.code === 'export.spaces') {
    const { spaces } = error.data;
    for (const space of Array.isArray(spaces) ? (spaces as string[]) : [])
      if (!context.out.json) context.out.note(`  ${name(space)}`);
  }
  throw error;
}

function exportLines({ checked, left, bytes }: Exported, out: string | undefined): string[] {
  const { records } = checked;
  const claims = records.filter(({ record }) => record.context === 'claim');
  const speakers = new Set(records.map(({ speaker }) => speaker.principal));
  const what = `${countsText(countsOf(records))}, said by ${[...speakers].map(name).join(', ')}`;
  return [
    out === undefined
      ? `would export ${what}, in ${size(bytes.length)}`
      : `${pc.green('exported')} ${what}: ${size(bytes.length)} in ${out}`,
    ...bundleLines(checked),
    ...claims.map(({ record }) => `   claim ${safeId(record.id)}`),
    ...left.map(({ id, why }) => `   ${pc.yellow('stays')} ${safeId(id)}: ${sanitise(why, 200)}`),
    ...(out === undefined
      ? []
      : [pc.dim(`next: credence import-bundle ${out}, where it is to be read`)]),
  ];
}

async function exportAction(
  context: Context,
  claims: readonly string[],
  { space, topic, out, dryRun, ...rest }: ExportOptions,
): Promise<void> {
  if (out === undefined && !dryRun) {
    throw new CredenceError('usage', 'usage', 'say where to: --out <file>, or --dry-run', {
      next: '--help shows how',
    });
  }
  assertPerson(context, 'people say what leaves a fleet');
  const wish = { ...rest, claims, spaces: space, topics: topic };
  const target = dryRun ? undefined : out;
  const exported = await context
    .exportBundle(wish, target)
    .catch((error: unknown) => withSpaces(context, error));
  const { checked, left, bytes } = exported;
  const ids = checked.records
    .filter(({ record }) => record.context === 'claim')
    .map(({ record }) => record.id);
  const written = { file: target ?? null, bytes: bytes.length };
  context.out.value({ ...written, ...bundleValue(checked), claims: ids, left });
  for (const line of exportLines(exported, target)) context.out.text(line);
}

/** `credence export`. */
export function exportCommand(program: Command, context: Context): void {
  program
    .command('export')
    .description(
      'write claims, with all that is said of them and proofs, to a file for another fleet',
    )
    .argument(
      '[claims...]',
      'ids of claims, or their beginnings; all promoted ones where none is given',
    )
    .option(
      '--space <spaces...>',
      'claims of these spaces; has to be said where they are of several',
    )
    .option('--repo <repo>', 'claims about a repo')
    .option('--topic <topics...>', 'claims with one of these topics')
    .option('--all', 'also claims that are not promoted')
    .option('--out <file>', 'the file to write; none that is there')
    .option('--dry-run', 'say what would leave, and write nothing')
    .addHelpText(
      'after',
      '\nExample:\n  credence export --space tidepool --dry-run\n  credence export --space tidepool --out tidepool.ndjson',
    )
    .action((claims: string[], options: ExportOptions) => exportAction(context, claims, options));
}

function speakerLine({ principal, kind, keys, claims, records }: Speaker): string {
  const here = [...new Set(keys.flatMap((key) => key.here ?? []))];
  const standing =
    here.length > 0
      ? `speaks here as ${here.map(name).join(', ')}`
      : `foreign: nobody here admitted ${keys.map(({ address }) => address).join(', ')}`;
  return `   ${name(principal)} (${kind}): ${count(claims, 'claim')}, ${count(records, 'record')}; ${standing}`;
}

function importLines(bundle: CheckedBundle, imported: Imported, dryRun: boolean): string[] {
  const { records, known, erased, speakers, said } = imported;
  const fresh = records - known - erased;
  const what = countsText(countsOf(bundle.records));
  const done = dryRun ? 'would import' : pc.green('imported');
  const result =
    fresh === 0
      ? `nothing new of ${what}`
      : `${done} ${count(fresh, 'record')} of ${what}; ${known} known already`;
  const isForeign = speakers.some(({ keys }) => keys.some(({ here }) => here === null));
  return [
    `${pc.green('ok')} the bundle holds: every signature, every proof, and who might say it`,
    ...bundleLines(bundle),
    ...speakers.map(speakerLine),
    result,
    ...(erased > 0
      ? [
          `   ${pc.yellow('left out')} ${count(erased, 'record')}: erased here, or resting on what was`,
        ]
      : []),
    ...(isForeign && said.length > 0
      ? [
          pc.dim(
            `what foreigners say counts for nothing here; credence bundles ${safeId(bundle.fleet)} shows it`,
          ),
        ]
      : []),
  ];
}

async function importAction(
  context: Context,
  path: string,
  { dryRun = false }: { readonly dryRun?: boolean },
): Promise<void> {
  assertPerson(context, 'people bring in what other fleets say');
  const bundle = await context.readBundle(path);
  const done = await context.importBundle(bundle, dryRun);
  if (!done) throw busyError();
  context.out.value({ dryRun, ...bundleValue(bundle), ...done.value });
  for (const line of importLines(bundle, done.value, dryRun)) context.out.text(line);
}

/** `credence import-bundle`. */
export function importBundleCommand(program: Command, context: Context): void {
  program
    .command('import-bundle')
    .description(
      'check a bundle of another fleet, and keep what it says apart until somebody admits who says it',
    )
    .argument('<file>', 'a bundle that `credence export` wrote')
    .option('--dry-run', 'check it and say what it holds; store nothing')
    .addHelpText(
      'after',
      '\nExample:\n  credence import-bundle tidepool.ndjson --dry-run\n  credence import-bundle tidepool.ndjson',
    )
    .action((path: string, options: { readonly dryRun?: boolean }) =>
      importAction(context, path, options),
    );
}
