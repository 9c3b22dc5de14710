import { LIMIT } from '../base/limits.ts';
import { toMs } from '../base/time.ts';
import type { OpenedEntry } from '../ledger/entry.ts';
import type { KnownContent, Principal } from '../ledger/port.ts';
import { entryRefusal } from '../ledger/rules/erasure.ts';
import { selfSpoken } from '../ledger/rules/rule.ts';
import { ErasureBody } from '../record/erasure.ts';
import { RevocationBody } from '../record/fleet.ts';
import type { OpenedRecord } from '../record/record.ts';
import type { Reader } from './state.ts';
import { principalOf, viewOf } from './view.ts';

/** A position that was erased, and whose bytes still hold what stood there. */
export interface Unerased {
  readonly seq: number;
  readonly commit: number;
  /** The record that erased it. */
  readonly erasure: string;
}

/** What an audit keeps of an entry that can be erased. */
interface Content extends KnownContent {
  readonly commit: number;
}

/**
 * What an audit knows of erasures: which positions are stubs, which are whole, and which of them erasures have named. A
 * position is named where the erasure's author may erase it; whether all went with it that had to, followers judge.
 */
export class AuditedErasures {
  readonly #contents = new Map<number, Content>();
  readonly #stubs = new Map<number, { readonly commitment: string; readonly commit: number }>();
  readonly #named = new Map<number, string>();
  /** Keys that were revoked, of those that nobody admitted: an audit folds no claims, by which they admitted themselves. */
  readonly #ended = new Set<string>();

  /** Takes a commit's entries, and the membership after it, into account. */
  see(commit: number, entries: readonly OpenedEntry[], members: Reader): void {
    for (const entry of entries) {
      const { seq, context, commitment } = entry;
      if ('erased' in entry) this.#stubs.set(seq, { commitment: entry.erased, commit });
      else if (commitment !== undefined && 'record' in entry) {
        const { author } = entry.record;
        const { principal, operator } = principalOf(members, author) ?? {
          principal: author,
          operator: author,
        };
        this.#contents.set(seq, {
          ...{ context, commitment, principal, operator, about: undefined, commit },
        });
      } else if (context === 'erasure' && 'record' in entry) this.#erase(entry, members);
      else if (context === 'revocation' && 'record' in entry) this.#end(entry.record, members);
    }
  }

  /** An admin ends any key, and each ends itself. */
  #end({ author, body }: OpenedRecord, members: Reader): void {
    const { address } = RevocationBody.safeParse(body).data ?? {};
    if (address === undefined || principalOf(members, address)) return;
    const isAdmin = principalOf(members, author)?.roles.includes('admin') === true;
    if (isAdmin || author === address) this.#ended.add(address);
  }

  #erase(entry: Extract<OpenedEntry, { readonly record: unknown }>, members: Reader): void {
    const { record, recordedAt } = entry;
    const body = ErasureBody.safeParse(record.body).data;
    const view = viewOf(members);
    const stranger = this.#ended.has(record.author) ? undefined : selfSpoken(record, view);
    const author: Principal | undefined = view.principal(record.author) ?? stranger;
    // A committer's batch ends at an erasure: nobody was revoked after it, in its own commit.
    if (!body || !author || author.revoked !== undefined) return;
    const latest = toMs(recordedAt ?? body.issued_at) + LIMIT.future_ms_max;
    if (toMs(body.issued_at) > latest) return;
    const known = {
      ...view,
      content: (seq: number) => this.#contents.get(seq),
      stub: (seq: number) => this.#stubOf(seq),
    };
    if (body.entries.some((one) => entryRefusal(one, author, known) !== undefined)) return;
    for (const { seq } of body.entries) this.#named.set(seq, record.id);
  }

  #stubOf(seq: number) {
    const erasure = this.#named.get(seq);
    const stub = this.#stubs.get(seq);
    const commitment = stub?.commitment ?? this.#contents.get(seq)?.commitment;
    if (commitment === undefined || (!stub && erasure === undefined)) return undefined;
    return { commitment, erasure };
  }

  /** The first stub that no accepted erasure names; undefined where there is none. */
  strayStub(): { readonly commit: number; readonly message: string } | undefined {
    for (const [seq, { commit }] of this.#stubs) {
      if (this.#named.has(seq)) continue;
      const message = `commit ${commit}: entry ${seq} is gone, and no erasure of this ledger names it`;
      return { commit, message };
    }
    return undefined;
  }

  /** What was named, and whose bytes are whole. */
  unerased(): Unerased[] {
    return [...this.#named].flatMap(([seq, erasure]) => {
      const content = this.#contents.get(seq);
      return content ? [{ seq, commit: content.commit, erasure }] : [];
    });
  }
}
