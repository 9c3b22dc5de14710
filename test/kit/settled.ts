import { verifyHere } from '../../src/base/ed25519.ts';
import { LIMIT } from '../../src/base/limits.ts';
import { toMs } from '../../src/base/time.ts';
import { audit } from '../../src/fold/audit.ts';
import type { Reader } from '../../src/fold/state.ts';
import { RejectionBody } from '../../src/record/fleet.ts';
import type { SignedRecord } from '../../src/record/record.ts';
import { TABLES } from '../../src/snapshot/schema.ts';
import { idOf } from './fleet.ts';
import { auditLedger, inboxOf } from './member.ts';
import { type Deposit, depositsOf, POOL } from './pool.ts';
import type { Outcome } from './rivalry.ts';
import { followingInMemory } from './rivals.ts';

/** An entry of the ledger, and when it was recorded. */
interface Stood {
  readonly seq: number;
  readonly at: number;
  readonly record: SignedRecord;
}

/** What the final bytes say, read without the rules of the product. */
interface Final {
  readonly stood: readonly Stood[];
  readonly heads: readonly { readonly size: number; readonly root: string }[];
  /** By record id. */
  readonly entries: ReadonlyMap<string, readonly Stood[]>;
  /** By what they refuse. */
  readonly rejections: ReadonlyMap<string, readonly (Stood & { readonly code: string })[]>;
  readonly left: readonly string[];
}

async function finalOf({ store }: Outcome): Promise<Final> {
  const { commits } = await auditLedger(store);
  const stood = commits.flatMap(({ entries, checkpoint }) =>
    entries.flatMap((entry) =>
      'record' in entry
        ? [{ seq: entry.seq, record: entry.record, at: toMs(checkpoint.recorded_at) }]
        : [],
    ),
  );
  const entries = new Map<string, Stood[]>();
  const rejections = new Map<string, (Stood & { code: string })[]>();
  for (const one of stood) {
    if (one.record.context === 'rejection') {
      const { item, line, record, code } = RejectionBody.parse(one.record.body);
      const ref = record ?? `${item}#${line ?? 0}`;
      rejections.set(ref, [...(rejections.get(ref) ?? []), { ...one, code }]);
    } else {
      const id = idOf(one.record);
      entries.set(id, [...(entries.get(id) ?? []), one]);
    }
  }
  const heads = commits.map(({ checkpoint: { size, root } }) => ({ size, root }));
  return { stood, heads, entries, rejections, left: await inboxOf(store) };
}

/** Every row of every table. */
function dump(reader: Reader): unknown {
  return TABLES.map((table) => reader.where(table));
}

/** What is wrong with where a run of committers ended: nothing, where all is as it should be. */
export async function faultsOf(outcome: Outcome): Promise<string[]> {
  const final = await finalOf(outcome);
  return [
    ...(await storeFaults(outcome, final)),
    ...beliefFaults(outcome, final),
    ...fateFaults(outcome, final),
    ...orderFaults(final),
    ...(await stateFaults(outcome)),
  ];
}

/** One order that holds; nothing gone too early, and nothing left to do. */
async function storeFaults({ store, early, idle }: Outcome, final: Final): Promise<string[]> {
  const { fault } = await audit({ store, verifyAll: verifyHere, witnesses: [], heard: () => {} });
  const twice = [...final.entries, ...final.rejections].filter(([, all]) => all.length > 1);
  return [
    ...(fault ? [`the audit: ${fault.code} ${fault.message}`] : []),
    ...early.map((key) => `deleted before it was decided: ${key}`),
    ...twice.map(([ref]) => `twice in the ledger: ${ref}`),
    ...(idle > 0 ? [`${idle} commits when there was nothing more to decide`] : []),
  ];
}

/** What a committer was told is so, also in the end. */
function beliefFaults({ rivals }: Outcome, { heads }: Final): string[] {
  return rivals.flatMap(({ beliefs }, i) =>
    beliefs
      .filter(({ n, size, root }) => heads[n - 1]?.size !== size || heads[n - 1]?.root !== root)
      .map(({ n }) => `committer ${i} believes in a commit ${n} that is not there`),
  );
}

/** Each deposit stands once, or is refused once, or waits with its reason. */
function fateFaults(outcome: Outcome, final: Final): string[] {
  const faults: string[] = [];
  const expected = new Set<string>();
  const now = Math.max(outcome.now, final.stood.at(-1)?.at ?? 0);
  for (const [key, names] of outcome.items) {
    for (const [i, one] of depositsOf(names).entries()) {
      const stands = final.entries.get(one.id ?? '')?.length ?? 0;
      const refused = final.rejections.get(one.id ?? `${key}#${i + 1}`) ?? [];
      const reason = stands + refused.length === 0 ? waitsFor(one, final, now) : undefined;
      if (reason !== undefined) {
        expected.add(`${one.id} ${reason}`);
        if (!final.left.includes(key)) faults.push(`lost: ${one.name}`);
        continue;
      }
      const code = refused[0]?.code;
      if (stands + refused.length !== 1)
        faults.push(`${one.name} stands ${stands} times, and is refused ${refused.length} times`);
      else if (code !== undefined && !mayRefuse(one, code, refused[0]?.at ?? 0))
        faults.push(`${one.name} is refused by ${code}`);
      else if (code === undefined && !one.canStand) faults.push(`${one.name} stands`);
    }
  }
  for (const [i, waiting] of outcome.waiting.entries()) {
    const told = [...new Set(waiting.map(({ id, for: reason }) => `${id} ${reason}`))].sort();
    if (told.join() !== [...expected].sort().join())
      faults.push(`committer ${i} was told that ${told.join()} waits, not ${[...expected].join()}`);
  }
  return faults;
}

