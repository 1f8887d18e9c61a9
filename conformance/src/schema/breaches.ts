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

/** So many values within values; of large schemas no more breaches than these are made. */
const maxDepth = 3;
const maxBreaches = 2000;

/**
 * Ways to break a schema, read from its own words and not from a validator: what asserts
 * unconditionally at the root, on each of its properties, and on what they hold in turn.
 *
 * @param except names at the root that are left alone.
 */
export function breachesOf(schema: JsonSchema, except: ReadonlySet<string>): Breach[] {
  const breaches: Breach[] = [];
  const references = new References(schema as JsonObject);
  for (const breach of objectBreaches(schema as JsonObject, references, except, 0)) {
    breaches.push(breach);
    if (breaches.length >= maxBreaches) break;
  }
  return breaches;
}

/** Ways to break what a schema says of objects. */
function* objectBreaches(
  schema: JsonValue,
  references: References,
  except: ReadonlySet<string>,
  depth: number,
): Iterable<Breach> {
  const inner: [name: string, property: JsonValue][] = [];
  for (const conjunct of conjuncts(schema, references)) {
    for (const name of stringsOf(conjunct["required"])) {
      if (!except.has(name)) yield { what: `no ${name}`, apply: without(name) };
    }
    const properties = isObject(conjunct["properties"]) ? conjunct["properties"] : {};
    for (const [name, property] of Object.entries(properties)) {
      // Validators differ on it, for their own safety.
      if (except.has(name) || name === "__proto__") continue;
      for (const value of wrongValues(property, references)) yield member(name, value);
      inner.push([name, property]);
    }
    const { additionalProperties: additional } = conjunct;
    if (additional === undefined || isKnown(conjunct, strangerName)) continue;
    if (additional === false) {
      const apply = (args: JsonObject): JsonObject => withMember(args, strangerName, true);
      yield { what: "an undeclared property", apply };
    }
    if (!isObject(additional)) continue;
    for (const value of wrongValues(additional, references)) yield member(strangerName, value);
  }
  if (depth >= maxDepth) return;
  for (const [name, property] of inner) {
    for (const { what, apply } of valueBreaches(property, references, depth + 1)) {
      yield {
        what: `${name}${what}`,
        apply: (args) => withMember(args, name, apply(ownMember(args, name))),
      };
    }
  }
}

/** One way to break what a value holds, whatever it was before. */
interface InnerBreach {
  readonly what: string;
  readonly apply: (value: JsonValue | undefined) => JsonValue;
}

function* valueBreaches(
  schema: JsonValue,
  references: References,
  depth: number,
): Iterable<InnerBreach> {
  const none: ReadonlySet<string> = new Set();
  for (const { what, apply } of objectBreaches(schema, references, none, depth)) {
    yield { what: `: ${what}`, apply: (value) => apply(isObject(value) ? value : {}) };
  }
  for (const { items, prefixItems } of conjuncts(schema, references)) {
    // The first items may be something else.
    if (!isObject(items) || prefixItems !== undefined) continue;
    for (const wrong of wrongValues(items, references)) {
      yield { what: `/0: ${shown(wrong)}`, apply: () => [wrong] };
    }
    if (depth >= maxDepth) continue;
    for (const { what, apply } of valueBreaches(items, references, depth + 1)) {
      yield {
        what: `/0${what}`,
        apply: (value) => [apply(Array.isArray(value) ? (value[0] as JsonValue) : undefined)],
      };
    }
  }
}

function member(name: string, value: JsonValue): Breach {
  return { what: `${name}: ${shown(value)}`, apply: (args) => withMember(args, name, value) };
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, 60);
}

function ownMember(args: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(args, name) ? args[name] : undefined;
}

/** Values that a schema refuses for certain. */
function wrongValues(schema: JsonValue, references: References): JsonValue[] {
  if (schema === false) return ["text"];
  const wrong = new Map<string, JsonValue>();
  const add = (value: JsonValue): void => void wrong.set(JSON.stringify(value), value);
  for (const conjunct of conjuncts(schema, references)) {
    if (Array.isArray(conjunct["enum"])) outsiders(conjunct["enum"]).forEach(add);
    if ("const" in conjunct) outsiders([conjunct["const"] as JsonValue]).forEach(add);
    beyondBounds(conjunct).forEach(add);
    if (stringsOf(conjunct["required"]).length > 0) add({});
  }
  ofEachType.filter((value) => isRefused(value, schema, references, 0)).forEach(add);
  return [...wrong.values()];
}

/** A value of a type that a schema does not take, also where every one of its branches says so. */
function isRefused(
  value: JsonValue,
  schema: JsonValue,
  references: References,
  depth: number,
): boolean {
  if (schema === false) return true;
  return conjuncts(schema, references).some((conjunct) => {
    const types = typesOf(conjunct);
    if (types.length > 0 && !hasType(value, types)) return true;
    const members = "const" in conjunct ? [conjunct["const"] as JsonValue] : conjunct["enum"];
    if (Array.isArray(members) && outsiders(members).includes(value)) return true;
    return ["anyOf", "oneOf"].some((keyword) => {
      const branches = conjunct[keyword];
      return (
        depth < maxDepth &&
        Array.isArray(branches) &&
        branches.length > 0 &&
        branches.every((branch: JsonValue) => isRefused(value, branch, references, depth + 1))
      );
    });
  });
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

/** True when a value is of one of the types of JSON Schema. */
export function hasType(value: JsonValue, types: readonly string[]): boolean {
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
