import { childPointer, parsePointer } from "@toolweave/core/adapter";
import type { LoadedDocument, Location, Scope } from "../document/references/location.ts";
import type { OpenApiVersion } from "../document/openapi-version.ts";
import { isRecord, ownString, ownValue, getReference } from "../document/record.ts";
import type { JsonRecord } from "../document/record.ts";
import type { ReferenceResolver } from "../document/references/resolve-reference.ts";
import type { Alternative } from "./discriminator.ts";

/** A schema that may replace its parent. */
export interface ChildSchema extends Alternative {
  readonly location: Location;
}

/** A parent schema, and the schemas that may replace it. */
export interface SchemaFamily {
  /** The name of the property that distinguishes them. */
  readonly property: string;
  readonly children: readonly ChildSchema[];
  /** The parent without its children, for a value of a child or of none of them. */
  readonly parent: JsonRecord;
  /** The values that select the parent itself. */
  readonly ownValues: readonly string[];
  /** True if every entry of the mapping leads to one of the children, or to the parent. */
  readonly isComplete: boolean;
}

/** Maximum number of children; above it, no child is included, and the parent accepts further properties. */
const maxChildren = 200;
const maxCandidates = 20_000;
const maxParts = 50;

/** Keywords of a parent that do not apply to its children. */
const parentOnly: ReadonlySet<string> = new Set([
  "discriminator",
  "title",
  "description",
  "default",
  "example",
  "examples",
  "deprecated",
  "nullable",
  "x-nullable",
]);

interface Candidate {
  readonly name: string;
  readonly location: Location;
}

/** The schemas of one container in a document, by the parents in their `allOf`. */
interface Siblings {
  readonly byParent: Map<unknown, Candidate[]>;
  /** References to files that were not open. */
  pending: { readonly reference: string; readonly scope: Scope; readonly of: Candidate }[];
}

/**
 * Finds the schemas of a document that may replace a parent with a `discriminator`: those that have it in `allOf`,
 * directly or indirectly, and those that its mapping names.
 *
 * OpenAPI 3.0.3 "Discriminator Object": "all schemas comprising the parent schema in an `allOf` construct may be used
 * as an alternate schema"; 2.0 "Composition and Inheritance (Polymorphism)".
 */
export class PolymorphicParents {
  readonly #root: LoadedDocument;
  readonly #version: OpenApiVersion;
  readonly #resolver: ReferenceResolver;
  readonly #families = new WeakMap<JsonRecord, SchemaFamily | null>();
  readonly #originals = new WeakMap<object, JsonRecord>();
  readonly #siblings = new Map<unknown, Siblings>();
  /** True once a family was found. */
  found = false;

  constructor(root: LoadedDocument, version: OpenApiVersion, resolver: ReferenceResolver) {
    this.#root = root;
    this.#version = version;
    this.#resolver = resolver;
  }

  /**
   * Returns the family of a parent; undefined for a schema without `discriminator`, with a choice beside it, or without
   * children.
   */
  getFamily(node: unknown, at: Pick<Location, "scope" | "pointer">): SchemaFamily | undefined {
    if (!isRecord(node) || !mayBeParent(node)) return undefined;
    let family = this.#families.get(node);
    if (family === undefined) {
      family = this.#find(node, { value: node, scope: at.scope, pointer: at.pointer }) ?? null;
      this.#families.set(node, family);
    }
    if (family !== null) this.found = true;
    return family ?? undefined;
  }

