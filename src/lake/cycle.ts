/**
 * The strongly connected components of a directed graph, as a number for each node: two nodes have the same
 * where each reaches the other, so an edge lies on a cycle exactly where its ends do. `successors` lists the
 * nodes that each node points to. Tarjan's algorithm, O(nodes + edges), on a stack of its own instead of
 * calls: a chain of any length is fine.
 */
export function components(successors: readonly (readonly number[])[]): Int32Array {
  const size = successors.length;
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const next = new Int32Array(size);
  const component = new Int32Array(size).fill(-1);
  const open: number[] = [];
  let visited = 0;
  let found = 0;
  for (let root = 0; root < size; root++) {
    if (order[root] !== -1) continue;
    const path = [root];
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      if (order[node] === -1) {
        order[node] = low[node] = visited++;
        open.push(node);
      }
      const at = next[node] ?? 0;
      const successor = successors[node]?.[at];
      if (successor !== undefined) {
        next[node] = at + 1;
        if (order[successor] === -1) path.push(successor);
        else if (component[successor] === -1) lower(low, node, order[successor]);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) lower(low, parent, low[node]);
      if (low[node] === order[node]) close(open, node, component, found++);
    }
  }
  return component;
}

function lower(low: Int32Array, node: number, value: number | undefined): void {
  low[node] = Math.min(low[node] ?? 0, value ?? 0);
}

function close(open: number[], root: number, component: Int32Array, id: number): void {
  for (let node = open.pop(); node !== undefined; node = node === root ? undefined : open.pop()) {
    component[node] = id;
  }
}
