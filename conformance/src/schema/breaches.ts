import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { isObject } from "@toolweave/core/adapter";
import { collectConjuncts, References } from "./references.ts";
import { filterStrings } from "./keyword-values.ts";

/** A change that makes arguments invalid, whether they were valid before or not. */
export interface SchemaBreach {
  /** A short description. */
  readonly what: string;
  readonly apply: (args: JsonObject) => JsonObject;
}

const unknownPropertyName = "toolweave_unknown_property";

const valuesOfEachType: readonly JsonValue[] = [null, true, 7, 1.5, "text", [], {}];

/** The maximum length of generated texts and lists. */
const maxLength = 10_000;

/** The maximum nesting, and the maximum number of breaches of large schemas. */
const maxDepth = 3;
const maxBreaches = 2000;

/**
 * Finds changes that make arguments invalid, from the schema itself and not from a validator:
 * unconditional assertions at the root, on its properties, and on nested values.
 *
 * @param except names at the root that are not changed.
 */
export function generateBreaches(schema: JsonSchema, except: ReadonlySet<string>): SchemaBreach[] {
  const breaches: SchemaBreach[] = [];
  const references = new References(schema as JsonObject);
  for (const breach of generateObjectBreaches(schema as JsonObject, references, except, 0)) {
    breaches.push(breach);
    if (breaches.length >= maxBreaches) break;
  }
  return breaches;
}

/** Changes that violate the keywords for objects. */
function* generateObjectBreaches(
  schema: JsonValue,
  references: References,
  except: ReadonlySet<string>,
  depth: number,
): Iterable<SchemaBreach> {
  const inner: [name: string, property: JsonValue][] = [];
  for (const conjunct of collectConjuncts(schema, references)) {
    for (const name of filterStrings(conjunct["required"])) {
      if (!except.has(name)) yield { what: `no ${name}`, apply: removeMember(name) };
    }
    const properties = isObject(conjunct["properties"]) ? conjunct["properties"] : {};
    for (const [name, property] of Object.entries(properties)) {
      // Validators differ on it, for security reasons.
      if (except.has(name) || name === "__proto__") continue;
      for (const value of generateInvalidValues(property, references)) yield setMember(name, value);
      inner.push([name, property]);
    }
    const { additionalProperties: additional } = conjunct;
    if (additional === undefined || matchesPatternProperty(conjunct, unknownPropertyName)) continue;
    if (additional === false) {
      const apply = (args: JsonObject): JsonObject => withMember(args, unknownPropertyName, true);
      yield { what: "an undeclared property", apply };
    }
    if (!isObject(additional)) continue;
    for (const value of generateInvalidValues(additional, references))
      yield setMember(unknownPropertyName, value);
  }
  if (depth >= maxDepth) return;
  for (const [name, property] of inner) {
    for (const { what, apply } of generateValueBreaches(property, references, depth + 1)) {
      yield {
        what: `${name}${what}`,
        apply: (args) => withMember(args, name, apply(getOwnMember(args, name))),
      };
    }
  }
}

/** A change of a nested value that makes it invalid, whatever it was before. */
interface InnerBreach {
  readonly what: string;
  readonly apply: (value: JsonValue | undefined) => JsonValue;
}

function* generateValueBreaches(
  schema: JsonValue,
  references: References,
  depth: number,
): Iterable<InnerBreach> {
  const none: ReadonlySet<string> = new Set();
  for (const { what, apply } of generateObjectBreaches(schema, references, none, depth)) {
    yield { what: `: ${what}`, apply: (value) => apply(isObject(value) ? value : {}) };
  }
  for (const { items, prefixItems } of collectConjuncts(schema, references)) {
    // With `prefixItems` the first items have other schemas.
    if (!isObject(items) || prefixItems !== undefined) continue;
    for (const wrong of generateInvalidValues(items, references)) {
      yield { what: `/0: ${abbreviate(wrong)}`, apply: () => [wrong] };
    }
    if (depth >= maxDepth) continue;
    for (const { what, apply } of generateValueBreaches(items, references, depth + 1)) {
      yield {
        what: `/0${what}`,
        apply: (value) => [apply(Array.isArray(value) ? (value[0] as JsonValue) : undefined)],
      };
    }
  }
}

