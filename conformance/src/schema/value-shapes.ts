import type { JsonObject, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { collectConjuncts } from "./conjuncts.ts";
import type { References } from "./references.ts";

/** The schemas of one value: the input, one of its properties, or the items of a list. */
export interface ValueShape {
  /** A JSON pointer from the value at the root: `/address/street`, `/tags/*`. */
  readonly path: string;
  /** The schemas that the value must all satisfy. */
  readonly conjuncts: readonly JsonObject[];
  /** The number of objects and lists around the value, including itself. */
  readonly depth: number;
}

const branching = ["allOf", "anyOf", "oneOf"];

/**
 * The schemas of a value and of all values within it, each schema once at its smallest depth: a
 * recursive schema is no deeper than its definition.
 */
export function collectValueShapes(root: JsonObject, references: References): ValueShape[] {
  const shapes: ValueShape[] = [];
  const walked = new Set<JsonObject>();
  let level: readonly SchemaPlace[] = [{ schema: root, path: "", outer: 0 }];
  while (level.length > 0) {
    const next: SchemaPlace[] = [];
    for (const { schema, path, outer } of level) {
      const all = collectConjuncts(schema, references);
      const parts = collectBranches(all, references);
      const nesting = parts.filter(hasMembers);
      if (nesting.length > 0 && nesting.every((part) => walked.has(part))) continue;
      const depth = nesting.length > 0 ? outer + 1 : outer;
      shapes.push({ path, conjuncts: all, depth });
      for (const part of parts) {
        if (walked.has(part)) continue;
        walked.add(part);
        for (const [step, member] of getMembers(part)) {
          if (isObject(member))
            next.push({ schema: member, path: `${path}/${step}`, outer: depth });
        }
      }
    }
    level = next;
  }
  return shapes;
}

interface SchemaPlace {
  readonly schema: JsonObject;
  readonly path: string;
  readonly outer: number;
}

/** The schemas of the same value, including those that apply conditionally. */
function collectBranches(all: readonly JsonObject[], references: References): JsonObject[] {
  const found = new Set<JsonObject>();
  const add = (value: JsonValue | undefined): void => {
    for (const part of collectConjuncts(value, references)) {
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

function getMembers(schema: JsonObject): [step: string, member: JsonValue][] {
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
  return types.includes("object") || types.includes("array") || getMembers(schema).length > 0;
}

/** The names of the properties that the schemas of a value describe, including conditional ones. */
export function collectDescribedNames(
  all: readonly JsonObject[],
  references: References,
): { readonly names: ReadonlySet<string>; readonly isOpen: boolean } {
  const names = new Set<string>();
  let isOpen = false;
  for (const part of collectBranches(all, references)) {
    if (isObject(part["properties"])) {
      Object.keys(part["properties"]).forEach((name) => names.add(name));
    }
    // Patterns and additional properties also describe names.
    if (isObject(part["patternProperties"]) || isObject(part["additionalProperties"])) {
      isOpen = true;
    }
  }
  return { names, isOpen };
}
