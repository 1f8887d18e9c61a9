import { displayReference } from "../loading/display-url.ts";
import type { DocumentSet } from "./document-set.ts";
import { decodeFragment, childPointer, parsePointer } from "@toolweave/core/adapter";
import { toChildInScope, describePointer, resolveId, withoutFragment } from "./location.ts";
import type { LoadedDocument, Location, Scope } from "./location.ts";
import { DanglingReference, OperationError, UnopenedReference } from "../operation.ts";
import { isRecord, ownString, ownValue, getReference } from "../record.ts";
import type { JsonRecord } from "../record.ts";
import { SchemaIndex } from "./schema-index.ts";
import { walkDocument } from "../walk-document.ts";
import { DynamicDependents, DynamicScopes, getDynamicReference } from "./dynamic-scope.ts";
import type { DynamicScope } from "./dynamic-scope.ts";

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
  #all: ReadonlySet<LoadedDocument> | undefined;
  readonly #dynamicScopes = new DynamicScopes();
  readonly #dependents = new DynamicDependents(this);

  constructor(set: DocumentSet) {
    this.#set = set;
    this.#hasIds = set.hasIds;
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
   * Returns the schema that `location` is, or to which it leads if it is only an alias of another; undefined if that is
   * not an object.
   */
  peekMeaning(location: Location): Location | undefined {
    let current: Location | undefined = location;
    for (let steps = 0; steps < maxChain && isRecord(current?.value); steps++) {
      if (getReference(current.value) === undefined || Object.keys(current.value).length > 1) {
        return current;
      }
      current = this.peek(current.value, current.scope);
    }
    return undefined;
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

  /** Returns true if `reference` was resolved, or resolving it would open no further file. */
  isOpen(reference: string, scope: Scope): boolean {
    if (reference.startsWith("#") || scope.resolved.has(reference)) return true;
    const uris = getCandidates(withoutFragment(reference), scope);
    return (
      this.#findIdentified(uris, this.#nearDocuments(scope)) !== undefined ||
      uris.every((uri) => this.#set.wasTried(uri.href))
    );
  }

  /**
   * Returns the references of a file to other files: for each one the URIs that it may mean, the likeliest first. None
   * of them identifies a part of this file or the main document.
   */
  findFileReferences(document: LoadedDocument): URL[][] {
    const found = new Map<string, URL[]>();
    walkDocument(document.root, document.scope, (node, pointer, outer) => {
      const scope = this.scopeAt(outer, node, pointer);
      for (const reference of this.#getReferences(node, scope)) {
        if (reference.startsWith("#")) continue;
        const uris = getCandidates(withoutFragment(reference), scope);
        const key = uris.join(" ");
        if (!found.has(key)) found.set(key, uris);
      }
      return scope;
    });
    return [...found.values()].filter(
      (uris) => this.#findIdentified(uris, this.#nearDocuments(document.scope)) === undefined,
    );
  }

  /**
   * Returns the reference that an entry of a discriminator's `mapping` means, and the scope in which it is resolved: the
   * name of a component, of the main document first, else a URI (OpenAPI 3.1.1, "Discriminator Object").
   */
  toMappedReference(target: string, scope: Scope): { reference: string; scope: Scope } {
    const [container, ...rest] =
      this.#set.version === "2.0" ? ["definitions"] : ["components", "schemas"];
    for (const document of [this.#set.root, scope.document]) {
      let names = ownValue(document.root, container as string);
      for (const key of rest) names = ownValue(names, key);
      if (ownValue(names, target) !== undefined) {
        const pointer = [container as string, ...rest, target].reduce<string>(childPointer, "");
        return { reference: `#${pointer}`, scope: document.scope };
      }
    }
    return { reference: target, scope };
  }

  #getReferences(node: JsonRecord, scope: Scope): readonly string[] {
    const references = [getReference(node), getDynamicReference(node)];
    const { discriminator } = node;
    if (isRecord(discriminator)) {
      const { mapping, defaultMapping } = discriminator;
      for (const target of [...(isRecord(mapping) ? Object.values(mapping) : []), defaultMapping]) {
        // A name that is no component leads nowhere.
        if (typeof target !== "string" || !/[#/.]/.test(target)) continue;
        references.push(this.toMappedReference(target, scope).reference);
      }
    }
    return references.filter((reference) => reference !== undefined);
  }

  /** Returns true if one of `uris` identifies a part of a file that is loaded. */
  isIdentified(uris: readonly URL[]): boolean {
    return this.#findIdentified(uris, this.#set.documents) !== undefined;
  }

  /** Returns the scope inside `node`, which differs if the node has an `$id` (JSON Schema 2020-12, 8.2.1). */
  scopeAt(scope: Scope, node: unknown, pointer: string): Scope {
    if (!this.#hasIds || !isRecord(node) || node === scope.resource) return scope;
    const id = ownString(node, "$id");
    if (id === undefined || id.startsWith("#")) return scope;
    let inner = this.#scopes.get(node);
    if (inner === undefined) {
      // The index has all scopes of the file with their pointers and bases, whatever `scope` and `pointer` are.
      this.#index.add(scope.document);
      inner = this.#scopes.get(node);
    }
    if (inner === undefined) {
      inner = {
        document: scope.document,
        base: resolveId(id, scope.base),
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

  /**
   * Returns the file or schema that a reference means. An identifier of the own file or the main document takes
   * precedence over a file, because it is no location (JSON Schema 2020-12 core, section 8.2.1); that of any other file
   * is used if there is no file at this place. The result is the same in any order of calls.
   */
  #openResource(
    reference: string,
    file: string,
    scope: Scope,
    from: Pick<Location, "scope" | "pointer">,
  ): Scope {
    const uris = getCandidates(file, scope);
    const near = this.#findIdentified(uris, this.#nearDocuments(scope));
    if (near !== undefined) return near;
    let failure = "it is no URI";
    for (const uri of uris) {
      const opened = this.#set.open(uri);
      if ("root" in opened) return opened.scope;
      ({ failure } = opened);
    }
    const far = this.#hasIds ? this.#findIdentified(uris, this.#openAll()) : undefined;
    if (far !== undefined) return far;
    throw new UnopenedReference(
      `$ref ${JSON.stringify(displayReference(reference))} cannot be followed: ${failure}`,
      describePointer(from),
    );
  }

  #findIdentified(uris: readonly URL[], documents: Iterable<LoadedDocument>): Scope | undefined {
    if (!this.#hasIds) return undefined;
    for (const { href } of uris) {
      const found = this.#index.findResource(href, documents);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns the file of a scope and the main document. */
  #nearDocuments({ document }: Scope): ReadonlySet<LoadedDocument> {
    return new Set([document, this.#set.root]);
  }

  /** Opens all files to which references lead. */
  #openAll(): Iterable<LoadedDocument> {
    this.#all ??= this.#collectFiles();
    return this.#all;
  }

  #collectFiles(): ReadonlySet<LoadedDocument> {
    const documents = new Set([this.#set.root]);
    for (const document of documents) {
      for (const uris of this.findFileReferences(document)) {
        for (const uri of uris) {
          const opened = this.#set.open(uri);
          if (!("root" in opened)) continue;
          documents.add(opened);
          break;
        }
      }
    }
    return documents;
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

/**
 * Returns the URIs that the part of a reference before its `#` may mean: relative to the current base, to that of the
 * file, and to its location, because authors set an `$id` or `$self` and still refer to the files beside theirs.
 */
function getCandidates(file: string, { base, document }: Scope): URL[] {
  const uris = new Map<string, URL>();
  for (const one of new Set([base, document.scope.base, document.url ?? base])) {
    const uri = URL.parse(file, one);
    if (uri !== null) uris.set(uri.href, uri);
  }
  return [...uris.values()];
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

const none: readonly never[] = [];
