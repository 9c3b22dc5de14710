import { setUp } from '../home/set-up.ts';
import type { FleetOptions } from '../library/fleet-options.ts';
import { type Fleet, fleetOver } from '../library/fleet-verbs.ts';
import { keywordRetriever } from '../query/retriever.ts';
import { RetrieverIndex } from '../query/retriever-index.ts';
import { openHome } from './node.ts';
import { withKnowledge } from './speaking.ts';

/** The fleet of this machine, whose home is set up where it was not. One process at a time applies to its ledger. */
export async function openHomeFleet(options: FleetOptions): Promise<Fleet> {
  const { agent = 'library', env = process.env, retriever = keywordRetriever } = options;
  const { fleetId } = await setUp(openHome({}, env), { runtimes: [] });
  const home = openHome({}, env);
  const seams = { retriever, index: new RetrieverIndex(retriever), weight: options.sourceWeight };
  return fleetOver({
    id: fleetId,
    agent: () => home.keys.signer(`agent-${agent}`),
    person: () => home.keys.signer('person'),
    within: (body) => withKnowledge(home, env, body, seams),
    end: () => {},
  });
}
