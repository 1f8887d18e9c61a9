import type { JsonObject, JsonSchema, JsonValue } from "../json/json.ts";
import { getItemSchemas, inPlaceSubschemas, resolveReference } from "../json-schema/subschemas.ts";
import { mask } from "./spans.ts";

/** References may lead in circles; arguments do not nest so deep, even with a few of them at each level. */
const deepest = 1000;

/** Schemas that lead to one another can take more steps than anybody waits for: then all is secret. */
const maxSteps = 200_000;

/** By schema: whether it calls anything secret at all. */
const withSecrets = new WeakMap<object, boolean>();

/**
 * Masks arguments for display: the values that their schema marks as secret, by `format: "password"`, `writeOnly: true`
 * or `x-secret: true`.
 */
export function maskArguments(args: JsonObject, schema: JsonSchema): JsonObject {
  if (typeof schema !== "object" || schema === null || !namesSecrets(schema)) return args;
  const redacted = masked(args, schema, { schema, left: maxSteps }, 0);
  // All of it; a display of arguments needs an object, though.
  return typeof redacted === "object" ? (redacted as JsonObject) : everyMember(args);
}

function everyMember(args: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(args).map((key) => [key, mask]));
}

/** The whole schema, and how many steps are left for it. */
interface Root {
  readonly schema: JsonSchema;
  left: number;
}

function namesSecrets(schema: object): boolean {
  let names = withSecrets.get(schema);
  if (names === undefined) {
    names = hasSecretKeyword(schema);
    withSecrets.set(schema, names);
  }
  return names;
}

/** Visits each part once. */
function hasSecretKeyword(schema: object): boolean {
  const seen = new Set<object>([schema]);
  // A set hands out what is added while it is walked.
  for (const node of seen) {
    const { writeOnly, "x-secret": secret, format } = node as Readonly<Record<string, unknown>>;
    if (writeOnly === true || secret === true || format === "password") return true;
    for (const member of Object.values(node)) {
      if (typeof member === "object" && member !== null) seen.add(member as object);
    }
  }
  return false;
}

function masked(value: JsonValue, given: unknown, root: Root, depth: number): JsonValue {
  if (typeof given !== "object" || given === null) return value;
  if (depth > deepest || root.left-- <= 0) return mask;
  const schema = given as JsonSchema;
  if (schema["writeOnly"] === true || schema["x-secret"] === true) return mask;
  if (schema["format"] === "password") return mask;
  let redacted = value;
  for (const [one, [keyword]] of inPlaceSubschemas(schema)) {
    if (keyword !== "not") redacted = masked(redacted, one, root, depth + 1);
  }
  if (typeof schema["$ref"] === "string") {
    const target = resolveReference(root.schema, schema["$ref"]) ?? unknown;
    redacted = masked(redacted, target, root, depth + 1);
  }
  if (typeof redacted !== "object" || redacted === null) return redacted;
  return Array.isArray(redacted)
    ? maskedItems(redacted as readonly JsonValue[], schema, root, depth)
    : maskedMembers(redacted as JsonObject, schema, root, depth);
}

function maskedItems(
  items: readonly JsonValue[],
  schema: JsonSchema,
  root: Root,
  depth: number,
): JsonValue {
  const { prefix, rest = schema["unevaluatedItems"] } = getItemSchemas(schema);
  return items.map((item, index) => {
    const redacted = masked(item, index < prefix.length ? prefix[index] : rest, root, depth + 1);
    return masked(redacted, schema["contains"], root, depth + 1);
  });
}

function maskedMembers(
  members: JsonObject,
  schema: JsonSchema,
  root: Root,
  depth: number,
): JsonObject {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>;
  const patterns = Object.entries(schema["patternProperties"] ?? {});
  const rest = schema["additionalProperties"] ?? schema["unevaluatedProperties"];
  const entries = Object.entries(members).map(([key, value]): [string, JsonValue] => {
    const isDeclared = Object.hasOwn(properties, key);
    // Which pattern a key matches is not worth an expression from outside: any may.
    const all = [
      ...patterns.map(([, one]) => one),
      ...(isDeclared ? [properties[key]] : patterns.length > 0 ? [] : [rest]),
    ];
    return [key, all.reduce<JsonValue>((at, one) => masked(at, one, root, depth + 1), value)];
  });
  return Object.fromEntries(entries);
}

/** A schema that cannot be found may mark anything as secret. */
const unknown = { writeOnly: true };
