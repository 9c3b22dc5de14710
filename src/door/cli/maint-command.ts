import type { Command } from 'commander';
import type { ModelReport } from '../../extract/model-pass.ts';
import type { Plan } from '../../extract/plan.ts';
import { modeParts } from '../../home/settings.ts';
import { type MaintReport, maintain } from '../../pipeline.ts';
import { planExtraction } from '../../verbs/plan-extraction.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { busyError } from './error-text.ts';
import { failOver, syncLines, troubleLines } from './flow-commands.ts';
import { count } from './output.ts';
import { ensureSetUp } from './set-up-commands.ts';
import { table, terminalWidth } from './table.ts';

/** Money as people read it. */
export function usd(micros: number): string {
  const dollars = micros / 1_000_000;
  return `$${dollars.toFixed(dollars >= 1 || dollars === 0 ? 2 : 4)}`;
}

const REASONS: Readonly<Record<string, string>> = {
  'claim.form': 'of a wrong form',
  'claim.compound': 'said two things',
  'claim.repeated': 'said again what another one said',
  'citation.session': 'cited another session',
  'citation.message': 'cited a message that is not there',
  'citation.quote': 'quoted words that are not there',
};

function droppedLine(dropped: ModelReport['dropped']): string[] {
  const reasons = Object.entries(dropped).map(([code, n]) => `${n} ${REASONS[code] ?? code}`);
  return reasons.length === 0 ? [] : [`dropped drafts: ${reasons.join(', ')}`];
}

/** What asking a model came to. */
function modelLines(report: ModelReport): string[] {
  const { answered, claims, submitted, failed, waiting, spentUsdMicros } = report;
  const facts = [
    answered > 0 || submitted + failed === 0
      ? `read ${count(answered, 'session')}, made ${count(claims, 'claim')} of them`
      : '',
    submitted > 0
      ? `sent ${count(submitted, 'session')} in a batch, which a later pass collects`
      : '',
    failed > 0 ? `${count(failed, 'session')} failed and will be tried again` : '',
    waiting > 0 ? `${count(waiting, 'session')} for a later pass` : '',
  ].filter((fact) => fact !== '');
  return [
    `by the model: ${facts.join('; ')}; spent ${usd(spentUsdMicros)}`,
    ...droppedLine(report.dropped),
    ...(report.capReached
      ? [pc.yellow('stopped at the cap of the day: summarize.batch.spend_cap_usd_per_day')]
      : []),
    ...troubleLines(report.troubles),
  ];
}

function maintLines(report: MaintReport): string[] {
  const { extracted, model, findings, decisions, compacted } = report;
  return [
    ...syncLines(report),
    ...(extracted > 0 ? [`extracted ${count(extracted, 'outcome')} of test runs`] : []),
    ...(model ? modelLines(model) : []),
    ...(findings + decisions > 0
      ? [`looked up ${count(findings, 'finding')}, made ${count(decisions, 'decision')}`]
      : []),
    `compacted ${count(compacted, 'day')}`,
  ];
}

/** What a pass would ask. */
function planLines(plan: Plan): string[] {
  const { provider, model, batch, sessions, waiting, spentUsdMicros, capUsdMicros, fault } = plan;
  const costs = sessions.map((one) => one.costAtMostUsdMicros ?? 0);
  const total = costs.reduce((sum, cost) => sum + cost, 0);
  const tokens = sessions.reduce((sum, one) => sum + one.inputTokens, 0);
  const rows = sessions.map((one) => [
    one.session,
    one.repo ?? '',
    String(one.messages),
    one.inputTokens.toLocaleString('en'),
    one.costAtMostUsdMicros === undefined ? '?' : usd(one.costAtMostUsdMicros),
  ]);
  const head = ['session', 'repo', 'messages', 'tokens', 'at most'];
  return [
    ...(rows.length > 0
      ? [table(head, rows, { width: terminalWidth(), drop: ['repo'], cut: [['session', 12]] })]
      : []),
    `${provider} ${model} would be asked about ${count(sessions.length, 'session')}${batch ? ' in a batch' : ''}: about ${tokens.toLocaleString('en')} tokens, ${usd(total)} at most${waiting > 0 ? `; ${count(waiting, 'session')} for a later pass` : ''}`,
    `spent today ${usd(spentUsdMicros)} of ${usd(capUsdMicros)}`,
    ...(fault === undefined ? [] : [pc.yellow(`nobody can be asked now: ${fault}`)]),
  ];
}

/** Why no model is asked, where the mode would have one. */
function hint(context: Context): string | undefined {
  const mode = context.home().settings['summarize.mode'];
  return modeParts(mode).extraction === 'model'
    ? 'no model is set: `credence config set summarize.batch.provider <name>`'
    : `mode ${mode} asks no model: \`credence config set summarize.mode shadow\` does`;
}

async function showPlan(context: Context): Promise<void> {
  const done = await context.withParts(planExtraction);
  if (!done) throw busyError();
  context.out.value(done.value ?? { provider: null });
  const lines = done.value ? planLines(done.value) : [hint(context) ?? ''];
  for (const line of lines) context.out.text(line);
}

/** `credence maint`. */
export function maintCommand(program: Command, context: Context): void {
  program
    .command('maint')
    .description(
      'one maintenance pass for the whole fleet: takes the lease, or exits at once where another host has it',
    )
    // As `import --all`, read by no code: it says what is the default, so that it stays so where it is written down.
    .option('--once', 'one pass (the default)')
    .option(
      '--dry-run',
      'print which sessions a model would be asked about, and what that can cost',
    )
    .addHelpText('after', '\nExample, on a timer:\n  */15 * * * * credence maint --once')
    .action(async ({ dryRun }: { readonly dryRun?: boolean }) => {
      await ensureSetUp(context, []);
      if (dryRun === true) return showPlan(context);
      const done = await context.withParts(maintain);
      if (!done) throw busyError();
      const report = done.value;
      context.out.value(report ?? { lease: 'held by another host' });
      if (!report) return context.out.text('another host holds the maintenance lease');
      for (const line of maintLines(report)) context.out.text(line);
      failOver(report.troubles);
    });
}
