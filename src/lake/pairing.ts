/** When a counted native key occurs, in milliseconds, and by which message of the transcript, where that is known. */
export interface Occurrence {
  readonly time: number;
  /** A number that stands for the message's id. */
  readonly message?: number | undefined;
}

/** An occurrence that has its ordinal. */
export interface Counted extends Occurrence {
  readonly ordinal: number;
}

/**
 * The ordinal of each of a transcript's occurrences of one native key, in its order. One of a message that is known is that
 * one; the others are paired by time with those of which no message is known.
 */
export function pairOccurrences(
  told: readonly Occurrence[],
  known: readonly Counted[],
  next: number,
): number[] {
  const named = new Map(known.map(({ message, ordinal }) => [message, ordinal]));
  const sure = told.map(({ message }) => (message === undefined ? undefined : named.get(message)));
  const left = told.filter((_, i) => sure[i] === undefined);
  const unnamed = known.filter(({ message }) => message === undefined);
  const times = left.map(({ time }) => time);
  const others = ordinalsOf(times, unnamed, next).values();
  return sure.map((ordinal) => ordinal ?? others.next().value ?? next);
}

/**
 * The ordinal of each of a transcript's occurrences of one native key, whose times are `told`, in its order. They are
 * paired with the known ones in the order of time; where one side has more, each of the other takes the nearest that
 * leaves enough for those after it. The transcript's that are left, which hooks missed, count on from `next`.
 */
export function ordinalsOf(
  told: readonly number[],
  known: readonly Counted[],
  next: number,
): number[] {
  const theirs = told.map((time, index) => ({ time, index })).sort(byTime);
  const ours = known.map(({ time, ordinal }) => ({ time, index: ordinal })).sort(byTime);
  const isFewer = ours.length <= theirs.length;
  const [few, many] = isFewer ? [ours, theirs] : [theirs, ours];
  const ordinals = new Map<number, number>();
  for (const [i, at] of nearest(few, many).entries()) {
    const pair = isFewer ? [theirs[at], ours[i]] : [theirs[i], ours[at]];
    if (pair[0] && pair[1]) ordinals.set(pair[0].index, pair[1].index);
  }
  let fresh = next;
  return told.map((_time, index) => ordinals.get(index) ?? fresh++);
}

interface Moment {
  readonly time: number;
  readonly index: number;
}

function byTime(a: Moment, b: Moment): number {
  return a.time - b.time || a.index - b.index;
}

/** For each of the fewer the place of its partner among the many, in order. Both ascend. O(n log n). */
function nearest(few: readonly Moment[], many: readonly Moment[]): number[] {
  const timeAt = (at: number) => many[at]?.time ?? Number.POSITIVE_INFINITY;
  let from = 0;
  return few.map(({ time }, i) => {
    const last = many.length - (few.length - i);
    const after = firstAt(many, time, from, last);
    const isCloser = after > from && time - timeAt(after - 1) <= timeAt(after) - time;
    const at = isCloser ? after - 1 : after;
    from = at + 1;
    return at;
  });
}

/** The first place in [from, last] whose time is not before this one; `last` where there is none. */
function firstAt(many: readonly Moment[], time: number, from: number, last: number): number {
  let [low, high] = [from, last];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((many[middle]?.time ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
