import type { JsonObject, JsonValue } from "@toolweave/core";
import {
  isObject,
  stepPointer,
  subschemas,
  decodeFragment,
  resolvePointer,
  keywords,
} from "@toolweave/core/adapter";

/** A reference without a target in its schema. */
export interface DanglingReference {
  /** A JSON pointer to the schema with the reference. */
  readonly path: string;
  readonly reference: string;
}

interface Reference extends DanglingReference {
  readonly base: string;
}

// The base URI of a schema without one; nothing is ever fetched.
const defaultBase = "schema:/self";

const referenceKeywords = ["$ref", "$dynamicRef", "$recursiveRef"];

/**
 * The references of one schema with their targets in it.
 *
 * @see https://json-schema.org/draft/2020-12/json-schema-core#section-8
 */
export class References {
  readonly #resources = new Map<string, JsonObject>();
  readonly #anchors = new Map<string, JsonObject>();
  readonly #found: Reference[] = [];
  readonly #walked = new Set<JsonObject>();
  readonly #base: string;

  constructor(root: JsonObject) {
    this.#resources.set(defaultBase, root);
    this.#base = this.#resolveBase(root, defaultBase);
    this.#walk(root, defaultBase, "");
  }

  /** The target of a reference at the root; `undefined` if there is none. */
  resolve(reference: string): JsonValue | undefined {
    return this.#resolve(reference, this.#base);
  }

  /** The references without a target. */
  findDangling(): DanglingReference[] {
    const dangling: DanglingReference[] = [];
    // A target that no keyword leads to can contain more references, which the loop also visits.
    for (const { path, reference, base } of this.#found) {
      const target = this.#resolve(reference, base);
      if (isObject(target)) this.#walk(target, base, reference);
      else if (typeof target !== "boolean") dangling.push({ path, reference });
    }
    return dangling;
  }

  #walk(schema: JsonObject, outer: string, path: string): void {
    if (this.#walked.has(schema)) return;
    this.#walked.add(schema);
    const base = this.#resolveBase(schema, outer);
    for (const keyword of ["$anchor", "$dynamicAnchor"]) {
      const anchor = schema[keyword];
      if (typeof anchor === "string") this.#anchors.set(`${base}#${anchor}`, schema);
    }
    for (const keyword of referenceKeywords) {
      const reference = schema[keyword];
      if (typeof reference === "string") this.#found.push({ path, reference, base });
    }
    for (const [inner, step] of subschemas(schema)) {
      if (isObject(inner)) this.#walk(inner, base, stepPointer(path, step));
    }
  }

  #resolveBase(schema: JsonObject, outer: string): string {
    const id = schema["$id"];
    if (typeof id !== "string") return outer;
    const [address, fragment] = splitReference(id);
    // Draft-07 defines anchors as `$id: "#name"`.
    if (address === "" && fragment !== "") this.#anchors.set(`${outer}#${fragment}`, schema);
    const base = address === "" ? outer : resolveUri(address, outer);
    if (base === undefined) return outer;
    if (address !== "") this.#resources.set(base, schema);
    return base;
  }

  #resolve(reference: string, base: string): JsonValue | undefined {
    const [address, fragment] = splitReference(reference);
    const target = address === "" ? base : resolveUri(address, base);
    const resource = target === undefined ? undefined : this.#resources.get(target);
    if (resource === undefined || fragment === "") return resource;
    return fragment.startsWith("/")
      ? (resolvePointer(resource, fragment) as JsonValue | undefined)
      : this.#anchors.get(`${target}#${fragment}`);
  }
}

const cachedReferences = new WeakMap<JsonObject, References>();

/** The references of a schema, cached for all rules. */
export function getReferences(root: JsonObject): References {
  let references = cachedReferences.get(root);
  if (references === undefined) cachedReferences.set(root, (references = new References(root)));
  return references;
}

function splitReference(reference: string): [address: string, fragment: string] {
  const at = reference.indexOf("#");
  if (at === -1) return [reference, ""];
  return [reference.slice(0, at), decodeFragment(reference.slice(at + 1))];
}

function resolveUri(address: string, base: string): string | undefined {
  return URL.canParse(address, base) ? new URL(address, base).href : undefined;
}

/**
 * The schema, its `allOf` and the targets of its `$ref`, recursively: a value must satisfy each of
 * them.
 *
 * @param dynamic true to follow `$dynamicRef` and `$recursiveRef` too, as if no other schema used
 * this one.
 */
export function collectConjuncts(
  schema: JsonValue | undefined,
  references: References,
  dynamic = false,
): JsonObject[] {
  const keywords = dynamic ? ["$ref", "$dynamicRef", "$recursiveRef"] : ["$ref"];
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    if (!isObject(value) || found.has(value)) return;
    found.add(value);
    for (const keyword of keywords) {
      const reference = value[keyword];
      if (typeof reference === "string") add(references.resolve(reference));
    }
    if (Array.isArray(value["allOf"])) value["allOf"].forEach(add);
  };
  add(schema);
  return [...found];
}

/** The keywords that can be misspelt. */
const keywordsByLetters = new Map(
  keywords
    .filter((keyword) => !keyword.startsWith("$"))
    .map((keyword) => [normalizeKeyword(keyword), keyword]),
);

/**
 * The keyword that a key stands for, in other case or with other separators: `minLength` for
 * `min_length`. `undefined` for other keys, such as custom keywords.
 */
export function findKeyword(key: string): string | undefined {
  return keywordsByLetters.get(normalizeKeyword(key));
}

function normalizeKeyword(key: string): string {
  return key.toLowerCase().replace(/[_ -]/g, "");
}
