import type { DocumentContext } from "./document-context.ts";
import type { DocumentOperation } from "./document-operation.ts";
import { getChild } from "../document/references/location.ts";
import type { Location, Scope } from "../document/references/location.ts";
import { sharedParameters } from "./read-operations.ts";
import type { FoundOperation } from "./read-operations.ts";
import { isRecord, ownValue } from "../document/record.ts";
import type { ChildSchema } from "../schema/polymorphic-parents.ts";

/**
 * Finds the operations that are equal in two loads of a document, including everything to which they refer, as far as
 * it was read before. Parts of the new document that had not been read before do not count as changes.
 *
 * @returns the operation of `before`, by that of `after`.
 */
export function unchangedOperations(
  before: readonly DocumentOperation[],
  after: readonly DocumentOperation[],
): ReadonlyMap<DocumentOperation, DocumentOperation> {
  const unchanged = new Map<DocumentOperation, DocumentOperation>();
  const [first] = before;
  const [second] = after;
  if (first === undefined || second === undefined) return unchanged;
  const comparison = new DocumentComparison(first.context, second.context);
  if (!comparison.hasSameFrame()) return unchanged;
  const known = new Map(before.map((operation) => [toOperationKey(operation), operation]));
  for (const operation of after) {
    const old = known.get(toOperationKey(operation));
    if (old?.name === operation.name && comparison.isSame(old.found, operation.found)) {
      unchanged.set(operation, old);
    }
  }
  return unchanged;
}

function toOperationKey({ method, path }: DocumentOperation): string {
  return `${method} ${path}`;
}

/** Members of the document on which all operations depend. */
const frame = [
  "$self",
  "jsonSchemaDialect",
  "servers",
  "host",
  "basePath",
  "schemes",
  "consumes",
  "produces",
];

/** A value of the old document, and the corresponding value of the new one. */
interface Pair {
  readonly a: unknown;
  readonly from: Scope;
  readonly b: unknown;
  readonly to: Scope;
}

class DocumentComparison {
  readonly #before: DocumentContext;
  readonly #after: DocumentContext;
  /** Equal targets of references, whose reachable values are all equal. */
  readonly #equal = new Map<object, object>();

  constructor(before: DocumentContext, after: DocumentContext) {
    this.#before = before;
    this.#after = after;
  }

