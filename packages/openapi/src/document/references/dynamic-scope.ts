import type { JsonRecord } from "../record.ts";
import type { Location } from "./location.ts";

/**
 * Where the dynamic anchors lead that a schema was entered with: to the outermost schema resource that has one of that
 * name (JSON Schema 2020-12 core, section 8.2.3.2). Two that say the same are one object.
 */
export interface DynamicScope {
  /** The empty name is that of `$recursiveAnchor` (2019-09). */
  readonly anchors: ReadonlyMap<string, Location>;
  /** What tells it from others, the same in every process. */
  readonly key: string;
}

/** How many there may be in one document: each makes the schemas that it reaches anew. */
const maxScopes = 100;

/** The dynamic scopes of a document. */
export class DynamicScopes {
  readonly #known = new Map<string, DynamicScope>();

  /** `outer`, with the anchors of a resource that is entered, as far as none of those has their names. */
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
    // Beyond reason, anchors lead where they lead without anybody around them.
    if (known !== undefined || this.#known.size >= maxScopes) return known ?? outer;
    const scope = { anchors: all, key };
    this.#known.set(key, scope);
    return scope;
  }
}

/** The `$dynamicRef` of 2020-12, or the `$recursiveRef` of 2019-09. */
export function dynamicReference(node: JsonRecord): string | undefined {
  const reference = node["$dynamicRef"] ?? node["$recursiveRef"];
  return typeof reference === "string" ? reference : undefined;
}
