import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { isObject } from "@toolweave/core/adapter";
import { generateMatchingTexts } from "./text-arbitrary.ts";
import type { GenerationSettings, Values } from "./generation-settings.ts";
import { filterStrings, numberOr } from "./keyword-values.ts";

const plainName: fc.Arbitrary<string> = fc.stringMatching(/^[a-z]{3,8}$/);

/** Generates objects that match a schema. */
export function generateRecords(schema: JsonObject, making: GenerationSettings): Values {
  const properties = toMap(schema["properties"]);
  const dependent = getDependents(schema);
  const required = addDependents(filterStrings(schema["required"]), dependent);
  const members = new Map<string, Values>();
  for (const [name, property] of Object.entries(properties)) {
    const needed = required.includes(name);
    if (name === "__proto__" || property === false || (!needed && !making.withOptional)) continue;
    // The dependent schema would have to match as well: the property is omitted if possible.
    if (!needed && isObject(toMap(schema["dependentSchemas"])[name])) continue;
    members.set(name, making.generateNested(property));
  }
  for (const name of required) {
    if (!members.has(name))
      members.set(name, making.generateNested(getPropertySchema(name, schema)));
  }
  // A whole value has no empty parts if it can have others.
  const fewest = making.style === "whole" && !making.isAtMaxDepth ? 1 : 0;
  const count = Math.min(fewest, Object.keys(properties).length);
  const missing = Math.max(numberOr(schema["minProperties"], 0), count) - required.length;
  const needed = missing > 0 ? addOptional(properties, members, required, missing, making) : [];
  const isWhole = making.style === "whole" && making.withOptional;
  const keys = isWhole ? [...members.keys()] : [...required, ...needed];
  const others = generateOtherMembers(schema, making, missing - needed.length);
  const own = fc.record(Object.fromEntries(members), {
    requiredKeys: keys.filter((name) => members.has(name)),
    noNullPrototype: true,
  });
  const all = others === undefined ? own : fc.tuple(own, others).map(([a, b]) => ({ ...b, ...a }));
  const most = numberOr(schema["maxProperties"], Infinity);
  if (dependent.size === 0 && most === Infinity) return all;
  return all.map((value) =>
    removeUnfitting(value, new Set([...required, ...needed]), dependent, most),
  );
}

/** Adds optional properties until there are as many as required. */
function addOptional(
  properties: JsonObject,
  members: Map<string, Values>,
  required: readonly string[],
  count: number,
  making: GenerationSettings,
): string[] {
  const names = Object.keys(properties)
    .filter((name) => !required.includes(name) && properties[name] !== false)
    .filter((name) => name !== "__proto__")
    .slice(0, count);
  for (const name of names) members.set(name, making.generateNested(properties[name] as JsonValue));
  return names;
}

/** Generates members that the schema does not name: those of a pattern and of a map. */
function generateOtherMembers(
  schema: JsonObject,
  making: GenerationSettings,
  least: number,
): fc.Arbitrary<JsonObject> | undefined {
  const { additionalProperties: additional, propertyNames } = schema;
  const minLength = Math.max(0, least);
  const isMap = isObject(additional) && making.withOptional;
  const entries: fc.Arbitrary<[string, JsonValue]>[] = [];
  for (const [pattern, member] of Object.entries(toMap(schema["patternProperties"]))) {
    const names = generateMatchingTexts(pattern);
    if (names === undefined || member === false || !(making.withOptional || least > 0)) continue;
    entries.push(fc.tuple(names, making.generateNested(member)));
  }
  if (additional !== false && (isMap || (minLength > 0 && entries.length === 0))) {
    const names = isObject(propertyNames)
      ? (making.generateNested({
          allOf: [{ type: "string" }, propertyNames],
        }) as fc.Arbitrary<string>)
      : plainName;
    entries.push(fc.tuple(names, making.generateNested(isObject(additional) ? additional : true)));
  }
  if (entries.length === 0) return undefined;
  const usual = making.style === "least" ? minLength : minLength + 2;
  return fc
    .uniqueArray(fc.oneof(...entries), { minLength, maxLength: usual, selector: ([name]) => name })
    .map((found) => Object.fromEntries(found.filter(([name]) => name !== "__proto__")));
}

/** Removes members with missing dependencies, and members beyond the maximum. */
function removeUnfitting(
  value: JsonObject,
  required: ReadonlySet<string>,
  dependent: ReadonlyMap<string, readonly string[]>,
  most: number,
): JsonObject {
  const members = new Map(Object.entries(value));
  const drop = (wanted: (name: string) => boolean): void => {
    for (const name of members.keys()) {
      if (!required.has(name) && members.size > 0 && wanted(name)) members.delete(name);
    }
  };
  drop(() => members.size > most);
  for (let size = -1; size !== members.size;) {
    size = members.size;
    drop((name) => dependent.get(name)?.some((other) => !members.has(other)) === true);
  }
  return Object.fromEntries(members);
}

/** The properties that other properties require. */
function getDependents(schema: JsonObject): Map<string, readonly string[]> {
  const dependents = new Map<string, readonly string[]>();
  for (const keyword of ["dependentRequired", "dependencies"]) {
    for (const [name, others] of Object.entries(toMap(schema[keyword]))) {
      if (Array.isArray(others)) dependents.set(name, filterStrings(others));
    }
  }
  return dependents;
}

function addDependents(
  required: readonly string[],
  dependent: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const all = new Set(required);
  for (const name of all) dependent.get(name)?.forEach((other) => all.add(other));
  return [...all];
}

/** The schema of a property that `properties` does not describe. */
function getPropertySchema(name: string, schema: JsonObject): JsonValue {
  for (const [pattern, member] of Object.entries(toMap(schema["patternProperties"]))) {
    if (testPattern(pattern, name)) return member;
  }
  return isObject(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
}

function testPattern(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

function toMap(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}
