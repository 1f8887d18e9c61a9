import type { Location, Scope } from "./location.ts";
import type { ReferenceResolver } from "./resolve-reference.ts";
import { dynamicReference } from "./dynamic-scope.ts";
import { isRecord } from "../record.ts";

interface Visit {
  readonly node: object;
  readonly scope: Scope;
  /** All that it contains and refers to was visited. */
  readonly done: boolean;
}

/**
 * Tells which schemas depend on a dynamic scope: those that contain a `$dynamicRef`, and those from which references
 * lead to one. The others are the same wherever they are met.
 */
export class DynamicDependents {
  readonly #resolver: ReferenceResolver;
  readonly #verdicts = new Map<object, boolean>();

  constructor(resolver: ReferenceResolver) {
    this.#resolver = resolver;
  }

  has(value: unknown, scope: Scope): boolean {
    if (typeof value !== "object" || value === null) return false;
    return this.#verdicts.get(value) ?? this.#search({ node: value, scope, done: false });
  }

  #search(start: Visit): boolean {
    const open: Visit[] = [start];
    const seen = new Set<object>();
    /** What leads from the start to the node in hand. */
    const path: object[] = [];
    for (let visit = open.pop(); visit !== undefined; visit = open.pop()) {
      const { node, scope, done } = visit;
      if (done) {
        path.pop();
        continue;
      }
      const verdict = this.#verdicts.get(node);
      if (verdict === false || seen.has(node)) continue;
      path.push(node);
      if (verdict === true || (isRecord(node) && dynamicReference(node) !== undefined)) {
        for (const above of path) this.#verdicts.set(above, true);
        return true;
      }
      seen.add(node);
      open.push({ node, scope, done: true });
      for (const { value, scope: within } of this.#below(node, scope)) {
        if (typeof value === "object" && value !== null) {
          open.push({ node: value, scope: within, done: false });
        }
      }
    }
    for (const node of seen) this.#verdicts.set(node, false);
    return false;
  }

  #below(node: object, outer: Scope): Pick<Location, "value" | "scope">[] {
    const scope = this.#resolver.scopeAt(outer, node, "");
    const below: Pick<Location, "value" | "scope">[] = Object.values(node).map(
      (value: unknown) => ({ value, scope }),
    );
    const target = this.#resolver.peek(node, scope);
    if (target !== undefined) below.push(target);
    return below;
  }
}