  /** Returns true if the members that surround the operations are equal; otherwise no operation is. */
  hasSameFrame(): boolean {
    const a = this.#before;
    const b = this.#after;
    if (a.version !== b.version || a.root.url !== b.root.url) return false;
    return this.#areEqual(
      frame.map((key) => toPair(getChild(a.location, key), getChild(b.location, key))),
    );
  }

  /** Returns true if the operation is equal, including everything that its path item and the document add to it. */
  isSame(a: FoundOperation, b: FoundOperation): boolean {
    const parametersOfA = sharedParameters(a).flat();
    const parametersOfB = sharedParameters(b).flat();
    if (parametersOfA.length !== parametersOfB.length || a.items.length !== b.items.length) {
      return false;
    }
    const pairs = [toPair(a.location, b.location)];
    for (const [index, item] of a.items.entries()) {
      const other = b.items[index] as Location;
      for (const key of ["summary", "description", "servers"]) {
        pairs.push(toPair(getChild(item, key), getChild(other, key)));
      }
    }
    for (const [index, parameter] of parametersOfA.entries()) {
      pairs.push(toPair(parameter, parametersOfB[index] as Location));
    }
    return this.#areEqual([...pairs, ...this.#securityPairs(a, b)]);
  }

  /** Returns the security requirements that apply, and the schemes that they name. */
  #securityPairs(a: FoundOperation, b: FoundOperation): Pair[] {
    const ofA = getSecurity(a, this.#before);
    const ofB = getSecurity(b, this.#after);
    const names = new Set<string>();
    for (const requirement of Array.isArray(ofA.value) ? ofA.value : []) {
      if (isRecord(requirement)) for (const name of Object.keys(requirement)) names.add(name);
    }
    const schemesOfA = getSchemes(this.#before);
    const schemesOfB = getSchemes(this.#after);
    return [
      toPair(ofA, ofB),
      ...Array.from(names, (name) =>
        toPair(getChild(schemesOfA, name), getChild(schemesOfB, name)),
      ),
      // OpenAPI 3.2: a name that is not a component is the URI of a scheme.
      ...Array.from(names, (name) =>
        toPair(withReference(schemesOfA, name), withReference(schemesOfB, name)),
      ),
    ];
  }

  /** Returns true if all pairs are equal, including everything to which they refer. */
  #areEqual(pairs: readonly Pair[]): boolean {
    const open = [...pairs];
    const met = new Map<object, object>();
    for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
      const { a, b } = pair;
      if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) {
        if (a !== b) return false;
        continue;
      }
      if (this.#equal.get(a) === b) continue;
      const known = met.get(a);
      if (known === b) continue;
      if (known !== undefined) return false;
      met.set(a, b);
      if (Array.isArray(a) !== Array.isArray(b)) return false;
      const keys = Object.keys(a);
      if (keys.length !== Object.keys(b).length) return false;
      const from = this.#before.resolver.scopeAt(pair.from, a, "");
      const to = this.#after.resolver.scopeAt(pair.to, b, "");
      for (const key of keys) {
        if (!Object.hasOwn(b, key)) return false;
        open.push({ a: (a as Members)[key], from, b: (b as Members)[key], to });
      }
      if (!this.#addTargets(pair, open)) return false;
    }
    // Everything that one of them reaches is also in `met`.
    for (const [a, b] of met) this.#equal.set(a, b);
    return true;
  }

  /** Adds the targets of references. Returns false if only one of the two references can be resolved. */
  #addTargets({ a, from, to }: Pair, open: Pair[]): boolean {
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const reference = ownValue(a, keyword);
      if (typeof reference !== "string" || !this.#before.resolver.isOpen(reference, from)) continue;
      const target = this.#before.resolver.peek({ $ref: reference }, from);
      const other = this.#after.resolver.peek({ $ref: reference }, to);
      if ((target === undefined) !== (other === undefined)) return false;
      if (target === undefined || other === undefined) continue;
      open.push(toPair(target, other));
      if (!this.#addChildren(target, other, open)) return false;
    }
    return true;
  }

  /** Adds the children of polymorphic parents, which are not referenced. Returns false if the children differ. */
  #addChildren(target: Location, other: Location, open: Pair[]): boolean {
    const before = this.#before.schemas.parents.getFamily(target.value, target)?.children ?? [];
    const after = this.#after.schemas.parents.getFamily(other.value, other)?.children ?? [];
    if (before.length !== after.length) return false;
    for (const [index, { location, name }] of before.entries()) {
      const { location: otherLocation, name: otherName } = after[index] as ChildSchema;
      if (name !== otherName) return false;
      open.push(toPair(location, otherLocation));
    }
    return true;
  }
}

interface Members {
  readonly [key: string]: unknown;
}

function toPair(a: Location, b: Location): Pair {
  return { a: a.value, from: a.scope, b: b.value, to: b.scope };
}

function getSecurity({ location }: FoundOperation, { location: root }: DocumentContext): Location {
  const own = getChild(location, "security");
  return Array.isArray(own.value) ? own : getChild(root, "security");
}

function getSchemes({ location, version, resolver }: DocumentContext): Location {
  const at = (parent: Location, key: string): Location => {
    const member = getChild(parent, key);
    return resolver.peek(member.value, member.scope) ?? member;
  };
  return version === "2.0"
    ? at(location, "securityDefinitions")
    : at(at(location, "components"), "securitySchemes");
}

function withReference({ scope, pointer }: Location, $ref: string): Location {
  return { value: /[#/]/.test($ref) ? { $ref } : undefined, scope, pointer };
}
