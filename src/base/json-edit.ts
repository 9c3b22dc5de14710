import type { Json } from './canonical.ts';
import { type JsonChild, type JsonContainer, type JsonNode, LINE_BREAK } from './json-text.ts';

/** Puts `text` in the place of the characters from `start` to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** How a file is laid out, as far as new entries must match it. */
interface Layout {
  readonly newline: string;
  /** One step of indentation. */
  readonly unit: string;
  /** What stands between a key and its value. */
  readonly colon: string;
  /** The white space after a comma where entries share a line. */
  readonly gap: string;
}

/** The indentation of a line; undefined where entries are not on lines of their own. */
type Indent = string | undefined;

/** Carries out edits that don't overlap, in any order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const ordered = [...edits].sort((a, b) => a.start - b.start);
  let at = 0;
  const pieces = ordered.map((edit) => {
    const piece = text.slice(at, edit.start) + edit.text;
    at = edit.end;
    return piece;
  });
  return pieces.join('') + text.slice(at);
}

function* containersIn(node: JsonNode): Generator<JsonContainer> {
  if (node.kind !== 'object' && node.kind !== 'array') return;
  yield node;
  for (const child of node.children) yield* containersIn(child.value);
}

/** The white space before the child at `index`, after the comma or the opening bracket. */
function leadOf(text: string, container: JsonContainer, index: number): string {
  const before = container.children[index - 1];
  const child = container.children[index];
  const gap = text.slice(before?.end ?? container.start + 1, child?.start ?? container.end - 1);
  return before ? gap.slice(gap.indexOf(',') + 1) : gap;
}

function indentOf(space: string): Indent {
  // Looked for where a line begins alone, so that a long one costs its length.
  return LINE_BREAK.test(space) ? /(?<![^\r\n])[^\r\n]*$/.exec(space)?.[0] : undefined;
}

/** One step of indentation, told by the first container that has its children on lines of their own. */
function unitOf(text: string, containers: readonly JsonContainer[]): string {
  for (const container of containers) {
    const last = container.children.at(-1);
    const inner = last && indentOf(leadOf(text, container, 0));
    if (last === undefined || inner === undefined) continue;
    const outer = indentOf(text.slice(last.end, container.end - 1)) ?? '';
    if (inner.startsWith(outer)) return inner.slice(outer.length);
  }
  return '  ';
}

/** Reads the layout of a file from its text; a file that shows none gets two spaces and a line feed. */
export function layoutOf(text: string, root: JsonNode): Layout {
  const containers = [...containersIn(root)];
  const keyed = containers.find((c) => c.kind === 'object' && c.children.length > 0)?.children[0];
  const colon = keyed?.key ? text.slice(keyed.key.end, keyed.value.start) : ': ';
  const leads = containers.filter((c) => c.children.length > 1).map((c) => leadOf(text, c, 1));
  const gap = leads.find((lead) => !LINE_BREAK.test(lead));
  return {
    newline: LINE_BREAK.exec(text)?.[0] ?? '\n',
    unit: unitOf(text, containers),
    colon: LINE_BREAK.test(colon) ? ': ' : colon,
    gap: gap ?? (colon.endsWith(':') ? '' : ' '),
  };
}

/**
 * The indentation that a new last child of `container` gets: that of its last child, or one step more than
 * `outer`, the indentation of the line that the container opens on.
 */
export function childIndent(
  text: string,
  container: JsonContainer,
  outer: Indent,
  layout: Layout,
): Indent {
  const last = container.children.length - 1;
  if (last >= 0) return indentOf(leadOf(text, container, last));
  return outer === undefined ? undefined : outer + layout.unit;
}

function render(value: Json, indent: Indent, layout: Layout): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = indent === undefined ? undefined : indent + layout.unit;
  const parts = Array.isArray(value)
    ? value.map((item: Json) => render(item, inner, layout))
    : Object.entries(value).map(
        ([key, item]) => JSON.stringify(key) + layout.colon + render(item, inner, layout),
      );
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  if (indent === undefined || parts.length === 0)
    return `${open}${parts.join(`,${layout.gap}`)}${close}`;
  const { newline } = layout;
  return `${open}${newline}${inner}${parts.join(`,${newline}${inner}`)}${newline}${indent}${close}`;
}

/** A child to add: `key` for an object, none for an array. */
export interface Addition {
  readonly key?: string;
  readonly value: Json;
}

/**
 * Adds children at the end of a container, in the file's layout. `removeChildren` is its exact inverse: the white
 * space that an empty container held is kept before the closing line that is added, for that one to find.
 */
export function appendChildren(
  text: string,
  container: JsonContainer,
  outer: Indent,
  layout: Layout,
  additions: readonly Addition[],
): Edit {
  const indent = childIndent(text, container, outer, layout);
  const lead = indent === undefined ? '' : layout.newline + indent;
  const bodies = additions.map(
    ({ key, value }) =>
      (key === undefined ? '' : JSON.stringify(key) + layout.colon) + render(value, indent, layout),
  );
  const separator = `,${indent === undefined ? layout.gap : lead}`;
  const last = container.children.at(-1);
  if (last)
    return {
      start: last.end,
      end: last.end,
      text: bodies.map((body) => separator + body).join(''),
    };
  const held = text.slice(container.start + 1, container.end - 1);
  const closing = indent === undefined ? '' : layout.newline + (outer ?? '');
  return {
    start: container.start + 1,
    end: container.end - 1,
    text: lead + bodies.join(separator) + held + closing,
  };
}

/** The white space of a container that has become empty: what stood after its last child, less the closing line. */
function heldSpace(lead: string, tail: string): string {
  const newline = LINE_BREAK.exec(lead)?.[0];
  const closing = newline === undefined ? -1 : tail.lastIndexOf(newline);
  return closing < 0 ? tail : tail.slice(0, closing);
}

/** Takes children out of a container, each with the comma that ties it to the others. */
export function removeChildren(
  text: string,
  container: JsonContainer,
  gone: ReadonlySet<JsonChild>,
): Edit[] {
  const { children } = container;
  const kept = children.findIndex((child) => !gone.has(child));
  const first = children[0];
  const last = children.at(-1);
  if (first === undefined || last === undefined || gone.size === 0) return [];
  if (kept < 0) {
    const held = heldSpace(leadOf(text, container, 0), text.slice(last.end, container.end - 1));
    return [{ start: container.start + 1, end: container.end - 1, text: held }];
  }
  const edits = children.flatMap((child, index): Edit[] => {
    const before = children[index - 1];
    return index > kept && before && gone.has(child)
      ? [{ start: before.end, end: child.end, text: '' }]
      : [];
  });
  const firstKept = children[kept];
  return kept === 0 || !firstKept
    ? edits
    : [{ start: first.start, end: firstKept.start, text: '' }, ...edits];
}
