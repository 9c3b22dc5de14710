import { faultOf, type Plan, plannedSessions } from '../extract/plan.ts';
import { believing, type Parts } from '../pipeline.ts';
import { modelSources } from '../snapshot/believe.ts';
import { dueIn, spentIn } from '../snapshot/model-sources.ts';

/** What a maintenance pass would ask a model now, and what that can cost; undefined where none is set. Nothing is sent, or written. */
export async function planExtraction(parts: Parts): Promise<Plan | undefined> {
  const { extractor, state, identity, world } = parts;
  if (!extractor) return undefined;
  const { provider, model, useBatches: batch, capUsdMicros } = extractor;
  const { address } = identity.host;
  const due = dueIn(state, address, provider, world.now());
  const sources = modelSources(believing(parts, []));
  const sessions = await plannedSessions(extractor, due, sources);
  const waiting = Math.max(0, due.length - extractor.sessionsMax);
  const spentUsdMicros = spentIn(state, address, world.now());
  const fault = faultOf(extractor);
  return { provider, model, batch, sessions, waiting, spentUsdMicros, capUsdMicros, fault };
}
