import type * as z from 'zod';
import { LIMIT } from '../../base/limits.ts';
import { type Instant, toMs } from '../../base/time.ts';
import { parserOf } from '../../record/fits.ts';
import { bodyFault, type OpenedRecord } from '../../record/record.ts';
import type { LedgerView, Principal } from '../port.ts';

/** What a rule makes of a record: it is taken, with its body, as said by a principal; or refused; or waits for its author's admission. */
export type Judged =
  | { readonly kind: 'accept'; readonly author: Principal; readonly body: unknown }
  | { readonly kind: 'reject'; readonly code: string }
  | { readonly kind: 'wait' };

/** Instants have one spelling: as texts they are in the order of time, and nearly all are before their commit. */
function isAhead(instant: Instant, recordedAt: Instant): boolean {
  return instant > recordedAt && toMs(instant) > toMs(recordedAt) + LIMIT.future_ms_max;
}

/** What the ledger takes of one type of record. A pure function of the record and the state before it. */
export interface Rule {
  /** Refuses what claims an instant too far after that of its commit, where that is given. */
  judge(record: OpenedRecord, view: LedgerView, recordedAt?: Instant): Judged;
  /** The latest instant that a record claims, in milliseconds; undefined where its body has another shape. */
  latest(record: OpenedRecord): number | undefined;
}

/** What a rule is made of. */
export interface RuleParts<Body> {
  /** Every instant of a body that may not lie in the future. */
  readonly dates: (body: Body) => readonly Instant[];
  /** Who a key is that nobody admitted, where it may speak all the same. */
  readonly stranger?: (body: Body, view: LedgerView) => Principal | undefined;
  /** The code of a refusal; undefined where the record is taken. */
  readonly refusal: (body: Body, author: Principal, view: LedgerView) => string | undefined;
}

/** In an open fleet a key admits itself by speaking: what it said first may be a stub now, and it was known all the same. */
function spokeBefore({ author }: OpenedRecord, view: LedgerView): Principal | undefined {
  return view.mayBeErased() ? selfSpoken({ author }, view) : undefined;
}

/** In an open fleet agent-knowledge's verbs admit whoever uses them, as a principal of its own: so that they behave as they should. */
export function selfSpoken(
  { author }: { readonly author: string },
  view: LedgerView,
): Principal | undefined {
  if (view.fleet()?.admission !== 'open') return undefined;
  return {
    address: author,
    principal: author,
    kind: 'agent',
    operator: author,
    roles: ['propose', 'review'],
    admitted: 0,
  };
}

/** The rule of a type of record, by the schema of its body. */
export function rule<Body>(schema: z.ZodType<Body>, parts: RuleParts<Body>): Rule {
  let last:
    | { readonly record: OpenedRecord; readonly parsed: z.ZodSafeParseResult<Body> }
    | undefined;
  const parseBody = parserOf(schema);
  /** Whoever admits a record asks for its dates, and then judges it: its body is parsed once. */
  function parse(record: OpenedRecord): z.ZodSafeParseResult<Body> {
    if (last?.record === record) return last.parsed;
    const parsed = parseBody(record.body);
    last = { record, parsed };
    return parsed;
  }
  return {
    judge(record, view, recordedAt) {
      const parsed = parse(record);
      if (!parsed.success) return { kind: 'reject', code: bodyFault(parsed.error) };
      const body = parsed.data;
      if (recordedAt !== undefined && parts.dates(body).some((date) => isAhead(date, recordedAt)))
        return { kind: 'reject', code: 'record.future' };
      const author =
        view.principal(record.author) ?? parts.stranger?.(body, view) ?? spokeBefore(record, view);
      if (!author) return { kind: 'wait' };
      // By position, whatever the record's date: a date is its author's word.
      if (author.revoked !== undefined) return { kind: 'reject', code: 'record.revoked' };
      const code = parts.refusal(body, author, view);
      return code === undefined ? { kind: 'accept', author, body } : { kind: 'reject', code };
    },
    latest(record) {
      const { data } = parse(record);
      return data && Math.max(...parts.dates(data).map(toMs));
    },
  };
}
