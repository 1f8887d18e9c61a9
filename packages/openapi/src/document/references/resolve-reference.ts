import { displayReference } from "../loading/display-url.ts";
import type { DocumentSet } from "./document-set.ts";
import { decodeFragment, childPointer, parsePointer } from "@toolweave/core/adapter";
import { toChildInScope, describePointer } from "./location.ts";
import type { Location, Scope } from "./location.ts";
import { DanglingReference, OperationError } from "../operation.ts";
import { isRecord, ownString, ownValue, getReference } from "../record.ts";
import type { JsonRecord } from "../record.ts";
import { SchemaIndex } from "./schema-index.ts";
import { DynamicDependents, DynamicScopes, type DynamicScope } from "./dynamic-scope.ts";

/** Maximum length of a chain of references. */
const maxChain = 64;

/**
 * Resolves references: JSON pointers (RFC 6901) in this and other files, `$id` and `$anchor` from OpenAPI 3.1 on. If a
 * reference can't be resolved, an `OperationError` contains the reason.
 */
export class ReferenceResolver {
  readonly #set: DocumentSet;
  readonly #hasIds: boolean;
  readonly #index: SchemaIndex;
  readonly #scopes = new WeakMap<object, Scope>();
  readonly #dynamicScopes = new DynamicScopes();
  readonly #dependents = new DynamicDependents(this);

  constructor(set: DocumentSet) {
    this.#set = set;
    this.#hasIds = set.version === "3.1" || set.version === "3.2";
    this.#index = new SchemaIndex((scope, node, pointer) => this.scopeAt(scope, node, pointer));
  }

  /**
   * Returns the target of `reference`.
   *
   * @param from the location of the reference: its scope, and the pointer for errors.
   * @throws {DanglingReference} it points to nothing.
   * @throws {OperationError} the target may not be opened, or can't be read.
   */
  resolve(reference: string, from: Pick<Location, "scope" | "pointer">): Location {
    return this.#find(reference, from.scope, from, 0);
  }

  /**
   * Follows `$ref`s until a value has none.
   *
   * @throws {OperationError} one dangles, or they form a cycle.
   */
  follow(location: Location): Location {
    let current = location;
    // Allocated on demand: most chains have one reference.
    let met: Set<unknown> | undefined;
    for (let steps = 0; steps < maxChain; steps++) {
      const reference = getReference(current.value);
      if (reference === undefined) return current;
      if (steps > 0) met = (met ?? new Set()).add(current.value);
      current = this.resolve(reference, current);
      if (current.value === location.value || met?.has(current.value) === true)
        throw referenceError(location, "its references form a cycle");
    }
    throw referenceError(location, `the chain of references is longer than ${maxChain}`);
  }

  /** Returns the target of the `$ref` of an object; undefined if it has none, or one that dangles. */
  peek(value: unknown, scope: Scope): Location | undefined {
    const reference = getReference(value);
    if (reference === undefined) return undefined;
    try {
      return this.resolve(reference, { scope, pointer: "" });
    } catch {
      // The caller that follows the reference reports the error.
      return undefined;
    }
  }

  /**
   * Returns the target of a `$dynamicRef` or `$recursiveRef`: that of a `$ref`, unless it is a dynamic anchor, which
   * the outermost schema in the dynamic scope may replace (JSON Schema 2020-12 core, section 8.2.3.2).
   *
   * @throws {DanglingReference} it dangles.
   */
  resolveDynamic(
    reference: string,
    from: Pick<Location, "scope" | "pointer">,
    dynamic: DynamicScope | undefined,
  ): Location {
    const found = this.resolve(reference, from);
    const name = decodeFragment(reference.slice(reference.indexOf("#") + 1));
    if (
      !this.#hasIds ||
      this.#index.getDynamicAnchors(found.scope).get(name)?.value !== found.value
    ) {
      return found;
    }
    // Without another enclosing resource, the main document is the outermost.
    const { scope } = this.#set.root;
    return this.#index.getDynamicAnchors(scope).get(name) ?? dynamic?.anchors.get(name) ?? found;
  }