function setMember(name: string, value: JsonValue): SchemaBreach {
  return { what: `${name}: ${abbreviate(value)}`, apply: (args) => withMember(args, name, value) };
}

function abbreviate(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 60);
}

function getOwnMember(args: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** Values that a schema certainly rejects. */
function generateInvalidValues(schema: JsonValue, references: References): JsonValue[] {
  if (schema === false) return ["text"];
  const wrong = new Map<string, JsonValue>();
  const add = (value: JsonValue): void => void wrong.set(JSON.stringify(value), value);
  for (const conjunct of collectConjuncts(schema, references)) {
    if (Array.isArray(conjunct["enum"])) nonMembers(conjunct["enum"]).forEach(add);
    if ("const" in conjunct) nonMembers([conjunct["const"] as JsonValue]).forEach(add);
    valuesBeyondBounds(conjunct).forEach(add);
    if (filterStrings(conjunct["required"]).length > 0) add({});
  }
  valuesOfEachType.filter((value) => isRejected(value, schema, references, 0)).forEach(add);
  return [...wrong.values()];
}

/** True if a schema rejects the value by its type, also if every one of its branches does. */
function isRejected(
  value: JsonValue,
  schema: JsonValue,
  references: References,
  depth: number,
): boolean {
  if (schema === false) return true;
  return collectConjuncts(schema, references).some((conjunct) => {
    const types = getTypes(conjunct);
    if (types.length > 0 && !hasType(value, types)) return true;
    const members = "const" in conjunct ? [conjunct["const"] as JsonValue] : conjunct["enum"];
    if (Array.isArray(members) && nonMembers(members).includes(value)) return true;
    return ["anyOf", "oneOf"].some((keyword) => {
      const branches = conjunct[keyword];
      return (
        depth < maxDepth &&
        Array.isArray(branches) &&
        branches.length > 0 &&
        branches.every((branch: JsonValue) => isRejected(value, branch, references, depth + 1))
      );
    });
  });
}

function valuesBeyondBounds(schema: JsonObject): JsonValue[] {
  const beyond: JsonValue[] = [];
  const bound = (keyword: string, use: (value: number) => void): void => {
    const value = schema[keyword];
    if (typeof value === "number") use(value);
  };
  // Beyond 2^53 adding one may not change the number.
  bound("minimum", (min) => min - 1 < min && beyond.push(min - 1));
  bound("maximum", (max) => max + 1 > max && beyond.push(max + 1));
  bound("exclusiveMinimum", (min) => beyond.push(min));
  bound("exclusiveMaximum", (max) => beyond.push(max));
  bound("minLength", (min) => min > 0 && beyond.push(""));
  bound("maxLength", (max) => max < maxLength && beyond.push("x".repeat(max + 1)));
  bound("minItems", (min) => min > 0 && beyond.push([]));
  bound("maxItems", (max) => {
    if (max < maxLength) beyond.push(Array.from({ length: max + 1 }, (_, index) => index));
  });
  return beyond;
}

function nonMembers(members: readonly JsonValue[]): JsonValue[] {
  const texts = new Set(members.map((member) => JSON.stringify(member)));
  return [...valuesOfEachType, "toolweave_no_member"].filter(
    (value) => !texts.has(JSON.stringify(value)) && (typeof value !== "object" || value === null),
  );
}

/** The types that a schema names; empty if it names none. */
export function getTypes(schema: JsonObject): string[] {
  const { type } = schema;
  return typeof type === "string" ? [type] : filterStrings(type);
}

/** True if a value has one of the types of JSON Schema. */
export function hasType(value: JsonValue, types: readonly string[]): boolean {
  if (value === null) return types.includes("null");
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value === "number" && types.includes("integer") && Number.isInteger(value))
    return true;
  return types.includes(typeof value);
}

function matchesPatternProperty(schema: JsonObject, name: string): boolean {
  const patterns = isObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
  return Object.keys(patterns).some((pattern) => testPattern(pattern, name));
}

function testPattern(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return true;
  }
}

function removeMember(name: string): (args: JsonObject) => JsonObject {
  return (args) => Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
}

function withMember(args: JsonObject, name: string, value: JsonValue): JsonObject {
  // `fromEntries` defines: assignment would set the prototype for `__proto__`.
  return Object.fromEntries([...Object.entries(args), [name, value]]);
}
