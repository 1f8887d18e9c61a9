import type { JsonObject, JsonValue } from "@toolweave/core";
import fc from "fast-check";
import { isObject } from "./subschemas.ts";
import { matchingTexts } from "./text-arbitrary.ts";
import type { Making, Values } from "./generation.ts";

const plainName: fc.Arbitrary<string> = fc.stringMatching(/^[a-z]{3,8}$/);

/** Objects that fit a schema of objects. */
export function records(schema: JsonObject, making: Making): Values {
  const properties = mapOf(schema["properties"]);
  const dependent = dependentsOf(schema);
  const required = withDependents(stringsOf(schema["required"]), dependent);
  const members = new Map<string, Values>();
  for (const [name, property] of Object.entries(properties)) {
    const needed = required.includes(name);
    if (name === "__proto__" || property === false || (!needed && !making.takesOptional)) continue;
    // Its schema would have to be met as well: it is left out where it can be.
    if (!needed && isObject(mapOf(schema["dependentSchemas"])[name])) continue;
    members.set(name, making.within(property));
  }
  for (const name of required) {
    if (!members.has(name)) members.set(name, making.within(schemaOf(name, schema)));
  }
  // Of a whole value no part is empty that need not be.
  const fewest = making.style === "whole" && !making.isDeep ? 1 : 0;
  const count = Math.min(fewest, Object.keys(properties).length);
  const missing = Math.max(numberOr(schema["minProperties"], 0), count) - required.length;
  const needed = missing > 0 ? optional(properties, members, required, missing, making) : [];
  const isWhole = making.style === "whole" && making.takesOptional;
  const keys = isWhole ? [...members.keys()] : [...required, ...needed];
  const others = otherMembers(schema, making, missing - needed.length);
  const own = fc.record(Object.fromEntries(members), {
    requiredKeys: keys.filter((name) => members.has(name)),
    noNullPrototype: true,
  });
  const all = others === undefined ? own : fc.tuple(own, others).map(([a, b]) => ({ ...b, ...a }));
  const most = numberOr(schema["maxProperties"], Infinity);
  if (dependent.size === 0 && most === Infinity) return all;
  return all.map((value) => fitting(value, new Set([...required, ...needed]), dependent, most));
}

/** Optional properties that are given all the same, since there must be so many. */
function optional(
  properties: JsonObject,
  members: Map<string, Values>,
  required: readonly string[],
  count: number,
  making: Making,
): string[] {
  const names = Object.keys(properties)
    .filter((name) => !required.includes(name) && properties[name] !== false)
    .filter((name) => name !== "__proto__")
    .slice(0, count);
  for (const name of names) members.set(name, making.within(properties[name] as JsonValue));
  return names;
}

/** Members that have no name in the schema: those that a pattern describes, those of a map. */
function otherMembers(
  schema: JsonObject,
  making: Making,
  least: number,
): fc.Arbitrary<JsonObject> | undefined {
  const { additionalProperties: additional, propertyNames } = schema;
  const minLength = Math.max(0, least);
  const isMap = isObject(additional) && making.takesOptional;
  const entries: fc.Arbitrary<[string, JsonValue]>[] = [];
  for (const [pattern, member] of Object.entries(mapOf(schema["patternProperties"]))) {
    const names = matchingTexts(pattern);
    if (names === undefined || member === false || !(making.takesOptional || least > 0)) continue;
    entries.push(fc.tuple(names, making.within(member)));
  }
  if (additional !== false && (isMap || (minLength > 0 && entries.length === 0))) {
    const names = isObject(propertyNames)
      ? (making.within({ allOf: [{ type: "string" }, propertyNames] }) as fc.Arbitrary<string>)
      : plainName;
    entries.push(fc.tuple(names, making.within(isObject(additional) ? additional : true)));
  }
  if (entries.length === 0) return undefined;
  const usual = making.style === "least" ? minLength : minLength + 2;
  return fc
    .uniqueArray(fc.oneof(...entries), { minLength, maxLength: usual, selector: ([name]) => name })
    .map((found) => Object.fromEntries(found.filter(([name]) => name !== "__proto__")));
}

/** Without what would ask for more, and without what is too much. */
function fitting(
  value: JsonObject,
  kept: ReadonlySet<string>,
  dependent: ReadonlyMap<string, readonly string[]>,
  most: number,
): JsonObject {
  const members = new Map(Object.entries(value));
  const drop = (wanted: (name: string) => boolean): void => {
    for (const name of members.keys()) {
      if (!kept.has(name) && members.size > 0 && wanted(name)) members.delete(name);
    }
  };
  drop(() => members.size > most);
  for (let size = -1; size !== members.size;) {
    size = members.size;
    drop((name) => dependent.get(name)?.some((other) => !members.has(other)) === true);
  }
  return Object.fromEntries(members);
}

/** What has to be there beside a property that is. */
function dependentsOf(schema: JsonObject): Map<string, readonly string[]> {
  const dependents = new Map<string, readonly string[]>();
  for (const keyword of ["dependentRequired", "dependencies"]) {
    for (const [name, others] of Object.entries(mapOf(schema[keyword]))) {
      if (Array.isArray(others)) dependents.set(name, stringsOf(others));
    }
  }
  return dependents;
}

function withDependents(
  required: readonly string[],
  dependent: ReadonlyMap<string, readonly string[]>,
): readonly string[] {
  const all = new Set(required);
  for (const name of all) dependent.get(name)?.forEach((other) => all.add(other));
  return [...all];
}

/** What a property is that `properties` does not describe. */
function schemaOf(name: string, schema: JsonObject): JsonValue {
  for (const [pattern, member] of Object.entries(mapOf(schema["patternProperties"]))) {
    if (isMatch(pattern, name)) return member;
  }
  return isObject(schema["additionalProperties"]) ? schema["additionalProperties"] : true;
}

function isMatch(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, "u").test(name);
  } catch {
    return false;
  }
}

function mapOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function stringsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === "string") : [];
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
