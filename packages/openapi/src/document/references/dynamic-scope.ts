import type { JsonRecord } from "../record.ts";
import type { Location } from "./location.ts";

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
