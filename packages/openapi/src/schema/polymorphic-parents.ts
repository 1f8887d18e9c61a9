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
type Siblings = ReadonlyMap<unknown, readonly Candidate[]>;

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
    const mapped = this.#resolver.toMappedReference(target, scope);
    return this.#follow(mapped.reference, mapped.scope);
  }

  /** Returns the final target of a reference; undefined if it is not a schema. */
  #follow(reference: string, scope: Scope): Location | undefined {
    const found = this.#resolver.peek({ $ref: reference }, scope);
    return found === undefined ? undefined : this.#resolver.peekMeaning(found);
  }

  /** Returns the schemas with `parent` in `allOf`, among the components and the schemas beside it. */
  *#findChildren(parent: unknown, near: Location): Iterable<Candidate> {
    const main = this.#version === "2.0" ? ["definitions"] : ["components", "schemas"];
    const places = new Set([this.#siblingsAt(main, this.#root)]);
    const beside = parsePointer(near.pointer).slice(0, -1);
    if (isPlaceOfSchemas(beside)) places.add(this.#siblingsAt(beside, near.scope.document));
    for (const place of places) yield* place?.get(parent) ?? [];
  }

  #siblingsAt(tokens: readonly string[], document: LoadedDocument): Siblings | undefined {
    let container: unknown = document.root;
    let { scope } = document;
    let pointer = "";
    for (const token of tokens) {
      container = ownValue(container, token);
      pointer = childPointer(pointer, token);
      scope = this.#resolver.scopeAt(scope, container, pointer);
    }
    if (!isRecord(container)) return undefined;
    const known = this.#siblings.get(container);
    if (known !== undefined) return known;
    const siblings = new Map<unknown, Candidate[]>();
    this.#siblings.set(container, siblings);
    for (const name of Object.keys(container).slice(0, maxCandidates)) {
      const at = { value: container[name], scope, pointer: childPointer(pointer, name) };
      for (const [parent, child] of this.#findParents(name, at)) {
        const children = siblings.get(parent);
        if (children === undefined) siblings.set(parent, [child]);
        else if (!children.includes(child)) children.push(child);
      }
    }
    return siblings;
  }

  /** Returns the parents of a schema, each with the schema itself. */
  *#findParents(name: string, declared: Location): Iterable<readonly [unknown, Candidate]> {
    if (!isRecord(declared.value)) return;
    const scope = this.#resolver.scopeAt(declared.scope, declared.value, declared.pointer);
    const location = this.#resolver.peekMeaning({ ...declared, scope });
    if (location === undefined) return;
    const child = { name, location };
    for (const reference of this.#parentReferences(location.value)) {
      const parent = this.#follow(reference, location.scope);
      if (parent !== undefined) yield [parent.value, child];
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