  /**
   * Returns the schema of the document from which the `parent` of a family was created; for any other schema, the
   * schema itself.
   */
  getOriginal(node: unknown): unknown {
    return typeof node === "object" && node !== null ? (this.#originals.get(node) ?? node) : node;
  }

  #find(node: JsonRecord, location: Location): SchemaFamily | undefined {
    const discriminator = getDiscriminator(node);
    if (discriminator === undefined) return undefined;
    const { property, mapping } = discriminator;
    const descendants = new Map<unknown, Candidate>();
    const open: unknown[] = [node];
    for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
      for (const candidate of this.#findChildren(parent, location)) {
        const { value } = candidate.location;
        if (value === node || descendants.has(value)) continue;
        descendants.set(value, candidate);
        if (descendants.size > maxChildren) break;
        open.push(value);
      }
    }
    const mapped = new Map<unknown, string[]>();
    let isComplete = true;
    for (const value of Object.keys(mapping)) {
      const target = this.#findTarget(mapping[value], location);
      if (target === undefined) {
        isComplete = false;
        continue;
      }
      const values = mapped.get(target.value) ?? [];
      mapped.set(target.value, [...values, value]);
      if (target.value === node || descendants.has(target.value)) continue;
      descendants.set(target.value, { name: "", location: target });
      if (descendants.size > maxChildren) break;
    }
    if (descendants.size === 0) return undefined;
    const parent = this.#parentAlone(node);
    const children = [...descendants.values()].map(({ name, location: child }): ChildSchema => {
      const own =
        ownString(child.value, "x-ms-discriminator-value") ??
        ownString(child.value, "x-discriminator-value");
      const values = mapped.get(child.value) ?? (own === undefined ? [] : [own]);
      const { value, scope } = child;
      return { location: child, value, scope, mapped: values, ...(name === "" ? {} : { name }) };
    });
    const isTooLarge = children.length > maxChildren;
    return {
      property,
      children: isTooLarge ? [] : children,
      parent,
      ownValues: mapped.get(node) ?? [],
      isComplete,
    };
  }

  #parentAlone(node: JsonRecord): JsonRecord {
    const alone: Record<string, unknown> = {};
    for (const key of Object.keys(node)) {
      if (parentOnly.has(key)) continue;
      // A parent that is closed would refuse the properties of its children.
      if (key === "additionalProperties" && node[key] === false) continue;
      alone[key] = key === "allOf" ? withoutDiscriminators(node[key]) : node[key];
    }
    this.#originals.set(alone, node);
    return alone;
  }

  #findTarget(target: unknown, { scope }: Location): Location | undefined {
    if (typeof target !== "string") return undefined;
    const isName = /^[\w.-]+$/.test(target) && isRecord(this.#getComponents(this.#root)?.[target]);
    const components = this.#version === "2.0" ? "#/definitions/" : "#/components/schemas/";
    const reference = isName ? components + target : target;
    const from = isName ? this.#root.scope : scope;
    return this.#follow(reference, from);
  }

  /** Returns the final target of a reference; undefined if it is not a schema, or in a file that is not open. */
  #follow(reference: string, scope: Scope): Location | undefined {
    let next: { readonly reference: string; readonly scope: Scope } = { reference, scope };
    for (let steps = 0; steps < maxParts; steps++) {
      if (!this.#resolver.isOpen(next.reference, next.scope)) return undefined;
      const found = this.#resolver.peek({ $ref: next.reference }, next.scope);
      if (found === undefined || !isRecord(found.value)) return undefined;
      const again = getReference(found.value);
      if (again === undefined || Object.keys(found.value).length > 1) return found;
      next = { reference: again, scope: found.scope };
    }
    return undefined;
  }

  #getComponents({ root }: LoadedDocument): JsonRecord | undefined {
    const schemas =
      this.#version === "2.0"
        ? ownValue(root, "definitions")
        : ownValue(ownValue(root, "components"), "schemas");
    return isRecord(schemas) ? schemas : undefined;
  }

  /** Returns the schemas with `parent` in `allOf`, among the components and the schemas beside it. */
  *#findChildren(parent: unknown, near: Location): Iterable<Candidate> {
    const main = this.#version === "2.0" ? "/definitions" : "/components/schemas";
    const places = [this.#siblingsAt(this.#getComponents(this.#root), this.#root, main)];
    const beside = parsePointer(near.pointer).slice(0, -1);
    if (beside.length > 0) {
      const { document } = near.scope;
      let container: unknown = document.root;
      for (const token of beside) container = ownValue(container, token);
      const pointer = beside.reduce<string>(childPointer, "");
      if (isRecord(container) && isPlaceOfSchemas(beside)) {
        places.push(this.#siblingsAt(container, document, pointer));
      }
    }
    for (const place of new Set(places)) {
      if (place === undefined) continue;
      this.#resolvePending(place);
      yield* place.byParent.get(parent) ?? [];
    }
  }

  #siblingsAt(
    container: JsonRecord | undefined,
    document: LoadedDocument,
    pointer: string,
  ): Siblings | undefined {
    if (container === undefined) return undefined;
    let siblings = this.#siblings.get(container);
    if (siblings === undefined) {
      siblings = { byParent: new Map(), pending: [] };
      this.#siblings.set(container, siblings);
      for (const name of Object.keys(container).slice(0, maxCandidates)) {
        this.#addCandidate(name, container[name], document, childPointer(pointer, name), siblings);
      }
    }
    return siblings;
  }

  #addCandidate(
    name: string,
    given: unknown,
    document: LoadedDocument,
    pointer: string,
    siblings: Siblings,
  ): void {
    if (!isRecord(given)) return;
    const alias = Object.keys(given).length === 1 ? getReference(given) : undefined;
    const scope = this.#resolver.scopeAt(document.scope, given, pointer);
    const location =
      alias === undefined ? { value: given, scope, pointer } : this.#follow(alias, scope);
    if (location === undefined) return;
    const of: Candidate = { name, location };
    for (const reference of this.#parentReferences(location.value)) {
      siblings.pending.push({ reference, scope: location.scope, of });
    }
  }

  #parentReferences(schema: unknown): string[] {
    const references: string[] = [];
    const open: unknown[] = [schema];
    for (let parts = 0; parts < maxParts && open.length > 0; parts++) {
      const node = open.pop();
      if (!isRecord(node)) continue;
      const reference = getReference(node);
      const isBeside = this.#version === "3.1" || this.#version === "3.2";
      if (reference !== undefined && (node !== schema || isBeside)) references.push(reference);
      const { allOf } = node;
      if (Array.isArray(allOf)) open.push(...(allOf as unknown[]).slice(0, maxParts));
    }
    return references;
  }

  #resolvePending(siblings: Siblings): void {
    if (siblings.pending.length === 0) return;
    const left: typeof siblings.pending = [];
    for (const one of siblings.pending) {
      const { reference, scope, of } = one;
      if (!this.#resolver.isOpen(reference, scope)) left.push(one);
      else {
        const parent = this.#follow(reference, scope)?.value;
        const known = siblings.byParent.get(parent);
        if (known === undefined) siblings.byParent.set(parent, [of]);
        else if (!known.includes(of)) known.push(of);
      }
    }
    siblings.pending = left;
  }
}

