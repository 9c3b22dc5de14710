/** Adds a number to a binary heap, whose smallest comes first; an empty array is an empty heap. O(log n). */
export function pushHeap(heap: number[], value: number): void {
  let at = heap.push(value) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? value;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

/** Takes the smallest number off a heap; undefined where it is empty. O(log n). */
export function popHeap(heap: number[]): number | undefined {
  const smallest = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return smallest;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    const right = left + 1;
    const leftValue = heap[left] ?? Number.POSITIVE_INFINITY;
    const rightValue = heap[right] ?? Number.POSITIVE_INFINITY;
    const child = rightValue < leftValue ? right : left;
    const below = Math.min(leftValue, rightValue);
    if (below >= last) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = last;
  return smallest;
}
