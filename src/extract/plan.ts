import { messageOf } from '../base/errors.ts';
import { type Extractor, openExtractor, prepare, type Sources } from './extractor.ts';
import type { ModelSession } from './model.ts';
import { costAtMost } from './price.ts';
import { tokensIn } from './shown.ts';

/** What asking about one session would be. */
export interface Planned {
  readonly session: string;
  readonly repo: string | undefined;
  readonly messages: number;
  /** About how many tokens the question has. */
  readonly inputTokens: number;
  /** The most that it can cost, in millionths of a dollar; undefined where no price is known. */
  readonly costAtMostUsdMicros: number | undefined;
}

/** What a pass of extraction by a model would ask. */
export interface Plan {
  readonly provider: string;
  readonly model: string;
  readonly batch: boolean;
  readonly sessions: readonly Planned[];
  /** Sessions that would wait for a later pass. */
  readonly waiting: number;
  readonly spentUsdMicros: number;
  readonly capUsdMicros: number;
  /** Why nobody can be asked now. */
  readonly fault: string | undefined;
}

/** Makes the questions of a pass, and asks none. Sessions that show nothing are left out. */
export async function plannedSessions(
  extractor: Extractor,
  due: readonly ModelSession[],
  sources: Sources,
): Promise<Planned[]> {
  const sessions: Planned[] = [];
  const { price, useBatches } = extractor;
  for (const of of due.slice(0, extractor.sessionsMax)) {
    const read = await prepare(of, extractor, sources);
    if (!read || read.messages.length === 0) continue;
    const { request, messages } = read;
    sessions.push({
      session: of.session,
      repo: of.repo,
      messages: messages.length,
      inputTokens: tokensIn(request.system + request.prompt),
      costAtMostUsdMicros: price && costAtMost(request, price, useBatches),
    });
  }
  return sessions;
}

/** Why nobody can be asked now. */
export function faultOf(extractor: Extractor): string | undefined {
  try {
    openExtractor(extractor);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