function mayBeParent(node: JsonRecord): boolean {
  if (node["discriminator"] !== undefined) return true;
  const { allOf } = node;
  return (
    Array.isArray(allOf) && allOf.some((part) => ownValue(part, "discriminator") !== undefined)
  );
}

/** Returns true for a container of schemas by name. */
function isPlaceOfSchemas(tokens: readonly string[]): boolean {
  const last = tokens.at(-1);
  return tokens.length === 1 || last === "schemas" || last === "definitions" || last === "$defs";
}

/** Returns the discriminator of a schema, or of an inline part of its `allOf`; none if there is a choice beside it. */
function getDiscriminator(
  node: JsonRecord,
): { readonly property: string; readonly mapping: JsonRecord } | undefined {
  const { allOf } = node;
  for (const part of [node, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])]) {
    if (!isRecord(part) || Array.isArray(part["oneOf"]) || Array.isArray(part["anyOf"])) continue;
    if (part !== node && getReference(part) !== undefined) continue;
    const { discriminator } = part;
    // In Swagger 2.0, it is a string.
    const property =
      typeof discriminator === "string" ? discriminator : ownString(discriminator, "propertyName");
    if (property === undefined) continue;
    const mapping = ownValue(discriminator, "mapping");
    return { property, mapping: isRecord(mapping) ? mapping : {} };
  }
  return undefined;
}

/** Returns the parts of `allOf` without their discriminators. */
function withoutDiscriminators(all: unknown): unknown {
  if (!Array.isArray(all)) return all;
  return (all as unknown[]).map((part) => {
    if (!isRecord(part) || part["discriminator"] === undefined) return part;
    const { discriminator: _, ...alone } = part;
    return alone;
  });
}
