import { canonicalJson } from "../json/canonical-json.ts";
import { isObject, type JsonObject, type JsonSchema, type JsonValue } from "../json/json.ts";
import { childPointer, decodeFragment } from "../json/json-pointer.ts";
import { getDialect, metadataKeywords } from "./keywords.ts";
import {
  allKinds,
  readKeyword,
  restrictKinds,
  type Fault,
  type Kind,
  type Part,
  type UnsatisfiablePlace,
} from "./possible-kinds.ts";
import {
  describingKeywords,
  getItemSchemas,
  isSchemaNode,
  resolveReference,
  stepPointer,
  subschemas,
  type SchemaNode,
} from "./subschemas.ts";

export type { UnsatisfiablePlace };

/** Schemas that are compared before the search ends; what is not reached counts as satisfiable. */
const maxVisits = 20_000;
const maxPlaces = 20;

/**
 * Finds places of a schema for which no value can be valid, which the author cannot have meant: types, constants and
 * bounds that contradict each other, properties that another part of the schema refuses, objects that must contain
 * themselves, and dynamic references without an anchor. Not all contradictions are found. Those that are written as
 * such (`false`, `not: {}`) are not reported.
 */
export function findUnsatisfiable(schema: JsonSchema): readonly UnsatisfiablePlace[] {
  const search = new Search(schema);
  search.run();
  return search.places;
}

/** Schemas below these need not be satisfiable, or are only used by reference. */
const unvisited: ReadonlySet<string> = new Set(["$defs", "definitions", "if", "not"]);

