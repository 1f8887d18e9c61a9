import { displayReference } from "../loading/display-url.ts";
import type { DocumentSet } from "./document-set.ts";
import { decodeFragment, childPointer, pointerTokens } from "./json-pointer.ts";
import { childWithin, describePointer } from "./location.ts";
import type { Location, Scope } from "./location.ts";
import { DanglingReference, OperationError } from "../operation.ts";
import { isRecord, ownString, ownValue, getReference } from "../record.ts";
import type { JsonRecord } from "../record.ts";
import { SchemaIndex } from "./schema-index.ts";
import { DynamicDependents } from "./dynamic-dependents.ts";
import { DynamicScopes } from "./dynamic-scope.ts";
import type { DynamicScope } from "./dynamic-scope.ts";

/** How many references may lead to one another before something is found. */
const maxChain = 64;

/**
 * Resolves references: JSON pointers (RFC 6901) in this and other files, `$id` and `$anchor` from
 * OpenAPI 3.1 on. What it can't resolve is an `OperationError` that says why.
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
   * What `reference` points to.
   *
   * @param from where the reference stands: its scope, and the pointer that an error names.
   * @throws {DanglingReference} it points to nothing.
   * @throws {OperationError} it leads where nothing may be opened, or nothing can be read.
   */
  resolve(reference: string, from: Pick<Location, "scope" | "pointer">): Location {
    return this.#find(reference, from.scope, from, 0);
  }

  /**
   * Follows `$ref`s until something is found that has none.
   *
   * @throws {OperationError} one dangles, or they lead in a circle.
   */
  follow(location: Location): Location {
    let current = location;
    // Most lead nowhere else.
    let met: Set<unknown> | undefined;
    for (let steps = 0; steps < maxChain; steps++) {
      const reference = getReference(current.value);
      if (reference === undefined) return current;
      if (steps > 0) met = (met ?? new Set()).add(current.value);
      current = this.resolve(reference, current);
      if (current.value === location.value || met?.has(current.value) === true)
        throw fault(location, "its references lead in a circle");
    }
    throw fault(location, `more than ${maxChain} references lead from one to the next`);
  }

  /** What the `$ref` of an object points to; undefined when it has none, or one that dangles. */
  peek(value: unknown, scope: Scope): Location | undefined {
    const reference = getReference(value);
    if (reference === undefined) return undefined;
    try {
      return this.resolve(reference, { scope, pointer: "" });
    } catch {
      // Whoever follows the reference says what is wrong with it.
      return undefined;
    }
  }

  /**
   * What a `$dynamicRef` or `$recursiveRef` points to: what `$ref` would, unless that is a dynamic anchor, which the
   * outermost schema that leads here may have replaced (JSON Schema 2020-12 core, section 8.2.3.2).
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
    if (!this.#hasIds || this.#index.dynamicAnchors(found.scope).get(name)?.value !== found.value) {
      return found;
    }
    // Where no other resource is around it, the main document is the outermost.
    const { scope } = this.#set.root;
    return this.#index.dynamicAnchors(scope).get(name) ?? dynamic?.anchors.get(name) ?? found;
  }

  /** All that the `$dynamicRef` of an object may point to, whoever leads there; none when it has none, or one that dangles. */
  peekDynamic(value: JsonRecord, scope: Scope): readonly Location[] {
    const reference = value["$dynamicRef"] ?? value["$recursiveRef"];
    if (!this.#hasIds || typeof reference !== "string") return none;
    const found = this.peek({ $ref: reference }, scope);
    if (found === undefined) return none;
    const name = decodeFragment(reference.slice(reference.indexOf("#") + 1));
    return [found, ...this.#index.dynamicAnchorsOf(name)];
  }

  /**
   * The dynamic scope of a schema that a reference leads to; undefined where nothing that it reaches depends on one. The
   * main document's own anchors are in none: they are everywhere.
   */
  enter(target: Location, outer: DynamicScope | undefined): DynamicScope | undefined {
    const { scope, value } = target;
    if (!this.#hasIds) return undefined;
    let inner = outer;
    if (scope.resource !== this.#set.root.root) {
      const anchors = this.#index.dynamicAnchors(scope);
      if (anchors.size > 0) inner = this.#dynamicScopes.within(outer, anchors);
    }
    return inner === undefined || !this.#dependents.has(value, scope) ? undefined : inner;
  }

  /** True when nothing has to be opened any more to find out where `reference` leads. */
  isOpen(reference: string, scope: Scope): boolean {
    const [file = ""] = reference.split("#", 1);
    if (file === "" || scope.resolved.has(reference)) return true;
    const identity = URL.parse(file, scope.base);
    if (identity !== null && this.#hasIds) {
      if (this.#index.resource(identity.href, this.#set.documents) !== undefined) return true;
    }
    const place = URL.parse(file, scope.document.url) ?? identity;
    return place === null || this.#set.tried(place.href) || this.#set.tried(identity?.href ?? "");
  }

  /** The scope inside `node`: another one when the node has an `$id` (JSON Schema 2020-12, 8.2.1). */
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
      this.#fragment(fragment, target, from, depth) ??
      // Authors who add an `$id` still mean the document by `#/components/…`.
      (target.resource === target.document.root
        ? undefined
        : this.#fragment(fragment, target.document.scope, from, depth));
    if (found === undefined) {
      const shown = JSON.stringify(displayReference(reference));
      throw new DanglingReference(`$ref ${shown} points to nothing`, describePointer(from));
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
      fault(from, `$ref ${JSON.stringify(displayReference(reference))} is not followed: ${reason}`);
    const byIdentity = URL.parse(file, scope.base);
    if (byIdentity !== null) {
      const known = this.#set.known(byIdentity.href);
      if (known !== undefined) return known.scope;
      if (this.#hasIds) {
        const resource = this.#index.resource(byIdentity.href, this.#set.documents);
        if (resource !== undefined) return resource.scope;
      }
    }
    // `$self` and `$id` name things; where a relative reference is found is told by the file's place.
    const byPlace = URL.parse(file, scope.document.url) ?? byIdentity;
    if (byPlace === null) {
      throw refuse("the document was given without a place of its own; pass its path or URL");
    }
    const opened = this.#set.open(byPlace);
    if ("root" in opened) return opened.scope;
    throw refuse(opened.failure);
  }

  #fragment(
    fragment: string,
    scope: Scope,
    from: Pick<Location, "scope" | "pointer">,
    depth: number,
  ): Location | undefined {
    if (fragment === "") return { value: scope.resource, scope, pointer: scope.pointer };
    if (fragment.startsWith("/")) return this.#walk(pointerTokens(fragment), scope, from, depth);
    return this.#hasIds ? this.#index.anchor(scope, fragment) : undefined;
  }

  #walk(
    tokens: readonly string[],
    start: Scope,
    from: Pick<Location, "scope" | "pointer">,
    depth: number,
  ): Location | undefined {
    let current: Location = { value: start.resource, scope: start, pointer: start.pointer };
    for (const token of tokens) {
      let value = member(current.value, token);
      if (value === undefined) {
        // Not what RFC 6901 says, but documents point through a reference to what is behind it.
        const reference = getReference(current.value);
        if (reference === undefined || depth >= maxChain) return undefined;
        current = this.#find(reference, current.scope, from, depth + 1);
        value = member(current.value, token);
        if (value === undefined) return undefined;
      }
      const scope = this.#scopeBelow(current, value, token);
      current = childWithin(scope, value, current, token);
    }
    return current;
  }

  #scopeBelow(parent: Location, value: unknown, token: string): Scope {
    if (!this.#hasIds || ownString(value, "$id") === undefined) return parent.scope;
    return this.scopeAt(parent.scope, value, childPointer(parent.pointer, token));
  }
}

/** An `OperationError` at a location. */
export function fault(at: Pick<Location, "scope" | "pointer">, reason: string): OperationError {
  return new OperationError(reason, describePointer(at));
}

function member(value: unknown, token: string): unknown {
  if (Array.isArray(value))
    return /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
  return ownValue(value, token);
}

const none: readonly Location[] = [];
