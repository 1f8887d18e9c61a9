import { isRecord, type JsonRecord } from "../record.ts";
import type { Location, Scope } from "./location.ts";

/**
 * The targets of the dynamic anchors with which a schema was entered: for each name, the outermost schema resource that
 * has it (JSON Schema 2020-12 core, section 8.2.3.2). Equal scopes are the same object.
 */
export interface DynamicScope {
  /** The empty name is that of `$recursiveAnchor` (2019-09). */
  readonly anchors: ReadonlyMap<string, Location>;
  /** Identifies the scope; the same in every process. */
  readonly key: string;
}

/** Maximum number of scopes in a document: for each one, the schemas that it reaches are translated again. */
const maxScopes = 100;

/** The dynamic scopes of a document. */
export class DynamicScopes {
  readonly #known = new Map<string, DynamicScope>();

  /** Returns `outer`, with those anchors of an entered resource whose names it does not have yet. */
  within(
    outer: DynamicScope | undefined,
    anchors: ReadonlyMap<string, Location>,
  ): DynamicScope | undefined {
    if (outer !== undefined && [...anchors.keys()].every((name) => outer.anchors.has(name))) {
      return outer;
    }
    const all = new Map([...anchors, ...(outer?.anchors ?? [])]);
    const key = [...all]
      .map(([name, { scope, pointer }]) => `${name}=${scope.document.label}#${pointer}`)
      .toSorted()
      .join("\n");
    const known = this.#known.get(key);
    // Above the maximum, anchors are resolved in the outer scope.
    if (known !== undefined || this.#known.size >= maxScopes) return known ?? outer;
    const scope = { anchors: all, key };
    this.#known.set(key, scope);
    return scope;
  }
}

/** Returns the `$dynamicRef` of 2020-12, or the `$recursiveRef` of 2019-09. */
export function getDynamicReference(node: JsonRecord): string | undefined {
  const reference = node["$dynamicRef"] ?? node["$recursiveRef"];
  return typeof reference === "string" ? reference : undefined;
}

/** The part of a `ReferenceResolver` that the search uses. */
interface ReferenceTargets {
  peek(value: unknown, scope: Scope): Location | undefined;
  scopeAt(scope: Scope, node: unknown, pointer: string): Scope;
}

interface Visit {
  readonly node: object;
  readonly scope: Scope;
  /** All nodes that it contains and refers to were visited. */
  readonly done: boolean;
}

/**
 * Determines which schemas depend on a dynamic scope: those that contain a `$dynamicRef`, and those from which
 * references lead to one. All others are the same in every scope.
 */
export class DynamicDependents {
  readonly #references: ReferenceTargets;
  readonly #known = new Map<object, boolean>();

  constructor(references: ReferenceTargets) {
    this.#references = references;
  }

  has(value: unknown, scope: Scope): boolean {
    if (typeof value !== "object" || value === null) return false;
    return this.#known.get(value) ?? this.#search({ node: value, scope, done: false });
  }

  #search(start: Visit): boolean {
    const open: Visit[] = [start];
    const seen = new Set<object>();
    /** The nodes between the start and the current node. */
    const path: object[] = [];
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { node, scope, done } = visit;
      if (done) {
        path.pop();
        continue;
      }
      const verdict = this.#known.get(node);
      if (verdict === false || seen.has(node)) continue;
      path.push(node);
      if (verdict === true || (isRecord(node) && getDynamicReference(node) !== undefined)) {
        for (const above of path) this.#known.set(above, true);
        return true;
      }
      seen.add(node);
      open.push({ node, scope, done: true });
      for (const { value, scope: within } of this.#childLocations(node, scope)) {
        if (typeof value === "object" && value !== null) {
          open.push({ node: value, scope: within, done: false });
        }
      }
    }
    for (const node of seen) this.#known.set(node, false);
    return false;
  }

  #childLocations(node: object, outer: Scope): Pick<Location, "value" | "scope">[] {
    const scope = this.#references.scopeAt(outer, node, "");
    const below: Pick<Location, "value" | "scope">[] = Object.values(node).map(
      (value: unknown) => ({ value, scope }),
    );
    const target = this.#references.peek(node, scope);
    if (target !== undefined) below.push(target);
    return below;
  }
}
