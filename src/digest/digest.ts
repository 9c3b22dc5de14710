import { truncateUtf8 } from '../base/text.ts';
import { toMs } from '../base/time.ts';
import { defined, textOf } from '../base/unknown.ts';
import { stripFences } from '../capture/fence.ts';
import { IdTable } from '../lake/id-table.ts';
import { mergeEvents } from '../lake/merge.ts';
import type { Digest } from '../record/digest.ts';
import type { Envelope } from '../runtime/envelope.ts';
import { UsageMeter } from './usage.ts';
import { WorkTally } from './work.ts';

const TEXT_BYTES_MAX = 280;
const NAME_BYTES_MAX = 200;
/** Calls that wait for their result, which can come in a later run. */
const PENDING_MAX = 10_000;
const FAILURES_MIN = 3;

function excerpt(content: string | undefined): string | undefined {
  if (content === undefined) return undefined;
  return textOf(truncateUtf8(stripFences(content).replace(/\s+/g, ' ').trim(), TEXT_BYTES_MAX));
}

function name(text: string | undefined): string | undefined {
  return text === undefined ? undefined : truncateUtf8(text, NAME_BYTES_MAX);
}

/**
 * Makes a session's digest from its events, one after another, in bounded memory: pure arithmetic, so that the
 * same events in the same order give the same bytes. Source: the design's Tier 0; docs/formats/digest.md.
 */
export class Digester {
  readonly #usage = new UsageMeter();
  readonly #work = new WorkTally();
  readonly #pending = new Map<string, Envelope>();
  /** What a later run only completes or repeats is not counted again. */
  readonly #counted = new IdTable();
  #asked: string | undefined;
  #replied: string | undefined;
  #prompts = 0;
  #turns = 0;
  #compactions = 0;
  #awaiting = false;
  #lastDetail: string | undefined;
  #shaBefore: string | undefined;
  #shaAfter: string | undefined;
  #branch: string | undefined;
  #first = Number.POSITIVE_INFINITY;
  #last = Number.NEGATIVE_INFINITY;

  add(event: Envelope): void {
    const time = toMs(event.emitted_at);
    this.#first = Math.min(this.#first, time);
    this.#last = Math.max(this.#last, time);
    this.#shaBefore ??= name(event.git_sha);
    this.#shaAfter = name(event.git_sha) ?? this.#shaAfter;
    this.#branch = name(event.branch) ?? this.#branch;
    this.#work.startIn(event.cwd);
    const isRepeated = this.#counted.numberOf(event.event_id) !== undefined;
    this.#usage.add(event, isRepeated);
    if (isRepeated) return;
    if (event.event_type !== 'tool_call') this.#counted.add(event.event_id);
    switch (event.event_type) {
      case 'prompt':
        this.#prompts += 1;
        this.#awaiting = true;
        this.#asked ??= excerpt(event.content);
        return;
      case 'compact':
        this.#compactions += 1;
        return;
      case 'tool_call':
        this.#addCall(event);
        return;
      case 'assistant':
        this.#lastDetail = event.detail;
        this.#answered();
        if (event.role === 'assistant') this.#replied = excerpt(event.content) ?? this.#replied;
        return;
      case 'turn_end':
        this.#answered();
        this.#replied = excerpt(event.content) ?? this.#replied;
        return;
      case 'session_start':
      case 'session_end':
      case 'other':
        return;
    }
  }

  #answered(): void {
    if (this.#awaiting) this.#turns += 1;
    this.#awaiting = false;
  }

  #addCall(event: Envelope): void {
    const earlier = this.#pending.get(event.event_id);
    // A call answers a prompt; its result, which may come after the next prompt, does not.
    if (!earlier) this.#answered();
    const [call = event] = earlier ? mergeEvents([earlier, event]) : [event];
    this.#pending.delete(event.event_id);
    if (call.tool?.outcome !== undefined) {
      this.#count(call);
      return;
    }
    this.#pending.set(call.event_id, call);
    for (const [id, oldest] of this.#pending) {
      if (this.#pending.size <= PENDING_MAX) return;
      this.#pending.delete(id);
      this.#count(oldest);
    }
  }

  #count(call: Envelope): void {
    this.#counted.add(call.event_id);
    this.#work.add(call);
  }

  /**
   * abandoned: the last prompt has no answer, or the last three tool calls failed. error: the last tool call
   * failed, or the last reply is an error of the runtime. Else clean. A missing end event decides nothing.
   */
  #outcome(): Digest['outcome'] {
    const trailing = this.#work.trailingFailures;
    if (this.#awaiting || trailing >= FAILURES_MIN) return 'abandoned';
    return trailing > 0 || this.#lastDetail === 'api_error' ? 'error' : 'clean';
  }

  /** First and last event time in milliseconds, or undefined without an event. */
  window(): { readonly first: number; readonly last: number } | undefined {
    return this.#last < this.#first ? undefined : { first: this.#first, last: this.#last };
  }

  /** The whole digest. To be called once. */
  finish(coverage?: NonNullable<Digest['coverage']>): Digest {
    for (const call of this.#pending.values()) this.#work.add(call);
    const outcome = this.#outcome();
    const window = this.window();
    return {
      version: 1,
      ...defined({ asked: this.#asked, replied: this.#replied }),
      outcome,
      prompts: this.#prompts,
      turns: this.#turns,
      ...this.#usage.finish(),
      ...this.#work.finish(outcome),
      ...defined({
        git_sha_before: this.#shaBefore,
        git_sha_after: this.#shaAfter,
        branch: this.#branch,
      }),
      duration_ms: window ? window.last - window.first : 0,
      compactions: this.#compactions,
      ...defined({ coverage }),
    };
  }
}

/** The digest of events that are merged and in order. */
export function digestOf(
  events: readonly Envelope[],
  coverage?: NonNullable<Digest['coverage']>,
): Digest {
  const digester = new Digester();
  for (const event of events) digester.add(event);
  return digester.finish(coverage);
}
