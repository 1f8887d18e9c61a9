import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";
import { conjuncts } from "./conjuncts.ts";
import { References } from "./references.ts";
import { isObject } from "./subschemas.ts";

/** One way to break a schema: valid or not before, the arguments are invalid afterwards. */
export interface Breach {
  /** What it does, in a few words. */
  readonly what: string;
  readonly apply: (args: JsonObject) => JsonObject;
}

const strangerName = "toolweave_unknown_property";

const ofEachType: readonly JsonValue[] = [null, true, 7, 1.5, "text", [], {}];

/** Lengths beyond this are not worth the memory. */
const longest = 10_000;

/**
 * Ways to break a schema, read from its own words and not from a validator: what asserts
 * unconditionally at the root, and on each of its properties.
 *
 * @param except names that are left alone.
 */
export function breachesOf(schema: JsonSchema, except: ReadonlySet<string>): Breach[] {
  const references = new References(schema as JsonObject);
  const breaches: Breach[] = [];
  for (const conjunct of conjuncts(schema as JsonObject, references)) {
    for (const name of stringsOf(conjunct["required"])) {
      if (!except.has(name)) breaches.push({ what: `no ${name}`, apply: without(name) });
    }
    const properties = isObject(conjunct["properties"]) ? conjunct["properties"] : {};
    for (const [name, property] of Object.entries(properties)) {
      // Validators differ on it, for their own safety.
      if (except.has(name) || name === "__proto__") continue;
      for (const value of wrongValues(property, references)) {
        const what = `${name}: ${JSON.stringify(value).slice(0, 60)}`;
        breaches.push({ what, apply: (args) => withMember(args, name, value) });
      }
    }
    if (conjunct["additionalProperties"] === false && !isKnown(conjunct, strangerName)) {
      const apply = (args: JsonObject): JsonObject => withMember(args, strangerName, true);
      breaches.push({ what: "an undeclared property", apply });
    }
  }
  return breaches;
}

/** Values that a schema refuses for certain. */
function wrongValues(schema: JsonValue, references: References): JsonValue[] {
  if (schema === false) return ["text"];
  const wrong = new Map<string, JsonValue>();
  const add = (value: JsonValue): void => void wrong.set(JSON.stringify(value), value);
  for (const conjunct of conjuncts(schema, references)) {
    const types = typesOf(conjunct);
    if (types.length > 0) ofEachType.filter((value) => !hasType(value, types)).forEach(add);
    if (Array.isArray(conjunct["enum"])) outsiders(conjunct["enum"]).forEach(add);
    if ("const" in conjunct) outsiders([conjunct["const"] as JsonValue]).forEach(add);
    beyondBounds(conjunct).forEach(add);
    if (stringsOf(conjunct["required"]).length > 0) add({});
  }
  return [...wrong.values()];
}

function beyondBounds(schema: JsonObject): JsonValue[] {
  const beyond: JsonValue[] = [];
  const bound = (keyword: string, use: (value: number) => void): void => {
    const value = schema[keyword];
    if (typeof value === "number") use(value);
  };
  // Beyond 2^53 a step of one may be no step at all.
  bound("minimum", (min) => min - 1 < min && beyond.push(min - 1));
  bound("maximum", (max) => max + 1 > max && beyond.push(max + 1));
  bound("exclusiveMinimum", (min) => beyond.push(min));
  bound("exclusiveMaximum", (max) => beyond.push(max));
  bound("minLength", (min) => min > 0 && beyond.push(""));
  bound("maxLength", (max) => max < longest && beyond.push("x".repeat(max + 1)));
  bound("minItems", (min) => min > 0 && beyond.push([]));
  bound("maxItems", (max) => {
    if (max < longest) beyond.push(Array.from({ length: max + 1 }, (_, index) => index));
  });
  return beyond;
}

function outsiders(members: readonly JsonValue[]): JsonValue[] {
  const texts = new Set(members.map((member) => JSON.stringify(member)));
  return [...ofEachType, "toolweave_no_member"].filter(
    (value) => !texts.has(JSON.stringify(value)) && (typeof value !== "object" || value === null),
  );
}

/** The types that a schema names; empty when it names none. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  return typeof type === "string" ? [type] : stringsOf(type);
}

function hasType(value: JsonValue, types: readonly string[]): boolean {
  if (value === null) return types.includes("null");
  if (Array.isArray(value)) return types.includes("array");
  if (typeof value === "number" && types.includes("integer") && Number.isInteger(value))
    return true;
  return types.includes(typeof value);
}

function stringsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === "string") : [];
}

function isKnown(schema: JsonObject, name: string): boolean {
  const patterns = isObject(schema["patternProperties"]) ? schema["patternProperties"] : {};
  return Object.keys(patterns).some((pattern) => matches(pattern, name));
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern).test(name);
  } catch {
    return true;
  }
}

function without(name: string): (args: JsonObject) => JsonObject {
  return (args) => Object.fromEntries(Object.entries(args).filter(([key]) => key !== name));
}

function withMember(args: JsonObject, name: string, value: JsonValue): JsonObject {
  // `fromEntries` defines: assignment would set the prototype for `__proto__`.
  return Object.fromEntries([...Object.entries(args), [name, value]]);
}
