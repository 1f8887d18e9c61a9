import type { Span } from "@toolweave/console";

/** A span at its place in the tree of a run. */
export interface SpanNode {
  readonly span: Span;
  readonly depth: number;
  /** The index of the span above in the list of all nodes; -1: there is none. */
  readonly parent: number;
  /** The index after the last node below this one. */
  readonly end: number;
  /** There are nodes below this one. */
  readonly hasParts: boolean;
}

/** All spans of a run in the order in which they are displayed: each before those below it, by their start. */
export type SpanTree = readonly SpanNode[];

/** Puts the spans of a run in order. A span whose parent is missing is displayed at the top. */
export function buildSpanTree(spans: readonly Span[]): SpanTree {
  const ids = new Set(spans.map(({ id }) => id));
  const children = new Map<string | undefined, Span[]>();
  for (const span of spans) {
    const parent = span.parent !== undefined && ids.has(span.parent) ? span.parent : undefined;
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [span]);
    else siblings.push(span);
  }
  for (const siblings of children.values()) siblings.sort((a, b) => a.from - b.from);
  const nodes: (Omit<SpanNode, "end"> & { end: number })[] = [];
  const open: { spans: readonly Span[]; next: number; depth: number; parent: number }[] = [
    { spans: children.get(undefined) ?? [], next: 0, depth: 0, parent: -1 },
  ];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const span = level.spans[level.next++];
    if (span === undefined) {
      open.pop();
      if (level.parent >= 0) (nodes[level.parent] as { end: number }).end = nodes.length;
      continue;
    }
    const { depth, parent } = level;
    const index = nodes.length;
    const below = children.get(span.id);
    nodes.push({ span, depth, parent, end: index + 1, hasParts: below !== undefined });
    if (below !== undefined) open.push({ spans: below, next: 0, depth: depth + 1, parent: index });
  }
  return nodes;
}

/** The choice of a person. */
export interface SpanFilter {
  readonly query: string;
  readonly isFailedOnly: boolean;
  /** The ids of spans whose parts are hidden. */
  readonly collapsed: ReadonlySet<string>;
}

/** Whether a span has ended badly. */
export function isFailed({ state }: Span): boolean {
  return state === "error" || state === "rejected" || state === "unknown";
}

/** The texts of nodes for searches, in lower case: made by the first search, not when a run is opened. */
const searchTextsByTree = new WeakMap<SpanTree, readonly string[]>();

function searchTexts(tree: SpanTree): readonly string[] {
  const known = searchTextsByTree.get(tree);
  if (known !== undefined) return known;
  const texts = tree.map(({ span: { tool, kind, state, code = "", message = "", callId } }) =>
    `${tool} ${kind} ${state} ${code} ${message} ${callId}`.toLowerCase(),
  );
  searchTextsByTree.set(tree, texts);
  return texts;
}

/** The nodes to display: those that match, and the ones above them. Without a filter: all that are not collapsed. */
export function filterSpans(tree: SpanTree, filter: SpanFilter): readonly SpanNode[] {
  const { query, isFailedOnly, collapsed } = filter;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !isFailedOnly) {
    if (collapsed.size === 0) return tree;
    const visible: SpanNode[] = [];
    for (let index = 0; index < tree.length;) {
      const node = tree[index] as SpanNode;
      visible.push(node);
      index = collapsed.has(node.span.id) ? node.end : index + 1;
    }
    return visible;
  }
  const texts = words.length === 0 ? [] : searchTexts(tree);
  const keep = new Uint8Array(tree.length);
  // From the end: a node is reached after all that are below it.
  for (let index = tree.length - 1; index >= 0; index--) {
    const { span, parent } = tree[index] as SpanNode;
    const text = texts[index] ?? "";
    const matches = (!isFailedOnly || isFailed(span)) && words.every((word) => text.includes(word));
    if (matches) keep[index] = 1;
    if (keep[index] === 1 && parent >= 0) keep[parent] = 1;
  }
  return tree.filter((_, index) => keep[index] === 1);
}