class Search {
  readonly places: UnsatisfiablePlace[] = [];
  readonly #root: JsonSchema;
  readonly #refersAlone: boolean;
  readonly #reported = new Set<string>();
  readonly #ids = new Map<SchemaNode, number>();
  /** Faults of values that several schemas describe; `null`: in progress. */
  readonly #known = new Map<string, Fault | undefined | null>();
  #assumptions = 0;
  #left = maxVisits;

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#refersAlone = getDialect(root["$schema"]).startsWith("draft");
  }

  run(): void {
    const seen = new Set<JsonSchema>();
    const found: Part[] = [{ schema: this.#root, pointer: "" }];
    for (const { schema, pointer } of found) {
      if (typeof schema === "boolean" || seen.has(schema)) continue;
      if (seen.size >= maxVisits || this.places.length >= maxPlaces) return;
      seen.add(schema);
      this.#visit({ schema, pointer });
      const target = this.#followReference(schema);
      if (target !== undefined) found.push(target);
      for (const [inner, step] of subschemas(schema)) {
        if (unvisited.has(step[0]) || this.#isIgnored(schema)) continue;
        found.push({ schema: inner, pointer: stepPointer(pointer, step) });
      }
    }
  }

  #visit(part: Part): void {
    const { $dynamicRef } = part.schema as JsonSchema;
    if (typeof $dynamicRef === "string" && !this.#hasAnchor($dynamicRef)) {
      const reason = `its $dynamicRef "${$dynamicRef.slice(0, 100)}" leads to no schema`;
      this.#report({ pointer: part.pointer, reason });
    }
    if (refersOnly(part.schema as JsonSchema)) return;
    const parts = this.#flatten([part]);
    const fault = this.#findFault(parts, true);
    if (fault !== undefined) return this.#report({ ...fault, pointer: part.pointer });
    const names = new Set(
      parts.flatMap(({ schema }) => Object.keys(members(schema, "properties"))),
    );
    for (const name of names) {
      const declared = this.#flatten(declaredMembers(parts, name));
      const alone = declaredMembers(parts, name);
      const refusal = findRefusal(parts, name, this);
      const last = alone.at(-1) as Part;
      if (refusal !== undefined && this.#findFault(declared) === undefined) {
        this.#report({ pointer: last.pointer, reason: refusal });
      } else if (alone.length > 1) this.#reportJoint(alone);
    }
    const items = parts.flatMap((each) => itemParts(each));
    if (items.length > 1) this.#reportJoint(items);
  }

  /** Reports schemas of the same value that are satisfiable only one by one. */
  #reportJoint(parts: readonly Part[]): void {
    if (parts.some((each) => this.#impossible([each]) !== undefined)) return;
    const fault = this.#impossible(parts);
    if (fault !== undefined) this.#report(fault);
  }

  #report({ pointer, reason, isKnown }: Fault): void {
    if (isKnown === true || this.#reported.has(pointer)) return;
    this.#reported.add(pointer);
    this.places.push({ pointer, reason });
  }

  /** The fault of the value that all these schemas describe. */
  #impossible(from: readonly Part[]): Fault | undefined {
    const key = from.map(({ schema }) => this.#identify(schema)).join();
    const known = this.#known.get(key);
    if (known === null) {
      this.#assumptions += 1;
      const { pointer } = from[0] as Part;
      return { pointer, reason: "it must contain itself, without an end" };
    }
    if (known !== undefined || this.#known.has(key)) return known;
    this.#known.set(key, null);
    const before = this.#assumptions;
    const fault = this.#findFault(this.#flatten(from));
    // A fault that follows from an assumption may not hold elsewhere.
    if (fault === undefined || this.#assumptions === before) this.#known.set(key, fault);
    else this.#known.delete(key);
    return fault;
  }

  #identify(schema: SchemaNode): number {
    const known = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, known);
    return known;
  }

  /** @param isPlace an object schema need not have a type to be meant as such. */
  #findFault(parts: readonly Part[], isPlace = false): Fault | undefined {
    this.#left -= parts.length;
    if (this.#left < 0) return undefined;
    const written = parts.find(({ schema }) => isWrittenAsFalse(schema));
    if (written !== undefined) {
      return { pointer: written.pointer, reason: "it is false", isKnown: true };
    }
    const kinds = new Set(allKinds);
    const fault = restrictKinds(parts, kinds);
    if (fault !== undefined) return fault;
    const isTyped = kinds.size < allKinds.length;
    const structural: readonly [Kind, Fault | undefined][] = [
      ["object", kinds.has("object") ? this.#findObjectFault(parts) : undefined],
      ["array", kinds.has("array") ? this.#findArrayFault(parts) : undefined],
    ];
    for (const [kind, found] of structural) {
      if (found === undefined) continue;
      kinds.delete(kind);
      const isMeant = isPlace && !isTyped && kind === "object" && isObjectSchema(parts);
      if (kinds.size === 0 || isMeant) return found;
    }
    return this.#findUnionFault(parts);
  }

  #findObjectFault(parts: readonly Part[]): Fault | undefined {
    const required = parts.flatMap(({ schema, pointer }) =>
      names(schema, "required").map((name) => ({ name, pointer })),
    );
    for (const { name, pointer } of required) {
      const refusal = findRefusal(parts, name, this);
      if (refusal !== undefined) {
        return { pointer, reason: `it requires "${name.slice(0, 100)}", and ${refusal}` };
      }
      const members = declaredMembers(parts, name);
      const fault = members.length === 0 ? undefined : this.#impossible(members);
      if (fault === undefined) continue;
      const isKnown = members.length === 1 && fault.isKnown !== true && !isEndless(fault);
      const reason = isEndless(fault)
        ? fault.reason
        : `it requires "${name.slice(0, 100)}", for which no value is valid`;
      return { pointer, reason, isKnown };
    }
    return undefined;
  }

  #findArrayFault(parts: readonly Part[]): Fault | undefined {
    const first = parts.find(({ schema }) => readNumber(schema, "minItems") > 0);
    const items = parts.flatMap((each) => itemParts(each));
    if (first === undefined || items.length === 0) return undefined;
    const fault = this.#impossible(items);
    if (fault === undefined) return undefined;
    const reason = isEndless(fault) ? fault.reason : "it needs items, for which no value is valid";
    const isKnown = items.length === 1 && fault.isKnown !== true && !isEndless(fault);
    return { pointer: first.pointer, reason, isKnown };
  }

  #findUnionFault(parts: readonly Part[]): Fault | undefined {
    for (const { schema, pointer } of parts) {
      for (const keyword of ["anyOf", "oneOf"]) {
        const branches = listMember(schema, keyword).filter(isSchemaNode);
        if (branches.length === 0) continue;
        const at = childPointer(pointer, keyword);
        const faults = branches.map((branch, index) => {
          const below = this.#flatten([{ schema: branch, pointer: childPointer(at, index) }]);
          const others = parts.map((part) => ({ ...part, schema: withoutUnions(part.schema) }));
          return this.#findFault([...others, ...below]);
        });
        if (faults.every((fault) => fault !== undefined)) {
          const isKnown = faults.every((fault) => fault.isKnown === true);
          const { reason } = faults[0] as Fault;
          return { pointer, reason: `none of its ${keyword} is possible (${reason})`, isKnown };
        }
      }
    }
    return undefined;
  }

  /** Schemas and those that hold for the same value in every case: by `allOf` and references. */
  #flatten(from: readonly Part[]): readonly Part[] {
    const seen = new Set<SchemaNode>();
    const found = [...from];
    const flat: Part[] = [];
    for (const part of found) {
      const { schema, pointer } = part;
      if (seen.has(schema) || --this.#left < 0) continue;
      seen.add(schema);
      if (typeof schema === "boolean") {
        flat.push(part);
        continue;
      }
      const target = this.#followReference(schema);
      if (target !== undefined) found.push(target);
      if (this.#isIgnored(schema)) continue;
      flat.push(part);
      for (const [index, inner] of listMember(schema, "allOf").entries()) {
        const at = childPointer(childPointer(pointer, "allOf"), index);
        if (isSchemaNode(inner)) found.push({ schema: inner, pointer: at });
      }
    }
    return flat;
  }

  #followReference({ $ref }: JsonSchema): Part | undefined {
    const target = resolveReference(this.#root, $ref);
    if (!isSchemaNode(target)) return undefined;
    return { schema: target, pointer: decodeFragment(String($ref).slice(1)) };
  }

  /** Until draft-07 the siblings of a reference have no meaning (draft-07 core, section 8.3). */
  #isIgnored({ $ref }: JsonSchema): boolean {
    return this.#refersAlone && typeof $ref === "string";
  }

  #hasAnchor(reference: string): boolean {
    // The other forms are references like `$ref`, and identifiers may be anywhere.
    const [, anchor] = /^#([^/].*)$/.exec(reference) ?? [];
    if (anchor === undefined) return true;
    const text = JSON.stringify(anchor);
    const json = canonicalJson(this.#root);
    return json.includes(`"$dynamicAnchor":${text}`) || json.includes(`"$anchor":${text}`);
  }

  /** Names of properties that a schema evaluates, for `unevaluatedProperties`; undefined: perhaps all. */
  evaluated(schema: SchemaNode): ReadonlySet<string> | undefined {
    const found = new Set<string>();
    const open: SchemaNode[] = [schema];
    const seen = new Set<SchemaNode>();
    for (const each of open) {
      if (typeof each === "boolean" || seen.has(each)) continue;
      if (--this.#left < 0) return undefined;
      seen.add(each);
      const { $ref } = each;
      const target = this.#followReference(each);
      if ($ref !== undefined && target === undefined) return undefined;
      if (openKeywords.some((keyword) => Object.hasOwn(each, keyword))) return undefined;
      if (each !== schema && Object.hasOwn(each, "unevaluatedProperties")) return undefined;
      for (const name of Object.keys(members(each, "properties"))) found.add(name);
      if (target !== undefined) open.push(target.schema);
      for (const [inner, [keyword]] of subschemas(each)) {
        if (describingKeywords.includes(keyword)) open.push(inner);
      }
    }
    return found;
  }
}

/** Keywords beside `properties` that evaluate properties. */
const openKeywords = ["additionalProperties", "patternProperties", "$dynamicRef", "$recursiveRef"];

/** The reason why no object can have a property of that name. */
function findRefusal(parts: readonly Part[], name: string, search: Search): string | undefined {
  for (const { schema, pointer } of parts) {
    if (typeof schema === "boolean") continue;
    const { additionalProperties, patternProperties, unevaluatedProperties } = schema;
    const declared = Object.hasOwn(members(schema, "properties"), name);
    const at = pointer === "" ? "the schema" : pointer;
    if (additionalProperties === false && !declared && isEmpty(patternProperties)) {
      return `additionalProperties: false of ${at} refuses that property`;
    }
    if (unevaluatedProperties === false && search.evaluated(schema)?.has(name) === false) {
      return `unevaluatedProperties: false of ${at} refuses that property`;
    }
  }
  return undefined;
}

function isWrittenAsFalse(schema: SchemaNode): boolean {
  if (typeof schema === "boolean") return !schema;
  const { not } = schema;
  return not === true || (isObject(not) && Object.keys(not).length === 0);
}

/** True for a schema that adds nothing to its reference, whose target is visited. */
function refersOnly(schema: JsonSchema): boolean {
  const constraints = Object.keys(schema).filter((keyword) => !metadataKeywords.has(keyword));
  return constraints.length === 1 && constraints[0] === "$ref";
}

function isEndless({ reason }: Fault): boolean {
  return reason.includes("contain itself");
}

function isObjectSchema(parts: readonly Part[]): boolean {
  return parts.some(({ schema }) => readKeyword(schema, "properties") !== undefined);
}

function declaredMembers(parts: readonly Part[], name: string): readonly Part[] {
  return parts.flatMap(({ schema, pointer }) => {
    const properties = members(schema, "properties");
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const at = childPointer(childPointer(pointer, "properties"), name);
    return isSchemaNode(member) ? [{ schema: member, pointer: at }] : [];
  });
}

/** The schemas of the items of an array without a prefix. */
function itemParts({ schema, pointer }: Part): readonly Part[] {
  if (typeof schema === "boolean") return [];
  const { prefix, rest } = getItemSchemas(schema);
  return prefix.length === 0 && isSchemaNode(rest)
    ? [{ schema: rest, pointer: childPointer(pointer, "items") }]
    : [];
}

function withoutUnions(schema: SchemaNode): SchemaNode {
  if (typeof schema === "boolean") return schema;
  const { anyOf: _, oneOf: __, ...rest } = schema;
  return rest;
}

function readNumber(schema: SchemaNode, keyword: string): number {
  const value = readKeyword(schema, keyword);
  return typeof value === "number" ? value : 0;
}

function members(schema: SchemaNode, keyword: string): JsonObject {
  const value = readKeyword(schema, keyword);
  return isObject(value) ? value : {};
}

function listMember(schema: SchemaNode, keyword: string): readonly JsonValue[] {
  const value = readKeyword(schema, keyword);
  return Array.isArray(value) ? value : [];
}

function names(schema: SchemaNode, keyword: string): readonly string[] {
  return listMember(schema, keyword).filter((name) => typeof name === "string");
}

function isEmpty(value: JsonValue | undefined): boolean {
  return !isObject(value) || Object.keys(value).length === 0;
}
