import type { JsonObject, JsonSchema, JsonValue } from "@toolweave/core";

/** The next of a sequence of numbers from 0 to 1 that a seed determines. */
export type Random = () => number;

/** A small generator of numbers (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** A value that a schema is likely to accept: of its parts, randomly chosen ones. */
export function randomValue(
  schema: unknown,
  root: JsonSchema,
  random: Random,
  depth = 0,
): JsonValue {
  if (!isObject(schema) || depth > 14) return pick(anything, random);
  const given = schema;
  if (typeof given["$ref"] === "string") {
    const target = (root["$defs"] as JsonObject)[given["$ref"].replace("#/$defs/", "")];
    return combined(given, randomValue(target, root, random, depth + 1), root, random, depth);
  }
  if (given["const"] !== undefined) return given["const"];
  if (Array.isArray(given["enum"])) return pick(given["enum"] as JsonValue[], random);
  const union = given["oneOf"] ?? given["anyOf"];
  if (Array.isArray(union) && union.length > 0) {
    const value = randomValue(pick(union as JsonValue[], random), root, random, depth + 1);
    return combined(given, value, root, random, depth);
  }
  if (Array.isArray(given["allOf"])) {
    const parts = (given["allOf"] as JsonValue[]).map((part) =>
      randomValue(part, root, random, depth + 1),
    );
    const all = parts.every(isObject) ? (Object.assign({}, ...parts) as JsonObject) : parts[0];
    return combined(given, all as JsonValue, root, random, depth);
  }
  const { type } = given;
  return ofType(
    Array.isArray(type) ? pick(type as JsonValue[], random) : type,
    given,
    root,
    random,
    depth,
  );
}

function ofType(
  type: JsonValue | undefined,
  given: JsonObject,
  root: JsonSchema,
  random: Random,
  depth: number,
): JsonValue {
  const { minimum, exclusiveMinimum, minLength, minItems } = given;
  switch (type) {
    case "integer":
    case "number":
      return Number(minimum ?? (typeof exclusiveMinimum === "number" ? exclusiveMinimum + 1 : 1));
    case "boolean":
      return random() < 0.5;
    case "null":
      return null;
    case "string":
      return pick(["", "x", "2026-11-20", "a@example.com"], random).padEnd(
        Number(minLength ?? 0),
        "x",
      );
    case "array": {
      const length = Math.max(Number(minItems ?? 0), Math.floor(random() * 3));
      return Array.from({ length }, () => randomValue(given["items"], root, random, depth + 1));
    }
    case "object":
      return members(given, root, random, depth);
    default:
      return given["properties"] === undefined
        ? pick(anything, random)
        : members(given, root, random, depth);
  }
}

/** The value, with the members beside its origin. */
function combined(
  given: JsonObject,
  value: JsonValue,
  root: JsonSchema,
  random: Random,
  depth: number,
): JsonValue {
  if (!isObject(value) || given["properties"] === undefined) return value;
  return { ...members(given, root, random, depth), ...value };
}

function members(given: JsonObject, root: JsonSchema, random: Random, depth: number): JsonObject {
  const properties = (given["properties"] ?? {}) as JsonObject;
  const required = (given["required"] ?? []) as readonly string[];
  const share = depth > 4 ? 0.15 : 0.5;
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || random() < share,
  );
  const entries = names.map((name): [string, JsonValue] => [
    name,
    randomValue(properties[name], root, random, depth + 1),
  ]);
  const rest = given["additionalProperties"];
  if (rest !== false && random() < 0.2) {
    entries.push(["somethingElse", randomValue(rest, root, random, depth + 1)]);
  }
  return Object.fromEntries(entries);
}

/** The value with one part removed or replaced. */
export function tampered(value: JsonValue, random: Random): JsonValue {
  if (random() < 0.3) return pick(anything, random);
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const at = Math.floor(random() * items.length);
    return items.map((item, index) => (index === at ? tampered(item, random) : item));
  }
  if (!isObject(value)) return pick(anything, random);
  const names = Object.keys(value);
  const name = names[Math.floor(random() * names.length)];
  if (name === undefined) return { extra: pick(anything, random) };
  if (random() < 0.4) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  }
  return { ...value, [name]: tampered(value[name] as JsonValue, random) };
}

const anything: readonly JsonValue[] = [
  null,
  true,
  0,
  -1.5,
  "",
  "x",
  "2026-11-20",
  [],
  ["x"],
  {},
  { a: 1 },
];

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
