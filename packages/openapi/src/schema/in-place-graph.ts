import type { JsonSchema } from "@toolweave/core";
import { inPlaceKeywords, inPlaceSubschemas } from "@toolweave/core/adapter";
import type { Location, Scope } from "../document/references/location.ts";
import { isRecord } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import type { PolymorphicParents } from "./polymorphic-parents.ts";

interface Edge {
  readonly node: JsonRecord;
  /** The location of the node. */
  readonly at: Pick<Location, "scope" | "pointer">;
  /** The reference is a branch of `oneOf` or `anyOf`. */
  readonly union: boolean;
}

const maxDepth = 64;
const maxVisits = 10_000;

/**
 * The schemas that apply to the same value as another one: through `$ref`, `allOf`, `oneOf` and similar keywords, not
 * through properties or items. A validator never terminates on a cycle in this graph, such as a base type that lists
 * its children in `oneOf`, while each child has the base in `allOf`.
 */
export class InPlaceGraph {
  readonly #resolver: ReferenceResolver;
  readonly #parents: PolymorphicParents | undefined;
  readonly #edges = new Map<JsonRecord, readonly Edge[]>();
  /** Number of edges that the last search visited. */
  visited = 0;
  // YAML aliases can expand a small schema to a huge one.
  #remaining = 0;

  /** @param parents the parents with a discriminator, whose children are alternatives to them. */
  constructor(resolver: ReferenceResolver, parents?: PolymorphicParents) {
    this.#resolver = resolver;
    this.#parents = parents;
  }

  /** Returns true if `goal` applies wherever `start` does. */
  reaches(start: Location, goal: unknown, unionsOnly: boolean): boolean {
    this.visited = 0;
    if (start.value === goal) return true;
    if (this.#findEdges(start.value as JsonRecord, start).length === 0) return false;
    const seen = new Set<JsonRecord>();
    const open: Pick<Edge, "node" | "at">[] = [{ node: start.value as JsonRecord, at: start }];
    while (open.length > 0 && seen.size < maxVisits) {
      const { node, at } = open.pop() as Edge;
      if (seen.has(node)) continue;
      seen.add(node);
      for (const edge of this.#findEdges(node, at)) {
        this.visited++;
        if (unionsOnly && !edge.union) continue;
        if (edge.node === goal) return true;
        if (!seen.has(edge.node)) open.push(edge);
      }
    }
    return false;
  }

  #findEdges(node: JsonRecord, at: Pick<Location, "scope" | "pointer">): readonly Edge[] {
    let edges = this.#edges.get(node);
    if (edges === undefined) {
      const found: Edge[] = [];
      this.#remaining = maxVisits;
      this.#collect(node, at.scope, false, found, 0, at);
      edges = found.length === 0 ? none : found;
      this.#edges.set(node, edges);
    }
    return edges;
  }

  #collect(
    value: unknown,
    scope: Scope,
    union: boolean,
    found: Edge[],
    depth: number,
    at: Pick<Location, "scope" | "pointer"> = { scope, pointer: "" },
  ): void {
    if (!isRecord(value) || depth > maxDepth || this.#remaining-- <= 0) return;
    const target = this.#resolver.peek(value, scope);
    if (isRecord(target?.value)) {
      // An alias of another schema is an alternative if the schema that contains it is.
      const alias = depth === 0 && Object.keys(value).length === 1;
      found.push({ node: target.value, at: target, union: union || alias });
    }
    for (const { location } of this.#parents?.getFamily(value, at)?.children ?? []) {
      found.push({ node: location.value as JsonRecord, at: location, union: true });
    }
    for (const other of this.#resolver.peekDynamic(value, scope)) {
      if (isRecord(other.value)) found.push({ node: other.value, at: other, union });
    }
    for (const [part, [keyword]] of inPlaceSubschemas(value as JsonSchema)) {
      const isChoice = keyword === "anyOf" || keyword === "oneOf";
      this.#collect(part, scope, isChoice, found, depth + 1);
    }
  }
}

const none: readonly Edge[] = [];

const applicators: ReadonlySet<string> = new Set([
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "discriminator",
  ...inPlaceKeywords,
]);

/** Returns the own constraints of a schema, without those of the schemas that it applies. */
export function withoutApplicators(schema: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => !applicators.has(key)));
}
