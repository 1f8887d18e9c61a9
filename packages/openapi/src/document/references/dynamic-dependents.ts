import type { Location, Scope } from "./location.ts";
import { getDynamicReference } from "./dynamic-scope.ts";
import { isRecord } from "../record.ts";

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
