import { CredenceError, codeOf } from '../base/errors.ts';
import { toMs } from '../base/time.ts';
import { troubleOf } from '../base/trouble.ts';
import type { ExtractionBody } from '../record/extraction.ts';
import type { SignedRecord } from '../record/record.ts';
import { type Extractor, openExtractor, prepare } from './extractor.ts';
import type { BatchResult, InBatch, ModelBatches } from './model.ts';
import { isOfModel, ModelPass, type ModelReport, type RunPorts } from './model-pass.ts';
import { costAtMost } from './price.ts';
import { requestId } from './prompt.ts';

/** A batch that is not done by then never will be. Source: design page 6, `extraction`. */
const BATCH_MS_MAX = 24 * 3_600_000;

/** The results of a batch; undefined while it is at work. Of one that is gone, or too late, all failed. */
async function resultsOf(
  batch: string,
  held: readonly InBatch[],
  batches: ModelBatches,
  now: number,
): Promise<ReadonlyMap<string, BatchResult> | undefined> {
  try {
    const results = await batches.collect(batch);
    const isLate = held.every(({ since }) => now - toMs(since) > BATCH_MS_MAX);
    if (results || !isLate) return results;
    await batches.cancel(batch);
  } catch (error) {
    if (codeOf(error) !== 'model.batch_gone') throw error;
  }
  const gone = { kind: 'failed', code: 'model.batch_gone' } as const;
  return new Map(held.map(({ session, revision }) => [requestId(session, revision), gone]));
}

/** Takes what a batch gave, each result by the id of its request. */
async function take(
  pass: ModelPass,
  held: readonly InBatch[],
  results: ReadonlyMap<string, BatchResult>,
): Promise<void> {
  for (const of of held) {
    const { session, revision, batch } = of;
    const result = results.get(requestId(session, revision));
    const records: SignedRecord[] = [];
    if (result?.kind === 'reply') {
      const read = await prepare(of, pass.extractor, pass.ports);
      // A session that was resumed meanwhile holds all that this revision held.
      if (read) records.push(...pass.taken({ ...read, revision }, result.reply, true));
    } else {
      const code = result?.code ?? 'model.batch_missing';
      const error = new CredenceError('incorrect', code, `batch ${batch} has no answer for it`);
      pass.report.troubles.push(troubleOf(session, error));
      records.push(pass.failed(of, revision, error));
    }
    if (records.length > 0) await pass.ports.commit(records);
  }
}

/** Collects what batches of earlier passes gave. */
async function collect(pass: ModelPass, batches: ModelBatches): Promise<void> {
  const byBatch = new Map<string, InBatch[]>();
  for (const one of pass.ports.inBatches())
    byBatch.set(one.batch, [...(byBatch.get(one.batch) ?? []), one]);
  for (const [batch, held] of byBatch) {
    if (pass.isOver) return;
    try {
      const results = await resultsOf(batch, held, batches, pass.ports.now());
      if (results) await take(pass, held, results);
    } catch (error) {
      if (!isOfModel(error)) throw error;
      pass.note(batch, error);
    }
  }
}

/** Sends one batch. Its id is in the ledger before this returns, and nobody waits for it: a later pass collects it. */
async function submit(pass: ModelPass, batches: ModelBatches): Promise<void> {
  const { ports, extractor } = pass;
  const due = ports.due().slice(0, extractor.sessionsMax);
  if (due.length === 0 || pass.isOver || !(await ports.renew())) return;
  const next = await pass.next(due.length, due, true);
  if (next.length === 0) return;
  const tell = (state: 'started' | 'submitted', more: Partial<ExtractionBody> = {}) =>
    ports.commit(next.map((read) => pass.state(read.of, read.revision, state, more)));
  await tell('started');
  let batch_id: string;
  try {
    batch_id = await batches.submit(next.map(({ request }) => request));
  } catch (error) {
    if (!isOfModel(error)) throw error;
    pass.note(pass.model.provider, error);
    await ports.commit(next.map((read) => pass.failed(read.of, read.revision, error)));
    return;
  }
  await tell('submitted', { batch_id });
  pass.report.submitted = next.length;
}

/** Asks about sessions one by one, or some at a time. */
async function ask(pass: ModelPass): Promise<void> {
  const { ports, extractor, model, price } = pass;
  const due = ports.due().slice(0, extractor.sessionsMax);
  const of = due.length;
  while (due.length > 0 && !pass.isOver && (await ports.renew())) {
    const next = await pass.next(model.parallel, due, false);
    if (next.length === 0) continue;
    await ports.commit(next.map((read) => pass.state(read.of, read.revision, 'started')));
    ports.progress(of - due.length - next.length, of);
    const replies = await Promise.allSettled(next.map(({ request }) => model.ask(request)));
    const records = next.flatMap((read, i): SignedRecord[] => {
      const reply = replies[i];
      if (reply?.status === 'fulfilled') return pass.taken(read, reply.value, false);
      if (!isOfModel(reply?.reason)) return [];
      pass.note(read.of.session, reply?.reason);
      // What was sent and not answered may have been billed: it counts as the most that it can have cost.
      const isSent = codeOf(reply?.reason) === 'model.timeout';
      const spent = isSent ? costAtMost(read.request, price, false) : 0;
      return [pass.failed(read.of, read.revision, reply?.reason, spent)];
    });
    await ports.commit(records);
    for (const reply of replies)
      if (reply.status === 'rejected' && !isOfModel(reply.reason)) throw reply.reason;
    ports.progress(of - due.length, of);
  }
}

/**
 * One pass of extraction by a model: what earlier batches gave is collected, then sealed sessions that no model has read are asked about, within the
 * limits of a pass and of the day. What the model is to blame for is in the report, and keeps nothing else from being done; what
 * the ledger is to blame for is thrown.
 */
export async function extractByModel(extractor: Extractor, ports: RunPorts): Promise<ModelReport> {
  let pass: ModelPass | undefined;
  const troubles = [];
  try {
    const { model, price } = openExtractor(extractor);
    pass = new ModelPass(extractor, model, price, ports);
    if (model.batches) await collect(pass, model.batches);
    if (model.batches && extractor.useBatches) await submit(pass, model.batches);
    else await ask(pass);
  } catch (error) {
    if (!isOfModel(error)) throw error;
    troubles.push(troubleOf('summarize.batch', error));
  }
  const report = pass?.report ?? { ...NOTHING, dropped: {}, troubles: [] };
  return { ...report, troubles: [...report.troubles, ...troubles], waiting: ports.due().length };
}

const NOTHING = {
  answered: 0,
  submitted: 0,
  failed: 0,
  claims: 0,
  spentUsdMicros: 0,
  waiting: 0,
  capReached: false,
};
