import { extractionStateIn } from '../../snapshot/model-sources.ts';
import type { Sql } from '../../snapshot/port.ts';
import { pc } from './colour.ts';
import type { Context } from './context.ts';
import { usd } from './maint-command.ts';
import { count } from './output.ts';

/** How far a model has read sealed sessions, and what it cost today. */
export function extractionOf(context: Context) {
  const { settings, keys, world } = context.home();
  const address = keys.peek('host')?.address;
  const read = (sql: Sql) => extractionStateIn(sql, address ?? '', world.now());
  const found = address === undefined ? undefined : context.tryRead('state', read);
  const capUsdMicros = Math.round(settings['summarize.batch.spend_cap_usd_per_day'] * 1_000_000);
  return found ? { ...found, capUsdMicros } : null;
}

/** The same in a line; none where no model ever read anything. */
export function extractionLines(extraction: ReturnType<typeof extractionOf>): string[] {
  if (!extraction) return [];
  const { done, submitted, failed, lastError, spentTodayUsdMicros, capUsdMicros } = extraction;
  const facts = [
    `read ${count(done, 'session')}`,
    ...(submitted > 0 ? [`${submitted} in a batch`] : []),
    ...(failed > 0 ? [pc.yellow(`${failed} failed, the last with ${lastError ?? '?'}`)] : []),
    `spent ${usd(spentTodayUsdMicros)} of ${usd(capUsdMicros)} today`,
  ];
  return [facts.join(', ')];
}
