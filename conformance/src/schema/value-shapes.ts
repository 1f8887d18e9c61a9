import type { JsonObject, JsonValue } from "@toolweave/core";
import { conjuncts } from "./conjuncts.ts";
import type { References } from "./references.ts";
import { isObject } from "./subschemas.ts";

/** A schema that a value stands under: the whole input, one of its properties, the items of a list. */
export interface ValueShape {
  /** A JSON pointer from the value at the root: `/address/street`, `/tags/*`. */
  readonly path: string;
  /** What the value must satisfy, all of it. */
  readonly conjuncts: readonly JsonObject[];
  /** How many objects and lists it lies in, itself included if it is one. */
  readonly depth: number;
}

const branching = ["allOf", "anyOf", "oneOf"];

/**
 * The schemas of a value and of all values within it, each schema once, where it lies least deep: a
 * schema that leads back to itself nests no deeper than it is written.
 */
export function valueShapes(root: JsonObject, references: References): ValueShape[] {
  const shapes: ValueShape[] = [];
  const walked = new Set<JsonObject>();
  let level: readonly Place[] = [{ schema: root, path: "", outer: 0 }];
  while (level.length > 0) {
    const next: Place[] = [];
    for (const { schema, path, outer } of level) {
      const all = conjuncts(schema, references);
      const parts = branches(all, references);
      const nesting = parts.filter(hasMembers);
      if (nesting.length > 0 && nesting.every((part) => walked.has(part))) continue;
      const depth = nesting.length > 0 ? outer + 1 : outer;
      shapes.push({ path, conjuncts: all, depth });
      for (const part of parts) {
        if (walked.has(part)) continue;
        walked.add(part);
        for (const [step, member] of members(part)) {
          if (isObject(member))
            next.push({ schema: member, path: `${path}/${step}`, outer: depth });
        }
      }
    }
    level = next;
  }
  return shapes;
}

interface Place {
  readonly schema: JsonObject;
  readonly path: string;
  readonly outer: number;
}

/** The schemas that speak of the same value, with those that may not apply to it. */
function branches(all: readonly JsonObject[], references: References): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    for (const part of conjuncts(value, references)) {
      if (found.has(part)) continue;
      found.add(part);
      for (const keyword of branching) {
        const list = part[keyword];
        if (Array.isArray(list)) list.forEach(add);
      }
      for (const keyword of ["then", "else"]) add(part[keyword]);
    }
  };
  all.forEach(add);
  return [...found];
}

function members(schema: JsonObject): [step: string, member: JsonValue][] {
  const found: [string, JsonValue][] = [];
  if (isObject(schema["properties"])) found.push(...Object.entries(schema["properties"]));
  if (isObject(schema["patternProperties"])) {
    found.push(...Object.entries(schema["patternProperties"]));
  }
  for (const keyword of ["additionalProperties", "items"]) {
    const member = schema[keyword];
    if (isObject(member)) found.push(["*", member]);
  }
  const prefix = schema["prefixItems"];
  if (Array.isArray(prefix)) {
    prefix.forEach((item: JsonValue, index) => found.push([`${index}`, item]));
  }
  return found;
}

function hasMembers(schema: JsonObject): boolean {
  const { type } = schema;
  const types = Array.isArray(type) ? type : [type];
  return types.includes("object") || types.includes("array") || members(schema).length > 0;
}

/** The names of a value's properties that its schemas describe, also those that may not apply. */
export function describedNames(
  all: readonly JsonObject[],
  references: References,
): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
  const names = new Set<string>();
  let isOpen = false;
  for (const part of branches(all, references)) {
    if (isObject(part["properties"])) {
      Object.keys(part["properties"]).forEach((name) => names.add(name));
    }
    // Names that only a pattern describes, or one schema for all others, are described, too.
    if (isObject(part["patternProperties"]) || isObject(part["additionalProperties"])) {
      isOpen = true;
    }
  }
  return { names, isOpen };
}