  /**
   * Returns all possible targets of the `$dynamicRef` of an object in any dynamic scope; none if it has none, or one
   * that dangles.
   */
  peekDynamic(value: JsonRecord, scope: Scope): readonly Location[] {
    const reference = value["$dynamicRef"] ?? value["$recursiveRef"];
    if (!this.#hasIds || typeof reference !== "string") return none;
    const found = this.peek({ $ref: reference }, scope);
    if (found === undefined) return none;
    const name = decodeFragment(reference.slice(reference.indexOf("#") + 1));
    return [found, ...this.#index.findDynamicAnchors(name)];
  }

  /**
   * Returns the dynamic scope of the target of a reference; undefined if nothing that it reaches depends on one. The
   * main document's own anchors are in no scope: they apply everywhere.
   */
  enter(target: Location, outer: DynamicScope | undefined): DynamicScope | undefined {
    const { scope, value } = target;
    if (!this.#hasIds) return undefined;
    let inner = outer;
    if (scope.resource !== this.#set.root.root) {
      const anchors = this.#index.getDynamicAnchors(scope);
      if (anchors.size > 0) inner = this.#dynamicScopes.within(outer, anchors);
    }
    return inner === undefined || !this.#dependents.has(value, scope) ? undefined : inner;
  }

  /** Returns true if no further file has to be opened to resolve `reference`. */
  isOpen(reference: string, scope: Scope): boolean {
    const [file = ""] = reference.split("#", 1);
    if (file === "" || scope.resolved.has(reference)) return true;
    const identity = URL.parse(file, scope.base);
    if (identity !== null && this.#hasIds) {
      if (this.#index.findResource(identity.href, this.#set.documents) !== undefined) return true;
    }
    const place = URL.parse(file, scope.document.url) ?? identity;
    return (
      place === null || this.#set.wasTried(place.href) || this.#set.wasTried(identity?.href ?? "")
    );
  }

  /** Returns the scope inside `node`, which differs if the node has an `$id` (JSON Schema 2020-12, 8.2.1). */
  scopeAt(scope: Scope, node: unknown, pointer: string): Scope {
    if (!this.#hasIds || !isRecord(node) || node === scope.resource) return scope;
    const id = ownString(node, "$id");
    if (id === undefined || id.startsWith("#")) return scope;
    let inner = this.#scopes.get(node);
    if (inner === undefined) {
      inner = {
        document: scope.document,
        base: URL.parse(id, scope.base)?.href ?? scope.base,
        resource: node,
        pointer,
        resolved: new Map(),
      };
      this.#scopes.set(node, inner);
    }
    return inner;
  }

  #find(
    reference: string,
    scope: Scope,
    from: Pick<Location, "scope" | "pointer">,
    depth: number,
  ): Location {
    const known = scope.resolved.get(reference);
    if (known !== undefined) return known;
    const hash = reference.indexOf("#");
    const file = hash === -1 ? reference : reference.slice(0, hash);
    const fragment = hash === -1 ? "" : decodeFragment(reference.slice(hash + 1));
    const target = file === "" ? scope : this.#openResource(reference, file, scope, from);
    const found =
      this.#resolveFragment(fragment, target, from, depth) ??
      // Authors who add an `$id` still refer to the document with `#/components/…`.
      (target.resource === target.document.root
        ? undefined
        : this.#resolveFragment(fragment, target.document.scope, from, depth));
    if (found === undefined) {
      const quoted = JSON.stringify(displayReference(reference));
      throw new DanglingReference(`$ref ${quoted} points to nothing`, describePointer(from));
    }
    scope.resolved.set(reference, found);
    return found;
  }

  #openResource(
    reference: string,
    file: string,
    scope: Scope,
    from: Pick<Location, "scope" | "pointer">,
  ): Scope {
    const refuse = (reason: string) =>
      referenceError(
        from,
        `$ref ${JSON.stringify(displayReference(reference))} cannot be followed: ${reason}`,
      );
    const byIdentity = URL.parse(file, scope.base);
    if (byIdentity !== null) {
      const known = this.#set.getLoaded(byIdentity.href);
      if (known !== undefined) return known.scope;
      if (this.#hasIds) {
        const resource = this.#index.findResource(byIdentity.href, this.#set.documents);
        if (resource !== undefined) return resource.scope;
      }
    }
    // `$self` and `$id` only name resources; a relative reference is located from the file's URL.
    const byPlace = URL.parse(file, scope.document.url) ?? byIdentity;
    if (byPlace === null) {
      throw refuse("the document has no location of its own; pass its path or URL");
    }
    const opened = this.#set.open(byPlace);
    if ("root" in opened) return opened.scope;
    throw refuse(opened.failure);
  }

  #resolveFragment(
    fragment: string,
    scope: Scope,
    from: Pick<Location, "scope" | "pointer">,
    depth: number,
  ): Location | undefined {
    if (fragment === "") return { value: scope.resource, scope, pointer: scope.pointer };
    if (fragment.startsWith("/"))
      return this.#resolvePointer(parsePointer(fragment), scope, from, depth);
    return this.#hasIds ? this.#index.findAnchor(scope, fragment) : undefined;
  }

  #resolvePointer(
    tokens: readonly string[],
    start: Scope,
    from: Pick<Location, "scope" | "pointer">,
    depth: number,
  ): Location | undefined {
    let current: Location = { value: start.resource, scope: start, pointer: start.pointer };
    for (const token of tokens) {
      let value = getMember(current.value, token);
      if (value === undefined) {
        // Contrary to RFC 6901, documents use pointers that lead through a reference to its target.
        const reference = getReference(current.value);
        if (reference === undefined || depth >= maxChain) return undefined;
        current = this.#find(reference, current.scope, from, depth + 1);
        value = getMember(current.value, token);
        if (value === undefined) return undefined;
      }
      const scope = this.#scopeBelow(current, value, token);
      current = toChildInScope(scope, value, current, token);
    }
    return current;
  }

  #scopeBelow(parent: Location, value: unknown, token: string): Scope {
    if (!this.#hasIds || ownString(value, "$id") === undefined) return parent.scope;
    return this.scopeAt(parent.scope, value, childPointer(parent.pointer, token));
  }
}

/** Creates an `OperationError` at a location. */
export function referenceError(
  at: Pick<Location, "scope" | "pointer">,
  reason: string,
): OperationError {
  return new OperationError(reason, describePointer(at));
}

function getMember(value: unknown, token: string): unknown {
  if (Array.isArray(value))
    return /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return ownValue(value, token);
}

const none: readonly Location[] = [];