/** Why a deposit may still wait; undefined where it may not. */
function waitsFor(one: Deposit, final: Final, now: number): 'date' | 'admission' | undefined {
  if (one.dated > now + LIMIT.future_ms_max) return 'date';
  const isMissing = (name: string) => !final.entries.has(POOL.get(name)?.id ?? '');
  return one.needs.some(isMissing) ? 'admission' : undefined;
}

function mayRefuse(one: Deposit, code: string, at: number): boolean {
  if (code === 'record.future') return one.dated > at + LIMIT.future_reject_ms;
  const waitsNoLonger = at > one.dated + LIMIT.reference_wait_ms;
  return one.refusals.includes(code) || (code.endsWith('.unknown') && waitsNoLonger);
}

/** What stands stands behind what it needs, dated by then, and where what came before lets it. */
function orderFaults({ stood, rejections }: Final): string[] {
  const faults: string[] = [];
  const names = new Map(
    [...POOL.values()].flatMap((one) => (one.id ? [[one.id, one] as const] : [])),
  );
  const refusedAt = [...rejections].flatMap(([ref, all]) =>
    all.map(({ seq, code }) => ({ seq, code, of: names.get(ref) })),
  );
  const before = new Set<string>();
  const decision = new Decisions();
  for (const { seq, at, record } of stood) {
    const one = names.get(record.context === 'rejection' ? '' : idOf(record));
    const refusal = refusedAt.find((other) => other.seq === seq);
    if (refusal?.of && !decision.refuses(refusal.of, refusal.code, before))
      faults.push(
        `${refusal.of.name} is refused by ${refusal.code}, and nothing before it says so`,
      );
    if (!one) continue;
    if (one.dated > at + LIMIT.future_ms_max) faults.push(`${one.name} stands before its date`);
    for (const need of one.needs)
      if (!before.has(need)) faults.push(`${one.name} stands before ${need}`);
    if (!decision.takes(one)) faults.push(`${one.name} stands, and what is before it refuses it`);
    before.add(one.name);
  }
  return faults;
}

/** What of the pool excludes what: written from the format's text, and not by the rules of the product. */
class Decisions {
  readonly #approvals = new Map<string, number>();
  readonly #closed = new Set<string>();
  #revision = 0;

  /** Takes what stands next into account; false where it should not stand. */
  takes({ name }: Deposit): boolean {
    const [, what = '', on = ''] = /(approve|reject|retire|revision) (\d)/.exec(name) ?? [];
    if (what === '') return true;
    if (what === 'revision') {
      const isNext = Number(on) > this.#revision;
      this.#revision = Math.max(this.#revision, Number(on));
      return isNext;
    }
    const key = `${what === 'retire' ? 'retire' : 'review'} ${on}`;
    const isOpen = !this.#closed.has(key);
    const approvals = (this.#approvals.get(key) ?? 0) + 1;
    if (what === 'approve') this.#approvals.set(key, approvals);
    if (what !== 'approve' || approvals === 2) this.#closed.add(key);
    return isOpen;
  }

  /** Whether what stands so far is a reason to refuse for this code; true of codes that have none. */
  refuses({ name, needs }: Deposit, code: string, before: ReadonlySet<string>): boolean {
    if (code.endsWith('.unknown')) return !needs.every((need) => before.has(need));
    const on = /\d/.exec(name)?.[0] ?? '';
    if (code === 'promotion.decided') return this.#closed.has(`review ${/(\d)$/.exec(name)?.[1]}`);
    if (code === 'claim.retired') return this.#closed.has(`retire ${on}`);
    return code !== 'session.revision_taken' || this.#revision >= Number(on);
  }
}

/** Every committer has the state that the final bytes fold to, in which everything counts. */
async function stateFaults({ store, rivals }: Outcome): Promise<string[]> {
  const following = followingInMemory(store);
  await following.follow();
  const { reader } = following;
  const expected = JSON.stringify(dump(reader));
  return [
    ...rivals.flatMap((rival, i) =>
      JSON.stringify(dump(rival.reader)) === expected ? [] : [`committer ${i} has another state`],
    ),
    ...reader
      .where('unusable')
      .map(({ at, context, code }) => `${context} ${at} counts not: ${code}`),
  ];
}
