import { canonical } from '../../base/canonical.ts';
import { codeOf } from '../../base/errors.ts';
import { LIMIT } from '../../base/limits.ts';
import { type Instant, toInstant } from '../../base/time.ts';
import { type BundleImportBody, CARRIED, type ForeignRecord } from '../../record/bundle.ts';
import type { Role } from '../../record/fleet.ts';
import { type OpenedRecord, open, uncheckedRecord } from '../../record/record.ts';
import type { LedgerView, Principal } from '../port.ts';
import { type Room, roomOver } from '../room.ts';
import type { Rule } from './rule.ts';

/** Finds the rule of a record: handed in, since the table of rules has this one too. */
type RuleOf = (record: OpenedRecord) => Rule | undefined;

/** The latest instant that each carried record claims: none comes in from the future by way of another fleet. */
export function carriedDates({ records }: BundleImportBody, ruleOf: RuleOf): Instant[] {
  return records.flatMap(({ record }) => {
    const opened = attempt(() => uncheckedRecord(record).record);
    const latest = typeof opened === 'string' ? undefined : ruleOf(opened)?.latest(opened);
    return latest === undefined ? [] : [toInstant(latest)];
  });
}

/** What carried records can need there. */
const SPEAKING: readonly Role[] = ['propose', 'extract', 'review'];

/** Whom a carried record's author spoke for in its fleet, with the roles that its record can need there. */
function foreignPrincipal({ principal, kind, operator, record }: ForeignRecord): Principal {
  const address = record.body.author;
  return { address, principal, kind, operator, roles: SPEAKING, admitted: 0 };
}

/**
 * Who may propose may say what another fleet claims; in an open fleet every person too, who could speak there under any
 * key. Each record is held against what is known of its own fleet, and nothing of this one: one that does not hold is a
 * reason to refuse them all, since whoever imports has checked them.
 */
export function importRefusal(
  body: BundleImportBody,
  author: Principal,
  view: LedgerView,
  ruleOf: RuleOf,
): string | undefined {
  const isOpenToPeople = author.kind === 'person' && view.fleet()?.admission === 'open';
  const mayPropose = author.roles.includes('propose') || author.roles.includes('admin');
  if (!mayPropose && !isOpenToPeople) return 'import.role';
  if (body.origin.fleet === view.fleet()?.entry) return 'import.own';
  if (Buffer.byteLength(canonical(body)) > LIMIT.import_bytes_max) return 'import.size';
  const { fleet: entry, fleet_id: id } = body.origin;
  // Nobody speaks there who is not named with what they say.
  const fleet = () => ({ id, admission: 'closed' as const, entry });
  const room = roomOver({ ...view.room(entry), fleet });
  let before = 0;
  for (const one of body.records) {
    if (one.seq <= before) return 'import.order';
    before = one.seq;
    const code = carriedRefusal(one, room, ruleOf);
    if (code !== undefined) return code;
  }
  return undefined;
}

function carriedRefusal(one: ForeignRecord, room: Room, ruleOf: RuleOf): string | undefined {
  if (!CARRIED.includes(one.record.context)) return 'import.context';
  const record = attempt(() => open(one.record));
  if (typeof record === 'string') return record;
  // Held already: a bundle that comes twice, or another with some of the same, changes nothing.
  if (room.isHeld(record.id)) return undefined;
  const speaker = foreignPrincipal(one);
  room.admit(speaker);
  // Whose agent it speaks for stands in the bundle, and not in its import: whoever imports has seen it there.
  const judged = ruleOf(record)?.judge(record, { ...room, keysOf: () => [speaker] });
  if (judged?.kind === 'reject' && judged.code.endsWith('.unknown')) return 'import.incomplete';
  if (judged?.kind !== 'accept') return judged?.kind === 'reject' ? judged.code : 'record.context';
  room.take(record, speaker);
  return undefined;
}

function attempt(body: () => OpenedRecord): OpenedRecord | string {
  try {
    return body();
  } catch (error) {
    return codeOf(error);
  }
}
